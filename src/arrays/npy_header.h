// The text at the start of a .npy file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "support/dtype.h"
#include "support/status.h"

namespace ingot::arrays {

struct NpyHeader {
  DType dtype = DType::kF32;
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<int64_t> sizes;  // not negative, at most 64
  size_t bytes = 0;            // of the header; the elements follow
};

// Fails with kArrayFile; `name` is for messages.
Result<NpyHeader> parse_npy_header(std::span<const std::byte> file, std::string_view name);

}  // namespace ingot::arrays
