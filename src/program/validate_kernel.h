// The part of `validate` that looks into kernels.
#pragma once

#include "program/expr_facts.h"
#include "program/kernel.h"
#include "support/status.h"

namespace ingot::program {

// Fails with Diag::kBadPackage and the place inside the kernel, without its name.
Status validate_kernel(const Kernel& kernel, ExprFactsCache& facts);

// Limits on what one kernel may have; far above what a compiler makes.
inline constexpr uint32_t kMaxKernelScalars = 1u << 16;
inline constexpr size_t kMaxKernelBuffers = 1u << 12;
inline constexpr size_t kMaxRank = 64;

}  // namespace ingot::program
