// Fuzzes the reader of archives: whatever the bytes of a file, opening and importing it must end in
// a model or a diagnostic.
#include "import/fuzz_archive.h"
#include "import/test_program.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ingot::pt2;
  const std::string content(reinterpret_cast<const char*>(data), size);
  import_fuzzed(content);
  const std::string repaired = with_right_checksums(content);
  if (repaired != content) import_fuzzed(repaired);
  return 0;
}

// Starts from a right archive: the fuzzer would not find one by itself.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int /*seed*/) {
  if (size < 100) {
    const std::string archive = ingot::pt2::linear_program().zip().build();
    if (archive.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
    std::memcpy(data, archive.data(), archive.size());
    size = archive.size();
  }
  return LLVMFuzzerMutate(data, size, max_size);
}
