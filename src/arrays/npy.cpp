#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "arrays/array.h"
#include "arrays/npy_header.h"
#include "support/atomic_file.h"
#include "support/diagnostics.h"
#include "support/file_map.h"

namespace ingot::arrays {
namespace {

void swap_bytes(std::vector<std::byte>& bytes, size_t width) {
  for (size_t i = 0; i + width <= bytes.size(); i += width) {
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                 bytes.begin() + static_cast<std::ptrdiff_t>(i + width));
  }
}

// Column-major elements in row-major order.
std::vector<std::byte> reorder(std::span<const std::byte> bytes, std::span<const int64_t> sizes,
                               size_t width) {
  std::vector<std::byte> result(bytes.size());
  std::vector<int64_t> strides(sizes.size());
  int64_t stride = 1;
  for (size_t d = 0; d < sizes.size(); ++d) {
    strides[d] = stride;
    stride *= sizes[d];
  }
  std::vector<int64_t> index(sizes.size(), 0);
  int64_t source = 0;
  for (size_t at = 0; at < result.size(); at += width) {
    std::memcpy(result.data() + at, bytes.data() + static_cast<size_t>(source) * width, width);
    for (size_t d = sizes.size(); d-- > 0;) {
      source += strides[d];
      if (++index[d] < sizes[d]) break;
      source -= sizes[d] * strides[d];
      index[d] = 0;
    }
  }
  return result;
}

std::string_view descr_of(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return "|b1";
    case DType::kI8:
      return "|i1";
    case DType::kU8:
    case DType::kF8E4M3:
    case DType::kF8E5M2:
    case DType::kF8E4M3Fnuz:
    case DType::kF8E5M2Fnuz:
    case DType::kF8E8M0:
      return "|u1";
    case DType::kI16:
    case DType::kBF16:
      return "<i2";
    case DType::kU16:
      return "<u2";
    case DType::kI32:
      return "<i4";
    case DType::kU32:
    case DType::kC32:
      return "<u4";
    case DType::kI64:
      return "<i8";
    case DType::kU64:
      return "<u8";
    case DType::kF16:
      return "<f2";
    case DType::kF32:
      return "<f4";
    case DType::kF64:
      return "<f8";
    case DType::kC64:
      return "<c8";
    case DType::kC128:
      return "<c16";
  }
  return "|u1";
}

}  // namespace

Result<Array> parse_npy(std::span<const std::byte> file, std::string_view name) {
  INGOT_ASSIGN_OR_RETURN(const NpyHeader header, parse_npy_header(file, name));
  const std::span<const std::byte> data = file.subspan(header.bytes);
  const auto width = static_cast<uint64_t>(size_of(header.dtype));
  uint64_t bytes = width;
  bool fits = true;
  for (const int64_t size : header.sizes) {
    fits = fits && !__builtin_mul_overflow(bytes, static_cast<uint64_t>(size), &bytes);
  }
  if (!fits || bytes != data.size()) {
    return make_status(Diag::kArrayFile,
                       fmt::format("{}: the file holds {} bytes of elements, its shape needs {}",
                                   name, data.size(), fits ? std::to_string(bytes) : "far more"));
  }
  Array array{header.dtype, header.sizes, {data.begin(), data.end()}};
  if (header.fortran_order) array.bytes = reorder(array.bytes, array.sizes, width);
  if (header.big_endian) {
    const bool is_complex = header.dtype == DType::kC64 || header.dtype == DType::kC128;
    swap_bytes(array.bytes, is_complex ? width / 2 : width);
  }
  return array;
}

Result<Array> read_npy(const std::string& path) {
  INGOT_ASSIGN_OR_RETURN(const FileMap file, FileMap::open(path));
  return parse_npy(file.bytes(), path);
}

std::vector<std::byte> format_npy(const Array& array) {
  std::string shape;
  for (const int64_t size : array.sizes) shape += std::to_string(size) + ", ";
  if (array.sizes.size() > 1) shape.resize(shape.size() - 2);
  if (array.sizes.size() == 1) shape.resize(shape.size() - 1);
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                                 descr_of(array.dtype), shape);
  // The elements start at a multiple of 64, as NumPy writes them.
  constexpr size_t kPrefix = 10;
  text.resize((kPrefix + text.size() + 1 + 63) / 64 * 64 - kPrefix - 1, ' ');
  text += '\n';
  const std::string prefix = {'\x93',
                              'N',
                              'U',
                              'M',
                              'P',
                              'Y',
                              '\x01',
                              '\x00',
                              static_cast<char>(text.size() & 0xff),
                              static_cast<char>(text.size() >> 8)};
  std::vector<std::byte> file(prefix.size() + text.size() + array.bytes.size());
  std::memcpy(file.data(), prefix.data(), prefix.size());
  std::memcpy(file.data() + prefix.size(), text.data(), text.size());
  if (!array.bytes.empty()) {
    std::memcpy(file.data() + prefix.size() + text.size(), array.bytes.data(), array.bytes.size());
  }
  return file;
}

Status write_npy(const std::string& path, const Array& array) {
  return write_file(path, format_npy(array));
}

}  // namespace ingot::arrays
