#include "runtime/cpu/prepared_kernel.h"

#include <vector>

#include "runtime/cpu/contraction.h"
#include "runtime/cpu/loop_kernel.h"
#include "runtime/cpu/row_templates.h"
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

// A template: through a micro-kernel where there is one, else one element at a time.
class PreparedTemplate final : public PreparedKernel {
 public:
  explicit PreparedTemplate(const program::Kernel& kernel) : kernel_(kernel) {}
  Result<std::unique_ptr<BoundKernel>> bind(const LaunchSizes& sizes) const override {
    if (kernel_.kind == program::KernelKind::kScan) {
      return bind_scan(kernel_, sizes, default_isa());
    }
    if (kernel_.kind == program::KernelKind::kSort) {
      return bind_sort(kernel_, sizes, default_isa());
    }
    if (uses_f32_lanes(kernel_)) {
      switch (kernel_.kind) {
        case program::KernelKind::kMatmul:
          return bind_matmul(kernel_, sizes, default_isa());
        case program::KernelKind::kConv:
          return bind_conv(kernel_, sizes, default_isa());
        case program::KernelKind::kAttention:
          return bind_attention(kernel_, sizes, default_isa());
        default:
          break;
      }
    }
    return std::unique_ptr<BoundKernel>(std::make_unique<BoundScalarKernel>(kernel_, sizes));
  }

 private:
  const program::Kernel& kernel_;
};

}  // namespace

Result<std::unique_ptr<PreparedKernel>> prepare_kernel(const program::Kernel& kernel) {
  if (kernel.kind == program::KernelKind::kLoop) return prepare_loop(kernel, default_isa());
  return std::unique_ptr<PreparedKernel>(std::make_unique<PreparedTemplate>(kernel));
}

}  // namespace ingot::runtime::cpu
