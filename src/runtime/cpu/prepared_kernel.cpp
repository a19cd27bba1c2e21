#include "runtime/cpu/prepared_kernel.h"

#include <vector>

#include "runtime/scalar/scalar_executor.h"

namespace ingot::runtime::cpu {
namespace {

class BoundScalarKernel final : public BoundKernel {
 public:
  BoundScalarKernel(const program::Kernel& kernel, const LaunchSizes& sizes)
      : kernel_(kernel),
        scalars_(sizes.scalars.begin(), sizes.scalars.end()),
        elements_(sizes.buffer_elements.begin(), sizes.buffer_elements.end()) {}

  Status run(std::span<void* const> buffers, ThreadPool&) override {
    return scalar::run_kernel(kernel_, {buffers, elements_, scalars_});
  }

 private:
  const program::Kernel& kernel_;
  std::vector<int64_t> scalars_;
  std::vector<int64_t> elements_;
};

class PreparedScalarKernel final : public PreparedKernel {
 public:
  explicit PreparedScalarKernel(const program::Kernel& kernel) : kernel_(kernel) {}
  Result<std::unique_ptr<BoundKernel>> bind(const LaunchSizes& sizes) const override {
    return std::unique_ptr<BoundKernel>(std::make_unique<BoundScalarKernel>(kernel_, sizes));
  }

 private:
  const program::Kernel& kernel_;
};

}  // namespace

Result<std::unique_ptr<PreparedKernel>> prepare_kernel(const program::Kernel& kernel) {
  return std::unique_ptr<PreparedKernel>(std::make_unique<PreparedScalarKernel>(kernel));
}

}  // namespace ingot::runtime::cpu
