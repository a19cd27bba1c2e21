// Arrays in NumPy's files: .npy (one) and .npz (several, by name).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/dtype.h"
#include "support/status.h"

namespace ingot::arrays {

// Row-major and little-endian. Types that NumPy lacks are bits in a file: bfloat16 is read as i16
// (or u16), float8 as u8; whoever knows better sets `dtype` to another type of that width.
struct Array {
  DType dtype = DType::kF32;
  std::vector<int64_t> sizes;
  std::vector<std::byte> bytes;  // as many as the sizes say
};

struct NamedArray {
  std::string name;  // without ".npy"
  Array array;
};

// Any byte order and either memory order is read; object, structured, text and date arrays are
// refused. `name` is for messages. Fails with kFileUnreadable or kArrayFile.
Result<Array> parse_npy(std::span<const std::byte> file, std::string_view name);
Result<Array> read_npy(const std::string& path);
// In the order of the file; checks each record's CRC. Compressed files are read too.
Result<std::vector<NamedArray>> read_npz(const std::string& path);

// The bytes of a .npy file; equal arrays give equal bytes.
std::vector<std::byte> format_npy(const Array& array);
Status write_npy(const std::string& path, const Array& array);
Status write_npz(const std::string& path, std::span<const NamedArray> arrays);

}  // namespace ingot::arrays
