// The container of torch.export.save (`.pt2`): finds and checks its records without copying them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/file_map.h"

namespace ingot::pt2 {

// A record's bytes, valid as long as the archive.
struct Record {
  std::string name;  // without the root folder: "data/weights/weight_0"
  std::span<const std::byte> bytes;
  uint32_t crc32 = 0;
  bool is_stored = true;
};

// An archive of the layout that PyTorch 2.9 and later write. Immutable; weights stay mapped.
class Archive {
 public:
  // Throws CompileError: kFileUnreadable; kNotAnArchive or kArchiveRecord for a damaged ZIP file;
  // kArchiveLayout for everything else that is a ZIP file but not such an archive (older layouts,
  // failed saves, AOTInductor packages, TorchScript), each by its name.
  static std::shared_ptr<const Archive> open(const std::string& path);

  const std::string& path() const { return path_; }
  // The names of its programs, sorted; "model" is first if it is among them.
  const std::vector<std::string>& models() const { return models_; }

  // The record of a name without the root folder, or null.
  const Record* find(std::string_view name) const;
  // The record; throws CompileError (kArchiveRecord) if it is missing.
  const Record& get(std::string_view name) const;
  // A text record, its CRC checked. Throws CompileError (kArchiveRecord) if it is missing, damaged
  // or compressed.
  std::string_view text(std::string_view name) const;

  // Compares the records' bytes with their CRCs on `threads` threads (0: as many as there are
  // processors) and drops their pages again. Throws CompileError (kArchiveRecord) naming the first
  // damaged record in the order given.
  void check_crcs(std::span<const Record* const> records, unsigned threads) const;

 private:
  Archive() = default;
  void read_directory();
  void check_markers() const;
  void find_models();

  std::string path_;
  FileMap file_;
  std::map<std::string, Record, std::less<>> records_;
  std::vector<std::string> models_;
};

}  // namespace ingot::pt2
