// Reads the directory of a ZIP file in memory without trusting a byte of it: where each record lies
// and how long it is. Records are read in place; nothing is unpacked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "support/diagnostics.h"
#include "support/status.h"

namespace ingot {

struct ZipEntry {
  std::string name;
  uint64_t header_offset = 0;  // of the local header
  uint64_t data_offset = 0;    // of the bytes; data_offset + stored_bytes is inside the file
  uint64_t stored_bytes = 0;   // as they lie in the file
  uint64_t bytes = 0;          // unpacked; equals stored_bytes when stored
  uint32_t crc32 = 0;          // of the unpacked bytes; not checked here
  uint16_t method = 0;         // 0: stored

  bool is_stored() const { return method == 0; }
};

// The diagnostics under which faults are reported: of the file as a whole, and of one record.
struct ZipDiags {
  Diag file = Diag::kNotAnArchive;
  Diag record = Diag::kArchiveRecord;
};

// The entries in the order of the central directory (zip64 included). Refused: files that are cut
// short or span disks, names that are empty, absolute, repeated or climb out ("../"), encrypted
// records, records that overlap or leave the file, local headers that disagree with the directory.
Result<std::vector<ZipEntry>> read_zip_directory(std::span<const std::byte> file,
                                                 ZipDiags diags = {});

}  // namespace ingot
