// Loop kernels on the CPU, as strips.
#pragma once

#include "runtime/cpu/lane_table.h"
#include "runtime/cpu/prepared_kernel.h"

namespace ingot::runtime::cpu {

// `kernel` is a loop kernel and outlives the result.
Result<std::unique_ptr<PreparedKernel>> prepare_loop(const program::Kernel& kernel, Isa isa);

}  // namespace ingot::runtime::cpu
