#include "cli/format_array.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace ingot::cli {
namespace {

template <typename T>
arrays::Array array(DType dtype, std::vector<int64_t> sizes, const std::vector<T>& values) {
  arrays::Array result{dtype, std::move(sizes), std::vector<std::byte>(values.size() * sizeof(T))};
  if (!values.empty()) std::memcpy(result.bytes.data(), values.data(), result.bytes.size());
  return result;
}

TEST(FormatArray, Floats) {
  EXPECT_EQ(format_array(array<float>(DType::kF32, {2, 2}, {1, 0.5f, 0.125f, -2})),
            "[[ 1.000  0.500]\n [ 0.125 -2.000]]");
  EXPECT_EQ(format_array(array<float>(DType::kF32, {2}, {1, 2})), "[1. 2.]");
  EXPECT_EQ(format_array(array<float>(DType::kF32, {3}, {NAN, INFINITY, -INFINITY})),
            "[ nan  inf -inf]");
  EXPECT_EQ(format_array(array<double>(DType::kF64, {2}, {1e-9, 1})), "[1e-09 1e+00]");
  EXPECT_EQ(format_array(array<double>(DType::kF64, {}, {2.5})), "2.5");
}

TEST(FormatArray, OtherTypes) {
  EXPECT_EQ(format_array(array<int64_t>(DType::kI64, {3}, {1, -20, 3})), "[  1 -20   3]");
  EXPECT_EQ(format_array(array<uint8_t>(DType::kBool, {2}, {1, 0})), "[ True False]");
  EXPECT_EQ(format_array(array<uint16_t>(DType::kBF16, {1}, {0x3f80})), "[1.]");
  EXPECT_EQ(format_array(array<uint16_t>(DType::kF16, {1}, {0x3800})), "[0.5]");
}

TEST(FormatArray, Shapes) {
  EXPECT_EQ(format_array(array<int32_t>(DType::kI32, {0}, {})), "[]");
  EXPECT_EQ(format_array(array<int32_t>(DType::kI32, {2, 0}, {})), "[[]\n []]");
  EXPECT_EQ(format_array(array<int32_t>(DType::kI32, {2, 1, 2}, {1, 2, 3, 4})),
            "[[[1 2]]\n\n [[3 4]]]");
}

TEST(FormatArray, LargeArraysAreSummarised) {
  std::vector<int32_t> values(2000);
  for (int32_t i = 0; i < 2000; ++i) values[static_cast<size_t>(i)] = i;
  EXPECT_EQ(format_array(array(DType::kI32, {2000}, values)),
            "[   0    1    2 ... 1997 1998 1999]");
  EXPECT_EQ(format_array(array(DType::kI32, {1000, 2}, values)),
            "[[   0    1]\n [   2    3]\n [   4    5]\n ...\n [1994 1995]\n [1996 1997]\n "
            "[1998 1999]]");
}

TEST(FormatArray, LongRowsAreWrapped) {
  const std::string text = format_array(array(DType::kI32, {60}, std::vector<int32_t>(60, 100)));
  size_t column = 0;
  for (const char c : text) {
    column = c == '\n' ? 0 : column + 1;
    EXPECT_LE(column, 100u);
  }
  EXPECT_NE(text.find("\n 100"), std::string::npos);
}

}  // namespace
}  // namespace ingot::cli
