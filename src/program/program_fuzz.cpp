// Feeds arbitrary bytes to the decoder and whatever it accepts to all readers of programs.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "program/codec.h"
#include "program/testing.h"

namespace {

// Starting from nothing, a fuzzer would hardly find the magic number; the mutator of libFuzzer gets
// a real program to work on whenever it offers an empty input.
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  if (size < 16 || seed % 64 == 0) {
    const auto bytes = ingot::program::encode(ingot::program::make_test_program());
    size = bytes.size() < max_size ? bytes.size() : max_size;
    for (size_t i = 0; i < size; ++i) data[i] = static_cast<uint8_t>(bytes[i]);
  }
  return LLVMFuzzerMutate(data, size, max_size);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string broken = ingot::program::exercise_encoded(std::as_bytes(std::span(data, size)));
  if (!broken.empty()) {
    std::fprintf(stderr, "%s\n", broken.c_str());
    std::abort();
  }
  return 0;
}
