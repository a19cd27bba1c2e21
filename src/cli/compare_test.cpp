#include "cli/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace ingot::cli {
namespace {

using arrays::Array;
using ::testing::HasSubstr;

template <typename T>
Array array(DType dtype, std::vector<int64_t> sizes, const std::vector<T>& values) {
  Array result{dtype, std::move(sizes), std::vector<std::byte>(values.size() * sizeof(T))};
  std::memcpy(result.bytes.data(), values.data(), result.bytes.size());
  return result;
}
Array floats(const std::vector<float>& values) {
  return array(DType::kF32, {static_cast<int64_t>(values.size())}, values);
}
Array halves(const std::vector<float>& values) {
  std::vector<uint16_t> bits;
  for (const float value : values) bits.push_back(f32_to_f16(value));
  return array(DType::kF16, {static_cast<int64_t>(values.size())}, bits);
}

TEST(Compare, FloatsWithinTheirTolerance) {
  const Comparison result = compare(floats({1, 100}), floats({1.00005f, 100}), nullptr, {});
  EXPECT_TRUE(result.equal);
  EXPECT_NEAR(result.max_absolute, 5e-5, 1e-6);
  EXPECT_FALSE(compare(floats({1, 100}), floats({1.001f, 100}), nullptr, {}).equal);
  EXPECT_TRUE(compare(floats({1, 100}), floats({1.001f, 100}), nullptr, Tolerance{1e-2, 0}).equal);
}

TEST(Compare, NamesTheFirstDifference) {
  const Array actual = array<float>(DType::kF32, {2, 2}, {1, 2, 3, 4});
  const Array expected = array<float>(DType::kF32, {2, 2}, {1, 2, 5, 6});
  EXPECT_THAT(compare(actual, expected, nullptr, {}).text,
              HasSubstr("2 of 4 elements differ, the first at [1, 0]: 3 instead of 5"));
}

TEST(Compare, IntegersAndBoolsAreExact) {
  const Array large = array<int64_t>(DType::kI64, {1}, {(int64_t{1} << 60) + 1});
  const Array other = array<int64_t>(DType::kI64, {1}, {int64_t{1} << 60});
  EXPECT_FALSE(compare(large, other, nullptr, {}).equal);
  EXPECT_FALSE(compare(large, other, nullptr, Tolerance{1, 1}).equal);
  EXPECT_TRUE(compare(large, large, nullptr, {}).equal);
}

TEST(Compare, NaNOnlyWhereExpected) {
  EXPECT_TRUE(compare(floats({NAN, INFINITY}), floats({NAN, INFINITY}), nullptr, {}).equal);
  EXPECT_FALSE(compare(floats({NAN}), floats({1}), nullptr, {}).equal);
  EXPECT_FALSE(compare(floats({1}), floats({NAN}), nullptr, {}).equal);
  EXPECT_FALSE(compare(floats({INFINITY}), floats({-INFINITY}), nullptr, {}).equal);
}

TEST(Compare, ShapesAndTypes) {
  EXPECT_THAT(compare(floats({1}), floats({1, 2}), nullptr, {}).text,
              HasSubstr("1xf32 instead of 2xf32"));
  EXPECT_FALSE(compare(floats({1}), array<double>(DType::kF64, {1}, {1}), nullptr, {}).equal);
  // float16 as bits
  Array bits = halves({1});
  bits.dtype = DType::kI16;
  EXPECT_TRUE(compare(halves({1}), bits, nullptr, {}).equal);
}

TEST(Compare, SixteenBitAgainstTheReference) {
  const Array reference = array<double>(DType::kF64, {2}, {1.0002, 2.0});
  const Array pytorch = halves({1.001f, 2.0f});  // 0.0008 off
  EXPECT_TRUE(compare(halves({1.0f, 2.0f}), pytorch, &reference, {}).equal);
  EXPECT_TRUE(compare(halves({0.999f, 2.0f}), pytorch, &reference, {}).equal);
  EXPECT_FALSE(compare(halves({0.99f, 2.0f}), pytorch, &reference, {}).equal);
  // Without it 1e-2 is enough.
  EXPECT_TRUE(compare(halves({0.99f, 2.0f}), pytorch, nullptr, {}).equal);
  EXPECT_FALSE(compare(halves({NAN, 2.0f}), pytorch, &reference, {}).equal);
  EXPECT_TRUE(compare(pytorch, pytorch, &reference, {}).equal);
}

}  // namespace
}  // namespace ingot::cli
