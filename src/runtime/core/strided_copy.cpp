#include "runtime/core/strided_copy.h"

#include <cstring>

#include "runtime/core/tensor.h"

namespace ingot::runtime {
namespace {

struct Dim {
  int64_t size;
  int64_t dst;  // bytes
  int64_t src;  // bytes
};

// The copy's dimensions without those of size 1, neighbours merged where both sides allow it.
struct Dims {
  std::array<Dim, kMaxRank> values;
  size_t rank = 0;
};

Dims merged_dims(const StridedCopy& copy) {
  Dims dims;
  const auto width = static_cast<int64_t>(copy.element_bytes);
  for (size_t i = 0; i < copy.sizes.size(); ++i) {
    if (copy.sizes[i] == 1) continue;
    const Dim dim{copy.sizes[i], copy.dst_strides[i] * width, copy.src_strides[i] * width};
    Dim* last = dims.rank > 0 ? &dims.values[dims.rank - 1] : nullptr;
    if (last != nullptr && last->dst == dim.size * dim.dst && last->src == dim.size * dim.src) {
      *last = {last->size * dim.size, dim.dst, dim.src};
    } else {
      dims.values[dims.rank++] = dim;
    }
  }
  return dims;
}

template <size_t kWidth>
void copy_elements(std::byte* dst, const std::byte* src, const Dim& dim) {
  for (int64_t i = 0; i < dim.size; ++i) {
    std::memcpy(dst, src, kWidth);
    dst += dim.dst;
    src += dim.src;
  }
}

void copy_row(std::byte* dst, const std::byte* src, const Dim& dim, size_t width) {
  const auto signed_width = static_cast<int64_t>(width);
  if (dim.dst == signed_width && dim.src == signed_width) {
    std::memcpy(dst, src, static_cast<size_t>(dim.size) * width);
    return;
  }
  switch (width) {
    case 1:
      return copy_elements<1>(dst, src, dim);
    case 2:
      return copy_elements<2>(dst, src, dim);
    case 4:
      return copy_elements<4>(dst, src, dim);
    case 8:
      return copy_elements<8>(dst, src, dim);
    default:
      return copy_elements<16>(dst, src, dim);
  }
}

}  // namespace

void copy_strided_on_host(const StridedCopy& copy) {
  if (element_count(copy.sizes) <= 0) return;
  Dims dims = merged_dims(copy);
  if (dims.rank == 0) {
    dims.values[dims.rank++] = {1, static_cast<int64_t>(copy.element_bytes),
                                static_cast<int64_t>(copy.element_bytes)};
  }
  auto* dst = static_cast<std::byte*>(copy.dst);
  const auto* src = static_cast<const std::byte*>(copy.src);
  std::array<int64_t, kMaxRank> index{};
  const size_t outer = dims.rank - 1;
  while (true) {
    copy_row(dst, src, dims.values[outer], copy.element_bytes);
    // The next row: count up the outer dimensions like an odometer.
    size_t d = outer;
    while (d-- > 0) {
      const Dim& dim = dims.values[d];
      dst += dim.dst;
      src += dim.src;
      if (++index[d] < dim.size) break;
      dst -= dim.size * dim.dst;
      src -= dim.size * dim.src;
      index[d] = 0;
      if (d == 0) return;
    }
    if (outer == 0) return;
  }
}

}  // namespace ingot::runtime
