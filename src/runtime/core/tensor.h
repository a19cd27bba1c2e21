// A tensor that someone else owns, as it passes the runtime's border.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/core/device.h"
#include "support/dtype.h"

namespace ingot::runtime {

// PyTorch's own limit.
inline constexpr size_t kMaxRank = 64;

struct TensorView {
  void* data = nullptr;  // the first element
  DType dtype = DType::kF32;
  DeviceId device;
  std::span<const int64_t> sizes;    // not negative
  std::span<const int64_t> strides;  // elements; empty means row-major
  bool read_only = false;

  size_t rank() const { return sizes.size(); }
};

// Row-major strides in elements.
struct Strides {
  std::array<int64_t, kMaxRank> values;
  size_t rank = 0;
  operator std::span<const int64_t>() const { return {values.data(), rank}; }
};
Strides row_major_strides(std::span<const int64_t> sizes);

// Product of the sizes; -1 when it does not fit.
int64_t element_count(std::span<const int64_t> sizes);
// True when the elements lie in row-major order without gaps (dimensions of size 1 do not count).
bool is_row_major(std::span<const int64_t> sizes, std::span<const int64_t> strides);
inline bool is_row_major(const TensorView& tensor) {
  return tensor.strides.empty() || is_row_major(tensor.sizes, tensor.strides);
}
inline bool is_aligned(const void* data) {
  return reinterpret_cast<uintptr_t>(data) % kBufferAlignment == 0;
}

// The bytes that a tensor touches: [begin, end); empty for no elements.
struct ByteRange {
  uintptr_t begin = 0;
  uintptr_t end = 0;
  bool overlaps(const ByteRange& other) const { return begin < other.end && other.begin < end; }
};
ByteRange touched_bytes(const TensorView& tensor);

// "2x3xf32"; "f32" for a tensor without dimensions.
std::string describe(DType dtype, std::span<const int64_t> sizes);

}  // namespace ingot::runtime
