#include "runtime/core/tensor.h"

namespace ingot::runtime {

Strides row_major_strides(std::span<const int64_t> sizes) {
  Strides strides;
  strides.rank = sizes.size();
  // Unsigned, so that absurd sizes wrap instead of overflowing; their tensors are refused
  // elsewhere.
  uint64_t stride = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides.values[i] = static_cast<int64_t>(stride);
    stride *= static_cast<uint64_t>(sizes[i] > 0 ? sizes[i] : 1);
  }
  return strides;
}

int64_t element_count(std::span<const int64_t> sizes) {
  int64_t count = 1;
  bool fits = true;
  for (const int64_t size : sizes) {
    if (size == 0) return 0;
    if (size < 0 || __builtin_mul_overflow(count, size, &count)) fits = false;
  }
  return fits ? count : -1;
}

bool is_row_major(std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  if (element_count(sizes) == 0) return true;
  int64_t expected = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] == 1) continue;
    if (strides[i] != expected) return false;
    expected *= sizes[i];
  }
  return true;
}

ByteRange touched_bytes(const TensorView& tensor) {
  const int64_t count = element_count(tensor.sizes);
  if (count <= 0) return {};
  const auto begin = reinterpret_cast<uintptr_t>(tensor.data);
  const int64_t width = size_of(tensor.dtype);
  if (tensor.strides.empty()) return {begin, begin + static_cast<uintptr_t>(count * width)};
  int64_t low = 0;
  int64_t high = 0;
  for (size_t i = 0; i < tensor.rank(); ++i) {
    const int64_t reach = (tensor.sizes[i] - 1) * tensor.strides[i];
    (reach < 0 ? low : high) += reach;
  }
  return {begin + static_cast<uintptr_t>(low * width),
          begin + static_cast<uintptr_t>((high + 1) * width)};
}

std::string describe(DType dtype, std::span<const int64_t> sizes) {
  std::string text;
  for (const int64_t size : sizes) text += std::to_string(size) + "x";
  return text += to_string(dtype);
}

}  // namespace ingot::runtime
