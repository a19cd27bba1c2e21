// Fuzzes the reader of archives: whatever the bytes of a file, opening and importing it must end in
// a model or a diagnostic.
#include "import/fuzz_archive.h"
#include "import/test_program.h"

namespace {

using namespace ingot::pt2;

// A right archive edited as `script` says, five bytes an edit: the fuzzer would not find a ZIP file
// with a program in it by itself.
std::string edited_archive(std::string_view script) {
  std::string archive = linear_program().zip().build();
  for (; script.size() >= 5 && !archive.empty(); script.remove_prefix(5)) {
    uint32_t where = 0;
    std::memcpy(&where, script.data(), 3);
    const size_t at = where % archive.size();
    const char value = script[4];
    switch (script[3] & 7) {
      case 0:
        archive.resize(at);
        break;
      case 1:
        archive.insert(at, 1, value);
        break;
      case 2:
        archive.erase(at, 1);
        break;
      case 3:  // four bytes: sizes and offsets of headers
        for (size_t i = at; i < std::min(at + 4, archive.size()); ++i) archive[i] = value;
        break;
      case 4:
        archive[at] = static_cast<char>(archive[at] + value);
        break;
      default:
        archive[at] = value;
    }
  }
  return archive;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const bool is_file = size > 0 && (data[0] & 1) != 0;
  const std::string content =
      is_file ? std::string(text.substr(1)) : edited_archive(text.substr(size > 0 ? 1 : 0));
  import_fuzzed(content);
  const std::string repaired = with_right_checksums(content);
  if (repaired != content) import_fuzzed(repaired);
  return 0;
}
