#include "package/weights_file.h"

#include <fmt/core.h>
#include <zlib.h>

#include <array>

#include "program/byte_stream.h"
#include "support/diagnostics.h"
#include "support/hash.h"

namespace ingot::package {
namespace {

using program::ByteReader;
using program::ByteWriter;
using program::Storage;

constexpr std::string_view kMagic = "INGOTWTS";
constexpr uint32_t kVersion = 1;
constexpr uint64_t kHashedBytes = 56;

Status bad(std::string message) { return make_status(Diag::kBadPackage, std::move(message)); }

uint64_t align(uint64_t value) {
  return (value + kStorageAlignment - 1) / kStorageAlignment * kStorageAlignment;
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::vector<std::byte> encode_file_header(uint64_t id, uint64_t bytes) {
  ByteWriter out;
  out.append(bytes_of(kMagic));
  out.u32(kVersion);
  out.u32(0);
  out.u64(bytes);
  out.u64(id);
  while (out.size() < kHashedBytes) out.u8(0);
  out.u64(xxh3(out.bytes()));
  return out.take();
}

}  // namespace

std::vector<Storage> place_storages(std::span<const std::span<const std::byte>> bytes) {
  std::vector<Storage> storages;
  uint64_t at = 0;
  for (const std::span<const std::byte> one : bytes) {
    storages.push_back({.offset = at, .bytes = one.size(), .checksum = xxh3(one)});
    at = align(at + one.size());
  }
  return storages;
}

Result<uint64_t> blob_bytes(std::span<const Storage> storages) {
  uint64_t end = 0;
  for (const Storage& storage : storages) {
    if (storage.offset != align(end) || storage.bytes > UINT64_MAX / 2 - storage.offset) {
      return bad("the package's weights overlap or are not aligned");
    }
    end = storage.offset + storage.bytes;
  }
  return end;
}

uint64_t weights_id(std::span<const Storage> storages) {
  ByteWriter out;
  for (const Storage& storage : storages) {
    out.u64(storage.offset);
    out.u64(storage.bytes);
    out.u64(storage.checksum);
  }
  return xxh3(out.bytes());
}

Result<uint32_t> append_blob(AtomicFile& file, std::span<const Storage> storages,
                             std::span<const std::span<const std::byte>> bytes) {
  constexpr std::array<std::byte, kStorageAlignment> kZeros = {};
  uLong crc = 0;
  uint64_t at = 0;
  const auto append = [&](std::span<const std::byte> part) {
    crc = ::crc32_z(crc, reinterpret_cast<const Bytef*>(part.data()), part.size());
    at += part.size();
    return file.append(part);
  };
  for (size_t i = 0; i < storages.size(); ++i) {
    INGOT_RETURN_IF_ERROR(append(std::span(kZeros).first(storages[i].offset - at)));
    INGOT_RETURN_IF_ERROR(append(bytes[i]));
  }
  return static_cast<uint32_t>(crc);
}

Status write_weights_file(const std::string& path, std::span<const Storage> storages,
                          std::span<const std::span<const std::byte>> bytes) {
  INGOT_ASSIGN_OR_RETURN(const uint64_t size, blob_bytes(storages));
  INGOT_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(path));
  INGOT_RETURN_IF_ERROR(file.append(encode_file_header(weights_id(storages), size)));
  const auto crc = append_blob(file, storages, bytes);
  return crc.ok() ? file.commit() : crc.status();
}

Result<std::span<const std::byte>> read_weights_file(std::span<const std::byte> file, uint64_t id,
                                                     uint64_t bytes) {
  ByteReader in(file);
  const std::span<const std::byte> magic = in.take(kMagic.size());
  const uint32_t version = in.u32();
  in.u32();
  const uint64_t stated_bytes = in.u64();
  const uint64_t stated_id = in.u64();
  if (in.failed() || !std::ranges::equal(magic, bytes_of(kMagic))) {
    return bad("it is not a weights file");
  }
  if (version != kVersion) {
    return make_status(
        Diag::kPackageVersion,
        fmt::format("it has version {}, this build of Ingot reads version {}", version, kVersion));
  }
  if (file.size() < kWeightsFileHeaderBytes ||
      !std::ranges::equal(file.first(kWeightsFileHeaderBytes),
                          encode_file_header(stated_id, stated_bytes))) {
    return bad("its header is damaged");
  }
  if (stated_bytes != file.size() - kWeightsFileHeaderBytes) {
    return bad(fmt::format("it has {} bytes of weights where its header says {}",
                           file.size() - kWeightsFileHeaderBytes, stated_bytes));
  }
  if (stated_id != id || stated_bytes != bytes) return bad("it belongs to another package");
  return file.subspan(kWeightsFileHeaderBytes);
}

std::string weights_path_of(const std::string& package_path) {
  constexpr std::string_view kExtension = ".ingot";
  const bool named = package_path.ends_with(kExtension);
  return package_path.substr(0, package_path.size() - (named ? kExtension.size() : 0)) + ".weights";
}

}  // namespace ingot::package
