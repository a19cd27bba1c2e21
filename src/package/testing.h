// The test program as a package, and hand-made packages that a writer would not write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "package/header.h"
#include "package/writer.h"
#include "program/program.h"

namespace ingot::package {

// Owns what PackageContents borrows.
struct TestPackage {
  TestPackage();
  PackageContents contents() const;

  program::Program program;
  std::vector<std::vector<std::byte>> storages;
  std::vector<std::byte> image;
};

// A file with the given records, whose sizes, hashes and CRCs are taken from `data` unless the
// header has them already; for the weights, give their sizes and no data.
std::vector<std::byte> assemble(PackageHeader header, std::vector<std::vector<std::byte>> data);

// Opens bytes of any origin and looks at everything in them. Gives "" or the promise that was
// broken. `expected` is the intact package: what opens and verifies must have its program and
// weights; null for any.
std::string exercise_package(std::span<const std::byte> file, const TestPackage* expected);

}  // namespace ingot::package
