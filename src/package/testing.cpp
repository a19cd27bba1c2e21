#include "package/testing.h"

#include <algorithm>

#include "package/package.h"
#include "package/weights_file.h"
#include "program/codec.h"
#include "program/testing.h"
#include "support/diagnostics.h"
#include "support/hash.h"

namespace ingot::package {
namespace {

void append(std::vector<std::byte>& file, std::span<const std::byte> bytes) {
  file.insert(file.end(), bytes.begin(), bytes.end());
}

bool is_refusal(const Status& status) {
  const auto id = static_cast<Diag>(status.id());
  return id == Diag::kBadPackage || id == Diag::kPackageVersion || id == Diag::kWeightsMissing;
}

// The program with the storages as the writer places them.
program::Program placed(const TestPackage& package) {
  program::Program program = package.program;
  const std::vector<std::span<const std::byte>> spans(package.storages.begin(),
                                                      package.storages.end());
  program.storages = place_storages(spans);
  return program;
}

}  // namespace

TestPackage::TestPackage()
    : program(program::make_test_program()), storages(program::make_test_storages(program)) {
  for (int i = 0; i < 500; ++i) image.push_back(static_cast<std::byte>(i * i >> 3));
}

PackageContents TestPackage::contents() const {
  return {.program = &program,
          .storages = {storages.begin(), storages.end()},
          .images = {{"topk_sm_80.cubin", image}, {"a.ptx", std::span(image).first(100)}},
          .manifest = "{\"producer\": \"ingot test\"}\n"};
}

std::vector<std::byte> assemble(PackageHeader header, std::vector<std::vector<std::byte>> data) {
  data.resize(header.records.size());
  for (size_t i = 0; i < data.size(); ++i) {
    PackageRecord& record = header.records[i];
    if (record.zip.name == kWeightsName) {
      data[i].resize(record.zip.stored_bytes);
      continue;
    }
    if (record.zip.stored_bytes == 0) record.zip.stored_bytes = data[i].size();
    if (record.zip.bytes == 0) record.zip.bytes = data[i].size();
    if (record.hash == 0) record.hash = xxh3(data[i]);
    if (record.zip.crc32 == 0) record.zip.crc32 = crc32_of(data[i]);
  }
  const std::vector<std::byte> encoded = encode_header(header);
  const PackageFrame frame = place_records(header, encoded);
  std::vector<std::byte> file = zip_local_header(frame.header);
  append(file, encoded);
  for (size_t i = 0; i < data.size(); ++i) {
    append(file, zip_local_header(header.records[i].zip));
    append(file, data[i]);
  }
  append(file, encode_directory(header, frame));
  return file;
}

std::string exercise_package(std::span<const std::byte> file, const TestPackage* expected) {
  auto package = open_package_bytes(file);
  if (!package.ok()) {
    return is_refusal(package.status()) ? "" : "another error: " + package.status().message();
  }
  (void)package->manifest();
  bool intact = package->has_weights();
  for (size_t i = 0; i < package->storage_count(); ++i) {
    intact = package->verify_storage(i).ok() && intact;
  }
  std::vector<std::vector<std::byte>> images;
  for (const std::string& name : package->image_names()) {
    const auto image = package->image(name);
    if (image.ok()) images.push_back(*image);
  }
  if (expected == nullptr || !intact) return "";
  if (program::encode(package->program()) != program::encode(placed(*expected))) {
    return "opens with another program";
  }
  for (size_t i = 0; i < package->storage_count(); ++i) {
    if (!std::ranges::equal(package->storage(i), expected->storages[i])) {
      return "verifies with other weights";
    }
  }
  if (images.size() != 2 || images[1] != expected->image) return "has another kernel image";
  return "";
}

}  // namespace ingot::package
