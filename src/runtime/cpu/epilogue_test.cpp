#include "runtime/cpu/epilogue.h"

#include "runtime/cpu/kernel_sketch.h"
#include "runtime/scalar/body_executor.h"

namespace ingot::runtime::cpu {
namespace {

constexpr int64_t kBatch = 2;
constexpr int64_t kRows = 5;
constexpr int64_t kCols = 700;

// bias + residual, through a comparison, with a store of another type.
KernelSketch matmul_epilogue(DType accumulator) {
  KernelSketch k("epilogue");
  k.kernel().kind = program::KernelKind::kMatmul;
  k.parallel(kBatch);
  k.parallel(kRows);
  k.parallel(kCols);
  const uint32_t bias = k.buffer(DType::kF32, Access::kRead);
  const uint32_t residual = k.buffer(DType::kBF16, Access::kRead);
  const uint32_t out = k.buffer(DType::kF32, Access::kWrite);
  const uint32_t half = k.buffer(DType::kF16, Access::kWrite);
  const InstId acc = k.cast(k.accumulator(accumulator), DType::kF32);
  const InstId sum = k.compute(ScalarOp::kAdd, acc, k.load(bias, axis(2)));
  const sym::Expr at = axis(0) * (kRows * kCols) + axis(1) * kCols + axis(2);
  const InstId rest = k.cast(k.load(residual, at), DType::kF32);
  const InstId active = k.compute(ScalarOp::kMax, sum, k.constant(DType::kF32, 0));
  const InstId result = k.compute(ScalarOp::kAdd, active, rest);
  k.store(out, at, result);
  // And transposed, in f16.
  k.store(half, axis(0) * (kRows * kCols) + axis(2) * kRows + axis(1),
          k.cast(k.compute(ScalarOp::kMul, result, k.constant(DType::kF32, 0.5)), DType::kF16));
  return k;
}

std::vector<TestBuffer> matmul_buffers() {
  std::vector<TestBuffer> buffers;
  buffers.emplace_back(DType::kF32, kCols);
  buffers.emplace_back(DType::kBF16, kBatch * kRows * kCols);
  buffers.emplace_back(DType::kF32, kBatch * kRows * kCols);
  buffers.emplace_back(DType::kF16, kBatch * kRows * kCols);
  for (int64_t i = 0; i < kCols; ++i) buffers[0].set(i, 0.25 * static_cast<double>(i % 37) - 4);
  for (int64_t i = 0; i < kBatch * kRows * kCols; ++i) {
    buffers[1].set(i, 0.5 * static_cast<double>(i % 23) - 6);
  }
  return buffers;
}

double accumulator_at(int64_t b, int64_t m, int64_t n) {
  return static_cast<double>((b * 31 + m * 17 + n * 7) % 41 - 20);
}

class EpilogueStrips : public testing::TestWithParam<std::tuple<DType, uint32_t, int64_t>> {};

TEST_P(EpilogueStrips, GiveWhatSinglePointsGive) {
  const auto [dtype, strip_axis, length] = GetParam();
  KernelSketch sketch = matmul_epilogue(dtype);
  std::vector<TestBuffer> expected = matmul_buffers();
  std::vector<TestBuffer> actual = expected;
  const std::vector<int64_t> elements = elements_of(actual);
  const std::vector<void*> expected_addresses = addresses_of(expected);
  auto reference = scalar::BodyExecutor::create(sketch.kernel().body, sketch.kernel(),
                                                {expected_addresses, elements, {}});
  ASSERT_TRUE(reference.ok()) << reference.status().message();
  auto runner =
      EpilogueRunner::bind(sketch.kernel(), sketch.kernel().body, strip_axis, {{}, elements});
  ASSERT_TRUE(runner.ok()) << runner.status().message();
  EXPECT_FALSE((*runner)->is_plain_store());
  const std::vector<void*> addresses = addresses_of(actual);
  const int64_t extents[] = {kBatch, kRows, kCols};
  KernelFailure failure;
  std::vector<int64_t> point(3);
  do {
    const double value = accumulator_at(point[0], point[1], point[2]);
    ASSERT_TRUE(reference->run_point(point, scalar::from_double(value, dtype)).ok());
    if (point[strip_axis] % length != 0) continue;
    const int64_t count = std::min(length, extents[strip_axis] - point[strip_axis]);
    TestBuffer strip(dtype, count);
    for (int64_t i = 0; i < count; ++i) {
      std::vector<int64_t> at = point;
      at[strip_axis] += i;
      strip.set(i, accumulator_at(at[0], at[1], at[2]));
    }
    (*runner)->run_strip(addresses, point, strip.data(), count, failure);
  } while (scalar::next_point(point, extents));
  EXPECT_TRUE(failure.take().ok());
  for (size_t b = 0; b < actual.size(); ++b) {
    expect_equal(actual[b], expected[b], {}, "buffer " + std::to_string(b));
  }
}

INSTANTIATE_TEST_SUITE_P(, EpilogueStrips,
                         testing::Combine(testing::Values(DType::kF32, DType::kF64, DType::kI64),
                                          testing::Values(1u, 2u),
                                          testing::Values<int64_t>(1, 8, 100, 512)));

TEST(Epilogue, MapsScores) {
  KernelSketch k("scores");
  k.parallel(1);
  k.parallel(2);
  k.parallel(3);
  k.parallel(50);
  const uint32_t mask = k.buffer(DType::kF32, Access::kRead);
  const InstId score = k.accumulator(DType::kF32);
  const InstId added = k.compute(ScalarOp::kAdd, score, k.load(mask, axis(2) * 50 + axis(3)));
  const InstId hidden =
      k.compute(ScalarOp::kNe, k.index(sym::lt(axis(2) * 10, axis(3))), k.constant(DType::kI64, 0));
  k.compute(ScalarOp::kSelect, hidden, k.constant(DType::kF32, -1e9), added);
  std::vector<TestBuffer> buffers;
  buffers.emplace_back(DType::kF32, 150);
  for (int64_t i = 0; i < 150; ++i) buffers[0].set(i, static_cast<double>(i));
  const std::vector<int64_t> elements = elements_of(buffers);
  auto runner = EpilogueRunner::bind(k.kernel(), k.kernel().body, 3, {{}, elements});
  ASSERT_TRUE(runner.ok()) << runner.status().message();
  KernelFailure failure;
  std::vector<float> scores(50, 0.5f);
  const int64_t point[] = {0, 1, 2, 0};
  (*runner)->map_strip(addresses_of(buffers), point, scores.data(), scores.data(), 50, failure);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(scores[static_cast<size_t>(i)],
              i > 20 ? -1e9f : 0.5f + 100.0f + static_cast<float>(i));
  }
  // A body that gives the score itself, and one that gives a constant.
  KernelSketch same;
  for (int i = 0; i < 4; ++i) same.parallel(50);
  same.accumulator(DType::kF32);
  auto identity = EpilogueRunner::bind(same.kernel(), same.kernel().body, 3, {{}, {}});
  ASSERT_TRUE(identity.ok());
  std::vector<float> results(50);
  (*identity)->map_strip({}, point, scores.data(), results.data(), 50, failure);
  EXPECT_EQ(results, scores);
  same.constant(DType::kF32, 7);
  auto constant = EpilogueRunner::bind(same.kernel(), same.kernel().body, 3, {{}, {}});
  ASSERT_TRUE(constant.ok());
  (*constant)->map_strip({}, point, scores.data(), results.data(), 50, failure);
  EXPECT_EQ(results, std::vector<float>(50, 7.0f));
}

TEST(Epilogue, RecognisesPlainStores) {
  KernelSketch k;
  k.parallel(4);
  k.parallel(6);
  const uint32_t out = k.buffer(DType::kF32, Access::kWrite);
  k.store(out, axis(0) * 6 + axis(1), k.accumulator(DType::kF32));
  std::vector<float> memory(24);
  void* const addresses[] = {memory.data()};
  const int64_t elements[] = {24};
  auto along_rows = EpilogueRunner::bind(k.kernel(), k.kernel().body, 1, {{}, elements});
  ASSERT_TRUE(along_rows.ok());
  ASSERT_TRUE((*along_rows)->is_plain_store());
  const int64_t point[] = {2, 3};
  EXPECT_EQ((*along_rows)->direct_store(addresses, point), &memory[15]);
  auto along_cols = EpilogueRunner::bind(k.kernel(), k.kernel().body, 0, {{}, elements});
  ASSERT_TRUE(along_cols.ok());
  EXPECT_FALSE((*along_cols)->is_plain_store());
}

TEST(Epilogue, RefusesStoresOutsideTheBuffer) {
  KernelSketch k;
  k.parallel(4);
  const uint32_t out = k.buffer(DType::kF32, Access::kWrite);
  k.store(out, axis(0) + 1, k.accumulator(DType::kF32));
  const int64_t elements[] = {4};
  const auto runner = EpilogueRunner::bind(k.kernel(), k.kernel().body, 0, {{}, elements});
  ASSERT_FALSE(runner.ok());
  EXPECT_EQ(runner.status().code(), StatusCode::kInvalidData);
}

}  // namespace
}  // namespace ingot::runtime::cpu
