// Template kernels that work row by row: scan and sort.
#pragma once

#include "runtime/cpu/lane_table.h"
#include "runtime/cpu/prepared_kernel.h"

namespace ingot::runtime::cpu {

Result<std::unique_ptr<BoundKernel>> bind_scan(const program::Kernel& kernel,
                                               const LaunchSizes& sizes, Isa isa);
Result<std::unique_ptr<BoundKernel>> bind_sort(const program::Kernel& kernel,
                                               const LaunchSizes& sizes, Isa isa);

}  // namespace ingot::runtime::cpu
