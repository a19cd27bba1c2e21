// Fuzzes the parser of textual IR: no text may crash it, and what it takes must print and parse
// back to the same text.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ir/test_operators.h"
#include "ir/text.h"
#include "support/diagnostics.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ingot;
  std::string printed;
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    printed = to_string(*ir::parse_model(text, ir::find_test_operator));
  } catch (const CompileError&) {
    return 0;
  }
  if (to_string(*ir::parse_model(printed, ir::find_test_operator)) != printed) std::abort();
  return 0;
}
