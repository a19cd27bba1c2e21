// Executes kernels one point at a time: slow and plain, the meaning of kernel IR in code. Devices
// are tested against it.
#pragma once

#include <cstdint>
#include <span>

#include "program/kernel.h"
#include "support/status.h"

namespace ingot::runtime::scalar {

// What a launch gives to a kernel. `buffer_elements[i]` elements may be touched at buffers[i].
struct KernelArgs {
  std::span<void* const> buffers;
  std::span<const int64_t> buffer_elements;
  std::span<const int64_t> scalars;
};

// Runs any kernel that program::validate accepts. Fails with Diag::kIndexRange where a kCheckIndex
// finds an index outside its range, with Diag::kBadPackage where an access leaves its buffer.
Status run_kernel(const program::Kernel& kernel, const KernelArgs& args);

}  // namespace ingot::runtime::scalar
