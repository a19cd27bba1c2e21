// Any bytes give an array or an error.
#include <cstdint>

#include "arrays/array.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto result =
      ingot::arrays::parse_npy({reinterpret_cast<const std::byte*>(data), size}, "fuzz");
  // What was read formats and reads back the same.
  if (result.ok()) {
    const auto again = ingot::arrays::parse_npy(ingot::arrays::format_npy(*result), "fuzz");
    if (!again.ok() || again->bytes != result->bytes) __builtin_trap();
  }
  return 0;
}
