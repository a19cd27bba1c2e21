// Template kernels, one element at a time.
#pragma once

#include "runtime/scalar/scalar_executor.h"

namespace ingot::runtime::scalar {

Status run_matmul(const program::Kernel& kernel, const KernelArgs& args);
Status run_conv(const program::Kernel& kernel, const KernelArgs& args);
Status run_attention(const program::Kernel& kernel, const KernelArgs& args);
Status run_scan(const program::Kernel& kernel, const KernelArgs& args);
Status run_sort(const program::Kernel& kernel, const KernelArgs& args);

}  // namespace ingot::runtime::scalar
