// Everything of a ZIP file but the bytes of its records: local headers that align what follows them
// and the directory. All of it follows from the list of records, so equal lists give equal bytes,
// and a reader that has the list can compare instead of parse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ingot {

// Data of records starts at multiples of this.
inline constexpr uint64_t kZipAlignment = 64;

inline constexpr uint16_t kZipStored = 0;
inline constexpr uint16_t kZipDeflated = 8;

struct ZipRecord {
  std::string name;
  uint16_t method = kZipStored;
  uint32_t crc32 = 0;         // of the unpacked bytes
  uint64_t stored_bytes = 0;  // as they lie in the file
  uint64_t bytes = 0;         // unpacked
  uint64_t header_offset = 0;
  uint64_t data_offset = 0;
};

// Sets the offsets of `records`, one directly behind the other; gives the offset of the directory.
uint64_t place_zip_records(std::span<ZipRecord> records);

// The bytes from header_offset to data_offset.
std::vector<std::byte> zip_local_header(const ZipRecord& record);

// The bytes behind the last record: directory and end records, in zip64 form where needed.
std::vector<std::byte> zip_directory(std::span<const ZipRecord> records, uint64_t offset);

}  // namespace ingot
