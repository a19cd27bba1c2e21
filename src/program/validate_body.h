// The part of `validate` that looks into the instructions of kernels.
#pragma once

#include "program/expr_facts.h"
#include "program/kernel.h"
#include "support/status.h"

namespace ingot::program {

enum class BodyRole : uint8_t {
  kLoop,      // of a loop kernel
  kEpilogue,  // of a template
  kScore,     // AttentionTemplate::score_body: stores nothing, its last instruction is the result
};

// Axes, stages and instructions of one body of `kernel`; its buffers have been checked before.
Status validate_body(const Kernel& kernel, const Body& body, BodyRole role, ExprFactsCache& facts);

// `expr` is over d0 … of `kernel` alone; a constant one is at least `least`.
Status validate_size(const Kernel& kernel, const sym::Expr& expr, int64_t least,
                     ExprFactsCache& facts);

}  // namespace ingot::program
