#include "support/zip_directory.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

namespace ingot {
namespace {

constexpr uint32_t kLocalMagic = 0x04034b50;
constexpr uint32_t kCentralMagic = 0x02014b50;
constexpr uint32_t kEndMagic = 0x06054b50;
constexpr uint32_t kEnd64Magic = 0x06064b50;
constexpr uint32_t kLocator64Magic = 0x07064b50;
constexpr uint64_t kLocalBytes = 30;
constexpr uint64_t kCentralBytes = 46;
constexpr uint64_t kEndBytes = 22;
constexpr uint64_t kEnd64Bytes = 56;
constexpr uint64_t kLocator64Bytes = 20;
constexpr uint64_t kMaxCommentBytes = 0xffff;
constexpr uint32_t kIn64 = 0xffffffff;  // "the value is in the zip64 field"
constexpr uint16_t kIn64Short = 0xffff;
constexpr uint16_t kZip64FieldId = 1;
constexpr uint16_t kEncryptedFlag = 1;
constexpr uint16_t kDescriptorFlag = 8;  // the local header leaves CRC and sizes to the directory

// Where the central directory lies.
struct Directory {
  uint64_t offset = 0;
  uint64_t bytes = 0;
  uint64_t entries = 0;
};

class Reader {
 public:
  Reader(std::span<const std::byte> file, ZipDiags diags) : file_(file), diags_(diags) {}

  Result<std::vector<ZipEntry>> read() const;

 private:
  // Little-endian integers; the caller has checked that they are inside the file.
  template <typename T>
  T load(uint64_t offset) const {
    T value;
    std::memcpy(&value, file_.data() + offset, sizeof(value));
    return value;
  }
  bool holds(uint64_t offset, uint64_t bytes) const {
    return offset <= file_.size() && bytes <= file_.size() - offset;
  }
  std::string_view text(uint64_t offset, uint64_t bytes) const {
    return {reinterpret_cast<const char*>(file_.data()) + offset, bytes};
  }
  Status bad_file(std::string message) const {
    return make_status(diags_.file, std::move(message));
  }
  Status bad_record(std::string_view name, std::string_view why) const {
    // The name comes from the file: keep the message short and printable.
    std::string shown(name.substr(0, 120));
    for (char& c : shown) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    }
    return make_status(diags_.record, fmt::format("record '{}' {}", shown, why));
  }

  std::optional<uint64_t> find_end() const;
  Result<Directory> read_end(uint64_t end) const;
  Result<Directory> read_end64(uint64_t end) const;
  Result<ZipEntry> read_central(uint64_t offset, uint64_t limit, uint64_t& next) const;
  Status read_zip64_field(std::string_view extra, ZipEntry& entry) const;
  Status read_local(const Directory& directory, uint16_t flags, ZipEntry& entry) const;
  Status check_names(const std::vector<ZipEntry>& entries) const;
  Status check_overlaps(const std::vector<ZipEntry>& entries) const;

  std::span<const std::byte> file_;
  ZipDiags diags_;
};

std::optional<uint64_t> Reader::find_end() const {
  if (file_.size() < kEndBytes) return std::nullopt;
  const uint64_t last = file_.size() - kEndBytes;
  const uint64_t first = last > kMaxCommentBytes ? last - kMaxCommentBytes : 0;
  for (uint64_t at = last + 1; at-- > first;) {
    // The comment must reach exactly to the end of the file, so that no other reader can find
    // another directory behind it.
    if (load<uint32_t>(at) == kEndMagic && load<uint16_t>(at + 20) == last - at) return at;
  }
  return std::nullopt;
}

Result<Directory> Reader::read_end64(uint64_t end) const {
  if (end < kLocator64Bytes || load<uint32_t>(end - kLocator64Bytes) != kLocator64Magic) {
    return bad_file("the ZIP file's zip64 locator is missing");
  }
  const uint64_t at = load<uint64_t>(end - kLocator64Bytes + 8);
  if (at > end || !holds(at, kEnd64Bytes) || load<uint32_t>(at) != kEnd64Magic) {
    return bad_file("the ZIP file's zip64 end record is missing");
  }
  if (load<uint32_t>(at + 16) != 0 || load<uint32_t>(at + 20) != 0 ||
      load<uint64_t>(at + 24) != load<uint64_t>(at + 32)) {
    return bad_file("the ZIP file is one part of several");
  }
  return Directory{
      .offset = load<uint64_t>(at + 48),
      .bytes = load<uint64_t>(at + 40),
      .entries = load<uint64_t>(at + 32),
  };
}

Result<Directory> Reader::read_end(uint64_t end) const {
  Directory directory{
      .offset = load<uint32_t>(end + 16),
      .bytes = load<uint32_t>(end + 12),
      .entries = load<uint16_t>(end + 10),
  };
  if (directory.offset == kIn64 || directory.bytes == kIn64 || directory.entries == kIn64Short) {
    INGOT_ASSIGN_OR_RETURN(directory, read_end64(end));
  } else if (load<uint16_t>(end + 4) != 0 || load<uint16_t>(end + 6) != 0 ||
             load<uint16_t>(end + 8) != directory.entries) {
    return bad_file("the ZIP file is one part of several");
  }
  if (directory.offset > end || directory.bytes > end - directory.offset ||
      directory.entries > directory.bytes / kCentralBytes) {
    return bad_file("the ZIP file's directory lies outside the file: it is damaged or cut short");
  }
  return directory;
}

Status Reader::read_zip64_field(std::string_view extra, ZipEntry& entry) const {
  const bool needed =
      entry.bytes == kIn64 || entry.stored_bytes == kIn64 || entry.header_offset == kIn64;
  if (!needed) return ok_status();
  const auto* base = reinterpret_cast<const char*>(file_.data());
  while (extra.size() >= 4) {
    const uint64_t at = static_cast<uint64_t>(extra.data() - base);
    const uint16_t id = load<uint16_t>(at);
    const uint64_t bytes = load<uint16_t>(at + 2);
    if (bytes > extra.size() - 4) break;
    if (id != kZip64FieldId) {
      extra.remove_prefix(4 + bytes);
      continue;
    }
    // Holds, in this order, only the values whose 32-bit field is full.
    uint64_t used = 0;
    for (uint64_t* value : {&entry.bytes, &entry.stored_bytes, &entry.header_offset}) {
      if (*value != kIn64) continue;
      if (used + 8 > bytes) return bad_record(entry.name, "has a zip64 field that is too short");
      *value = load<uint64_t>(at + 4 + used);
      used += 8;
    }
    return ok_status();
  }
  return bad_record(entry.name, "lacks its zip64 field");
}

Status Reader::read_local(const Directory& directory, uint16_t flags, ZipEntry& entry) const {
  const uint64_t at = entry.header_offset;
  if (at > directory.offset || directory.offset - at < kLocalBytes ||
      load<uint32_t>(at) != kLocalMagic) {
    return bad_record(entry.name, "has no local header where the directory says");
  }
  const uint64_t name_bytes = load<uint16_t>(at + 26);
  const uint64_t extra_bytes = load<uint16_t>(at + 28);
  const uint64_t available = directory.offset - at - kLocalBytes;
  if (name_bytes + extra_bytes > available ||
      entry.stored_bytes > available - name_bytes - extra_bytes) {
    return bad_record(entry.name, "reaches beyond the end of the file");
  }
  if (text(at + kLocalBytes, name_bytes) != entry.name || load<uint16_t>(at + 6) != flags ||
      load<uint16_t>(at + 8) != entry.method) {
    return bad_record(entry.name, "has a local header that disagrees with the directory");
  }
  if ((flags & kDescriptorFlag) == 0) {
    const uint32_t stored = load<uint32_t>(at + 18);
    const uint32_t bytes = load<uint32_t>(at + 22);
    if (load<uint32_t>(at + 14) != entry.crc32 ||
        (stored != kIn64 && stored != entry.stored_bytes) ||
        (bytes != kIn64 && bytes != entry.bytes)) {
      return bad_record(entry.name, "has a local header that disagrees with the directory");
    }
  }
  entry.data_offset = at + kLocalBytes + name_bytes + extra_bytes;
  return ok_status();
}

Result<ZipEntry> Reader::read_central(uint64_t offset, uint64_t limit, uint64_t& next) const {
  if (limit - offset < kCentralBytes || load<uint32_t>(offset) != kCentralMagic) {
    return bad_file("the ZIP file's directory is damaged");
  }
  const uint64_t name_bytes = load<uint16_t>(offset + 28);
  const uint64_t extra_bytes = load<uint16_t>(offset + 30);
  const uint64_t comment_bytes = load<uint16_t>(offset + 32);
  if (name_bytes + extra_bytes + comment_bytes > limit - offset - kCentralBytes) {
    return bad_file("the ZIP file's directory is damaged");
  }
  ZipEntry entry{
      .name = std::string(text(offset + kCentralBytes, name_bytes)),
      .header_offset = load<uint32_t>(offset + 42),
      .stored_bytes = load<uint32_t>(offset + 20),
      .bytes = load<uint32_t>(offset + 24),
      .crc32 = load<uint32_t>(offset + 16),
      .method = load<uint16_t>(offset + 10),
  };
  next = offset + kCentralBytes + name_bytes + extra_bytes + comment_bytes;
  const std::string_view extra = text(offset + kCentralBytes + name_bytes, extra_bytes);
  INGOT_RETURN_IF_ERROR(read_zip64_field(extra, entry));
  if (load<uint16_t>(offset + 34) != 0) return bad_record(entry.name, "is on another disk");
  if (load<uint16_t>(offset + 8) & kEncryptedFlag) return bad_record(entry.name, "is encrypted");
  if (entry.is_stored() && entry.bytes != entry.stored_bytes) {
    return bad_record(entry.name, "is stored but has two different sizes");
  }
  return entry;
}

// True for a relative path of plain components.
bool is_safe_name(std::string_view name) {
  if (name.empty() || name.front() == '/') return false;
  if (name.find('\\') != name.npos || name.find('\0') != name.npos) return false;
  while (!name.empty()) {
    const size_t slash = name.find('/');
    const std::string_view part = name.substr(0, slash);
    if (part == ".." || part == "." || part.empty()) return false;
    if (slash == name.npos) break;
    name.remove_prefix(slash + 1);
  }
  return true;
}

Status Reader::check_names(const std::vector<ZipEntry>& entries) const {
  std::vector<std::string_view> names;
  names.reserve(entries.size());
  for (const ZipEntry& entry : entries) {
    if (!is_safe_name(entry.name)) {
      return bad_record(entry.name, "has a name that is not a plain relative path");
    }
    names.push_back(entry.name);
  }
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) return bad_record(*twice, "is there more than once");
  return ok_status();
}

Status Reader::check_overlaps(const std::vector<ZipEntry>& entries) const {
  std::vector<const ZipEntry*> by_offset;
  by_offset.reserve(entries.size());
  for (const ZipEntry& entry : entries) by_offset.push_back(&entry);
  std::sort(by_offset.begin(), by_offset.end(), [](const ZipEntry* a, const ZipEntry* b) {
    return a->header_offset < b->header_offset;
  });
  for (size_t i = 1; i < by_offset.size(); ++i) {
    const ZipEntry& before = *by_offset[i - 1];
    if (before.data_offset + before.stored_bytes > by_offset[i]->header_offset) {
      return bad_record(before.name, "overlaps record '" + by_offset[i]->name + "'");
    }
  }
  return ok_status();
}

Result<std::vector<ZipEntry>> Reader::read() const {
  if (file_.empty()) return bad_file("the file is empty");
  const std::optional<uint64_t> end = find_end();
  if (!end) {
    const bool begins_as_zip = file_.size() >= 4 && load<uint32_t>(0) == kLocalMagic;
    return bad_file(begins_as_zip ? "the ZIP file is cut short: its directory is missing"
                                  : "the file is not a ZIP archive");
  }
  INGOT_ASSIGN_OR_RETURN(const Directory directory, read_end(*end));
  std::vector<ZipEntry> entries;
  entries.reserve(directory.entries);
  uint64_t at = directory.offset;
  const uint64_t limit = directory.offset + directory.bytes;
  for (uint64_t i = 0; i < directory.entries; ++i) {
    const uint16_t flags = limit - at >= kCentralBytes ? load<uint16_t>(at + 8) : uint16_t{0};
    INGOT_ASSIGN_OR_RETURN(ZipEntry entry, read_central(at, limit, at));
    INGOT_RETURN_IF_ERROR(read_local(directory, flags, entry));
    entries.push_back(std::move(entry));
  }
  if (at != limit) return bad_file("the ZIP file's directory has an unexpected length");
  INGOT_RETURN_IF_ERROR(check_names(entries));
  INGOT_RETURN_IF_ERROR(check_overlaps(entries));
  return entries;
}

}  // namespace

Result<std::vector<ZipEntry>> read_zip_directory(std::span<const std::byte> file, ZipDiags diags) {
  return Reader(file, diags).read();
}

}  // namespace ingot
