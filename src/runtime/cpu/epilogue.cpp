#include "runtime/cpu/epilogue.h"

#include <cstring>
#include <vector>

#include "runtime/scalar/body_executor.h"

namespace ingot::runtime::cpu {
namespace {

class ScalarEpilogue final : public EpilogueRunner {
 public:
  ScalarEpilogue(const program::Kernel& kernel, const program::Body& body, uint32_t strip_axis,
                 const LaunchSizes& sizes)
      : kernel_(kernel),
        body_(body),
        strip_axis_(strip_axis),
        scalars_(sizes.scalars.begin(), sizes.scalars.end()),
        elements_(sizes.buffer_elements.begin(), sizes.buffer_elements.end()) {}

  void run_strip(std::span<void* const> buffers, std::span<const int64_t> point,
                 const void* accumulators, int64_t count, KernelFailure& failure) const override {
    map_strip(buffers, point, accumulators, nullptr, count, failure);
  }

  void map_strip(std::span<void* const> buffers, std::span<const int64_t> point,
                 const void* accumulators, void* results, int64_t count,
                 KernelFailure& failure) const override {
    Result<scalar::BodyExecutor> executor =
        scalar::BodyExecutor::create(body_, kernel_, {buffers, elements_, scalars_});
    if (!executor.ok()) return failure.report(executor.status());
    std::vector<int64_t> at(point.begin(), point.end());
    for (int64_t i = 0; i < count; ++i) {
      at[strip_axis_] = point[strip_axis_] + i;
      Status status =
          executor->run_point(at, scalar::load_element(accumulators, i, kernel_.accumulator));
      if (!status.ok()) return failure.report(std::move(status));
      if (results == nullptr) continue;
      scalar::store_element(results, i, body_.insts.back().dtype, executor->last_value());
    }
  }

  bool is_plain_store() const override { return false; }
  void* direct_store(std::span<void* const>, std::span<const int64_t>) const override {
    return nullptr;
  }

 private:
  const program::Kernel& kernel_;
  const program::Body& body_;
  uint32_t strip_axis_;
  std::vector<int64_t> scalars_;
  std::vector<int64_t> elements_;
};

}  // namespace

Result<std::unique_ptr<EpilogueRunner>> EpilogueRunner::bind(const program::Kernel& kernel,
                                                             const program::Body& body,
                                                             uint32_t strip_axis,
                                                             const LaunchSizes& sizes) {
  return std::unique_ptr<EpilogueRunner>(
      std::make_unique<ScalarEpilogue>(kernel, body, strip_axis, sizes));
}

}  // namespace ingot::runtime::cpu
