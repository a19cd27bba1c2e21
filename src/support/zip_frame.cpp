#include "support/zip_frame.h"

#include <algorithm>

namespace ingot {
namespace {

constexpr uint64_t kLocalBytes = 30;
constexpr uint64_t kIn64 = 0xffffffff;  // "the value is in the zip64 field"
constexpr uint64_t kIn64Short = 0xffff;
constexpr uint16_t kVersion = 20;
constexpr uint16_t kVersion64 = 45;
constexpr uint16_t kMadeOnUnix = 3 << 8;
constexpr uint32_t kFileMode = 0100644u << 16;
constexpr uint16_t kFirstOf1980 = (1 << 5) | 1;  // day, month, year - 1980: ZIP's first date
constexpr uint16_t kZip64FieldId = 1;
constexpr uint64_t kZip64LocalBytes = 20;
constexpr uint16_t kAlignFieldId = 0xd935;  // the padding field that zipalign writes as well
constexpr uint64_t kAlignFieldLeast = 6;

class Writer {
 public:
  void u16(uint64_t value) { number(value, 2); }
  void u32(uint64_t value) { number(value, 4); }
  void u64(uint64_t value) { number(value, 8); }
  // The value, or the mark that it is in the zip64 field.
  void u32_or_mark(uint64_t value) { u32(std::min(value, kIn64)); }
  void text(const std::string& value) {
    for (const char c : value) bytes_.push_back(static_cast<std::byte>(c));
  }
  void zeros(uint64_t count) { bytes_.resize(bytes_.size() + count); }
  std::vector<std::byte> take() { return std::move(bytes_); }
  uint64_t size() const { return bytes_.size(); }

 private:
  void number(uint64_t value, int width) {
    for (int i = 0; i < width; ++i) bytes_.push_back(static_cast<std::byte>(value >> (8 * i)));
  }

  std::vector<std::byte> bytes_;
};

bool has_large_size(const ZipRecord& record) {
  return record.stored_bytes >= kIn64 || record.bytes >= kIn64;
}

uint64_t local_zip64_bytes(const ZipRecord& record) {
  return has_large_size(record) ? kZip64LocalBytes : 0;
}

// What local header and directory entry have in common: version to sizes.
void common_fields(const ZipRecord& record, bool zip64, Writer& out) {
  out.u16(zip64 ? kVersion64 : kVersion);
  out.u16(0);  // flags
  out.u16(record.method);
  out.u16(0);  // midnight
  out.u16(kFirstOf1980);
  out.u32(record.crc32);
  out.u32_or_mark(has_large_size(record) ? kIn64 : record.stored_bytes);
  out.u32_or_mark(has_large_size(record) ? kIn64 : record.bytes);
  out.u16(record.name.size());
}

void directory_entry(const ZipRecord& record, Writer& out) {
  const bool large = has_large_size(record);
  const bool far = record.header_offset >= kIn64;
  out.u32(0x02014b50);
  out.u16(kMadeOnUnix | kVersion64);
  common_fields(record, large || far, out);
  const uint64_t payload = (large ? 16 : 0) + (far ? 8 : 0);
  out.u16(payload == 0 ? 0 : 4 + payload);
  out.u16(0);  // comment
  out.u16(0);  // disk
  out.u16(0);  // internal attributes
  out.u32(kFileMode);
  out.u32_or_mark(record.header_offset);
  out.text(record.name);
  if (payload == 0) return;
  out.u16(kZip64FieldId);
  out.u16(payload);
  if (large) out.u64(record.bytes);
  if (large) out.u64(record.stored_bytes);
  if (far) out.u64(record.header_offset);
}

void end64_records(uint64_t count, uint64_t offset, uint64_t bytes, Writer& out) {
  out.u32(0x06064b50);
  out.u64(44);  // bytes that follow
  out.u16(kMadeOnUnix | kVersion64);
  out.u16(kVersion64);
  out.u32(0);
  out.u32(0);
  out.u64(count);
  out.u64(count);
  out.u64(bytes);
  out.u64(offset);
  out.u32(0x07064b50);
  out.u32(0);
  out.u64(offset + bytes);
  out.u32(1);
}

}  // namespace

uint64_t place_zip_records(std::span<ZipRecord> records) {
  uint64_t at = 0;
  for (ZipRecord& record : records) {
    record.header_offset = at;
    const uint64_t least =
        at + kLocalBytes + record.name.size() + local_zip64_bytes(record) + kAlignFieldLeast;
    record.data_offset = (least + kZipAlignment - 1) / kZipAlignment * kZipAlignment;
    at = record.data_offset + record.stored_bytes;
  }
  return at;
}

std::vector<std::byte> zip_local_header(const ZipRecord& record) {
  const uint64_t extra =
      record.data_offset - record.header_offset - kLocalBytes - record.name.size();
  Writer out;
  out.u32(0x04034b50);
  common_fields(record, has_large_size(record), out);
  out.u16(extra);
  out.text(record.name);
  if (has_large_size(record)) {
    out.u16(kZip64FieldId);
    out.u16(kZip64LocalBytes - 4);
    out.u64(record.bytes);
    out.u64(record.stored_bytes);
  }
  const uint64_t padding = extra - local_zip64_bytes(record);
  out.u16(kAlignFieldId);
  out.u16(padding - 4);
  out.u16(kZipAlignment);
  out.zeros(padding - kAlignFieldLeast);
  return out.take();
}

std::vector<std::byte> zip_directory(std::span<const ZipRecord> records, uint64_t offset) {
  Writer out;
  for (const ZipRecord& record : records) directory_entry(record, out);
  const uint64_t bytes = out.size();
  if (records.size() >= kIn64Short || offset >= kIn64 || bytes >= kIn64) {
    end64_records(records.size(), offset, bytes, out);
  }
  out.u32(0x06054b50);
  out.u16(0);
  out.u16(0);
  out.u16(std::min<uint64_t>(records.size(), kIn64Short));
  out.u16(std::min<uint64_t>(records.size(), kIn64Short));
  out.u32_or_mark(bytes);
  out.u32_or_mark(offset);
  out.u16(0);  // comment
  return out.take();
}

}  // namespace ingot
