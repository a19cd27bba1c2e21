// Kernels on the CPU: analysed once at load, bound once per shape, run often.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "program/access.h"
#include "program/kernel.h"
#include "runtime/cpu/thread_pool.h"
#include "support/status.h"

namespace ingot::runtime::cpu {

using program::LaunchSizes;

// A kernel whose sizes are known. Belongs to one thread at a time.
class BoundKernel {
 public:
  virtual ~BoundKernel() = default;
  // Runs to the end, sharing the work with the pool. `buffers[i]` is Kernel::buffers[i]; elements
  // outside the bound sizes are never touched.
  virtual Status run(std::span<void* const> buffers, ThreadPool& pool) = 0;
};

// Immutable, shared by threads.
class PreparedKernel {
 public:
  virtual ~PreparedKernel() = default;
  virtual Result<std::unique_ptr<BoundKernel>> bind(const LaunchSizes& sizes) const = 0;
};

// `kernel` is valid (program/validate.h) and outlives the result.
Result<std::unique_ptr<PreparedKernel>> prepare_kernel(const program::Kernel& kernel);

}  // namespace ingot::runtime::cpu
