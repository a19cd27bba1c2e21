#include "runtime/scalar/scalar_executor.h"

#include "runtime/scalar/body_executor.h"
#include "runtime/scalar/templates.h"
#include "support/diagnostics.h"

namespace ingot::runtime::scalar {
namespace {

Status run_loop(const program::Kernel& kernel, const KernelArgs& args) {
  INGOT_ASSIGN_OR_RETURN(BodyExecutor body, BodyExecutor::create(kernel.body, kernel, args));
  const auto extents = std::span(body.extents()).first(body.parallel_axes());
  for (const int64_t extent : extents) {
    if (extent == 0) return ok_status();
  }
  std::vector<int64_t> point(extents.size());
  do {
    INGOT_RETURN_IF_ERROR(body.run_point(point));
  } while (next_point(point, extents));
  return ok_status();
}

}  // namespace

Status run_kernel(const program::Kernel& kernel, const KernelArgs& args) {
  switch (kernel.kind) {
    case program::KernelKind::kLoop:
      return run_loop(kernel, args);
    case program::KernelKind::kMatmul:
      return run_matmul(kernel, args);
    case program::KernelKind::kConv:
      return run_conv(kernel, args);
    case program::KernelKind::kAttention:
      return run_attention(kernel, args);
    case program::KernelKind::kScan:
      return run_scan(kernel, args);
    case program::KernelKind::kSort:
      return run_sort(kernel, args);
  }
  return make_status(Diag::kInternal, "a kernel of unknown kind");
}

}  // namespace ingot::runtime::scalar
