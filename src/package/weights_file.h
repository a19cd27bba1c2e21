// The bytes that weights are views of: how storages lie in a blob, and the file of their own that
// the blob may be in (NAME.weights).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "program/program.h"
#include "support/atomic_file.h"
#include "support/status.h"

namespace ingot::package {

// The blob begins this far into a weights file.
inline constexpr uint64_t kWeightsFileHeaderBytes = 64;
inline constexpr uint64_t kStorageAlignment = 64;

// One storage behind the other, aligned and with checksums.
std::vector<program::Storage> place_storages(std::span<const std::span<const std::byte>> bytes);

// The size of the blob, or kBadPackage when the storages are not aligned, in order and apart.
Result<uint64_t> blob_bytes(std::span<const program::Storage> storages);

// A number that differs for other contents or another layout.
uint64_t weights_id(std::span<const program::Storage> storages);

// Appends the blob to `file`, straight from where the bytes lie, and gives its CRC-32.
Result<uint32_t> append_blob(AtomicFile& file, std::span<const program::Storage> storages,
                             std::span<const std::span<const std::byte>> bytes);

Status write_weights_file(const std::string& path, std::span<const program::Storage> storages,
                          std::span<const std::span<const std::byte>> bytes);

// The blob inside a mapped weights file. kBadPackage when the file is not a weights file, has
// another size than it says, or belongs to another package.
Result<std::span<const std::byte>> read_weights_file(std::span<const std::byte> file, uint64_t id,
                                                     uint64_t bytes);

// "dir/NAME.weights" for the package "dir/NAME.ingot".
std::string weights_path_of(const std::string& package_path);

}  // namespace ingot::package
