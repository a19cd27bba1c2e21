// Opens packages: a mapped file whose every byte but the weights has been checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "package/header.h"
#include "program/program.h"
#include "support/file_map.h"
#include "support/status.h"

namespace ingot::package {

struct OpenOptions {
  // The weights file, instead of the weights inside the package or next to it.
  std::string weights_path;
  // When false, a package whose weights are elsewhere opens without them.
  bool need_weights = true;
};

// Immutable; may be used from several threads. Spans are valid as long as the package, and do not
// move with it.
class Package {
 public:
  const PackageHeader& header() const { return header_; }
  // Valid, as program::validate says; with locations unless they were stripped.
  const program::Program& program() const { return program_; }
  // Leaves an empty program behind. Everything else stays usable.
  program::Program take_program() { return std::move(program_); }

  bool has_weights() const { return has_weights_; }
  size_t storage_count() const { return storages_.size(); }
  // The bytes of Program::storages[i], 64-byte aligned; empty without weights.
  std::span<const std::byte> storage(size_t i) const;
  // Compares with the checksum; kBadPackage names the first weight that uses a damaged storage.
  // Reads all its bytes: call it for different storages from several threads.
  Status verify_storage(size_t i) const;

  // The names below kernels/, sorted.
  std::vector<std::string> image_names() const;
  // Unpacked. kBadPackage when there is no such image.
  Result<std::vector<std::byte>> image(std::string_view name) const;
  // The JSON text for people, or kBadPackage when it is damaged, which nothing else notices.
  Result<std::string_view> manifest() const;

 private:
  friend Result<Package> open_package_bytes(std::span<const std::byte> file);
  friend Result<Package> open_package(const std::string& path, const OpenOptions& options);
  Package() = default;
  static Result<Package> open(std::span<const std::byte> file);
  Status open_weights(const std::string& package_path, const OpenOptions& options);

  FileMap file_map_;
  FileMap weights_map_;
  std::span<const std::byte> file_;
  std::span<const std::byte> weights_;
  bool has_weights_ = false;
  PackageHeader header_;
  program::Program program_;
  std::vector<program::Storage> storages_;
  std::vector<std::string> storage_users_;  // a weight's name for each
};

// Maps and checks the file. Fails with kFileUnreadable, kBadPackage, kPackageVersion or
// kWeightsMissing; the message names the file.
Result<Package> open_package(const std::string& path, const OpenOptions& options = {});

// The same for a package in memory, which must outlive the result. Its weights must be inside.
Result<Package> open_package_bytes(std::span<const std::byte> file);

}  // namespace ingot::package
