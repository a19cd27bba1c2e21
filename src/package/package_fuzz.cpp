// Feeds arbitrary bytes to the package reader. As most mutations of a file only reach its
// checksums, an even first byte says that the rest is the program of an otherwise right package.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "package/testing.h"
#include "package/weights_file.h"
#include "program/codec.h"
#include "program/testing.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

using namespace ingot;

// A package with these bytes for its program and weights as the program wants them.
std::vector<std::byte> package_of(std::vector<std::byte> program_bytes) {
  package::PackageHeader header;
  header.plan_version = program::kPlanVersion;
  header.records.resize(1);
  header.records[0].zip.name = package::kProgramName;
  const auto program = program::decode(program_bytes);
  const auto blob = program.ok() ? package::blob_bytes(program->storages) : program.status();
  if (blob.ok() && *blob < 100000) {
    header.weights_id = package::weights_id(program->storages);
    header.weights_bytes = *blob;
    header.records.resize(2);
    header.records[1].zip.name = package::kWeightsName;
    header.records[1].zip.stored_bytes = header.records[1].zip.bytes = *blob;
  }
  return package::assemble(std::move(header), {std::move(program_bytes)});
}

std::vector<std::byte> seed_program() {
  program::Program program = program::make_test_program();
  uint64_t offset = 0;
  for (program::Storage& storage : program.storages) {
    storage.offset = offset;
    offset = (offset + storage.bytes + 63) / 64 * 64;
  }
  return program::encode(program);
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  if (max_size > 1 && (size < 16 || seed % 64 == 0)) {
    const bool whole = seed % 128 == 0;
    const auto bytes = whole ? package_of(seed_program()) : seed_program();
    size = std::min(bytes.size(), max_size - 1) + 1;
    data[0] = whole ? 1 : 0;
    for (size_t i = 1; i < size; ++i) data[i] = static_cast<uint8_t>(bytes[i - 1]);
  }
  return LLVMFuzzerMutate(data, size, max_size);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data + 1, size - 1));
  std::vector<std::byte> file(bytes.begin(), bytes.end());
  if (data[0] % 2 == 0) file = package_of(std::move(file));
  const std::string broken = package::exercise_package(file, nullptr);
  if (!broken.empty()) {
    std::fprintf(stderr, "%s\n", broken.c_str());
    std::abort();
  }
  return 0;
}
