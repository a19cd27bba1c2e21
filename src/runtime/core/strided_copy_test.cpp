#include "runtime/core/strided_copy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>

#include "runtime/core/tensor.h"

namespace ingot::runtime {
namespace {

// Element by element, with no cleverness.
void naive_copy(const StridedCopy& copy) {
  std::vector<int64_t> index(copy.sizes.size(), 0);
  const int64_t count = element_count(copy.sizes);
  for (int64_t n = 0; n < count; ++n) {
    int64_t rest = n;
    int64_t dst = 0;
    int64_t src = 0;
    for (size_t d = copy.sizes.size(); d-- > 0;) {
      const int64_t i = rest % copy.sizes[d];
      rest /= copy.sizes[d];
      dst += i * copy.dst_strides[d];
      src += i * copy.src_strides[d];
    }
    const auto width = static_cast<int64_t>(copy.element_bytes);
    std::memcpy(static_cast<std::byte*>(copy.dst) + dst * width,
                static_cast<const std::byte*>(copy.src) + src * width, copy.element_bytes);
  }
}

TEST(StridedCopy, EqualsTheNaiveCopyOnRandomLayouts) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    const size_t rank = random() % 5;
    const size_t width = size_t{1} << (random() % 5);
    std::vector<int64_t> sizes;
    for (size_t d = 0; d < rank; ++d) sizes.push_back(random() % 8 == 0 ? 0 : 1 + random() % 5);
    // Strides of a permuted, padded tensor; the source may also repeat (0) or run backwards.
    const auto layout = [&](bool repeat) {
      std::vector<size_t> order(rank);
      std::iota(order.begin(), order.end(), size_t{0});
      std::shuffle(order.begin(), order.end(), random);
      std::vector<int64_t> strides(rank);
      int64_t stride = 1 + random() % 2;
      for (const size_t d : order) {
        strides[d] = repeat && random() % 5 == 0 ? 0 : stride;
        if (repeat && random() % 5 == 0) strides[d] = -strides[d];
        stride *= sizes[d] + static_cast<int64_t>(random() % 2);
      }
      return strides;
    };
    const std::vector<int64_t> dst_strides = layout(false);
    const std::vector<int64_t> src_strides = layout(true);
    std::vector<std::byte> source(2 * 7 * 7 * 7 * 7 * 2 * 16);
    for (std::byte& byte : source) byte = static_cast<std::byte>(random());
    std::vector<std::byte> fast(source.size());
    std::vector<std::byte> naive(source.size());
    StridedCopy copy{fast.data(), source.data() + source.size() / 2, width, sizes, dst_strides,
                     src_strides};
    copy_strided_on_host(copy);
    copy.dst = naive.data();
    naive_copy(copy);
    ASSERT_EQ(fast, naive) << "round " << round;
  }
}

TEST(Tensor, RowMajorIgnoresSizesOfOneAndEmptyTensors) {
  EXPECT_TRUE(is_row_major({{2, 1, 3}}, {{3, 99, 1}}));
  EXPECT_FALSE(is_row_major({{2, 3}}, {{1, 2}}));
  EXPECT_FALSE(is_row_major({{2, 3}}, {{4, 1}}));
  EXPECT_TRUE(is_row_major({{2, 0}}, {{7, 7}}));
  EXPECT_TRUE(is_row_major({}, {}));
}

TEST(Tensor, ElementCountReportsOverflow) {
  EXPECT_EQ(element_count({{3, 4}}), 12);
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({{INT64_MAX, 2}}), -1);
  EXPECT_EQ(element_count({{INT64_MAX, 2, 0}}), 0);
}

TEST(Tensor, TouchedBytesCoverNegativeStrides) {
  std::array<float, 12> data{};
  const std::array<int64_t, 1> sizes{4};
  const std::array<int64_t, 1> strides{-2};
  const TensorView view{&data[6], DType::kF32, {}, sizes, strides, false};
  const ByteRange range = touched_bytes(view);
  EXPECT_EQ(range.begin, reinterpret_cast<uintptr_t>(&data[0]));
  EXPECT_EQ(range.end, reinterpret_cast<uintptr_t>(&data[7]));
}

}  // namespace
}  // namespace ingot::runtime
