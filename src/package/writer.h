// Writes packages. Equal contents give equal bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "package/header.h"
#include "program/program.h"
#include "support/status.h"

namespace ingot::package {

// A device image, named by its content: letters, digits, '.', '_' and '-'.
struct KernelImage {
  std::string name;
  std::span<const std::byte> bytes;
};

// All spans are borrowed for the call.
struct PackageContents {
  const program::Program* program = nullptr;         // its storages are replaced by those below
  std::vector<std::span<const std::byte>> storages;  // one per Program::storages, of its size
  std::vector<KernelImage> images;
  std::string manifest;  // JSON, for people
  WeightsPlace weights = WeightsPlace::kInside;
  bool with_debug = true;           // whether Program::locations go in
  uint32_t oldest_cuda_driver = 0;  // see PackageHeader
};

// Writes `path` and, for kBeside, the weights file next to it. Weights go from where they lie to
// the file without a copy in memory. A file appears whole or not at all. Fails with
// kFileUnwritable, or kInternal for contents that do not fit together.
Status write_package(const std::string& path, const PackageContents& contents);

}  // namespace ingot::package
