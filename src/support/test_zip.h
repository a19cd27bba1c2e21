// Builds ZIP files for tests the way PyTorch writes them (stored, 64-byte aligned, sizes only in
// the central directory), with every field open to being wrong.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ingot {

struct TestZipRecord {
  std::string name;
  std::string data;
  uint16_t method = 0;
  uint16_t flags = 0x0808;
  // What the headers say when it is not the truth.
  std::optional<std::string> local_name;
  std::optional<uint32_t> crc;
  std::optional<uint32_t> bytes;
  std::optional<uint32_t> stored_bytes;
  std::optional<uint32_t> header_offset;
  std::string central_extra;
};

struct TestZip {
  std::vector<TestZipRecord> records;
  std::string comment;
  std::optional<uint32_t> directory_offset;
  std::optional<uint32_t> directory_bytes;
  std::optional<uint16_t> entries;
  uint16_t disk = 0;
  bool zip64 = false;  // the end record refers to a zip64 one

  TestZipRecord& add(std::string name, std::string data) {
    records.push_back({std::move(name), std::move(data), 0, 0x0808, {}, {}, {}, {}, {}, {}});
    return records.back();
  }

  std::string build() const;
};

namespace test_zip {

// The low bytes of a number, little-endian.
template <typename T>
void put(std::string& out, uint64_t value) {
  for (size_t i = 0; i < sizeof(T); ++i) out += static_cast<char>(value >> (8 * i));
}

inline uint32_t crc_of(const std::string& data) {
  return static_cast<uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size()));
}

inline void put_local(std::string& out, const TestZipRecord& record) {
  const std::string& name = record.local_name ? *record.local_name : record.name;
  const size_t payload = out.size() + 30 + name.size() + 4;
  const size_t padding = (64 - payload % 64) % 64;
  put<uint32_t>(out, 0x04034b50);
  put<uint16_t>(out, 0);
  put<uint16_t>(out, record.flags);
  put<uint16_t>(out, record.method);
  put<uint32_t>(out, 0);
  const bool has_descriptor = (record.flags & 8) != 0;
  put<uint32_t>(out, has_descriptor ? 0 : crc_of(record.data));
  put<uint32_t>(out, has_descriptor ? 0 : record.data.size());
  put<uint32_t>(out, has_descriptor ? 0 : record.data.size());
  put<uint16_t>(out, name.size());
  put<uint16_t>(out, padding + 4);
  out += name + "FB";
  put<uint16_t>(out, padding);
  out += std::string(padding, 'Z') + record.data;
  if (!has_descriptor) return;
  put<uint32_t>(out, 0x08074b50);
  put<uint32_t>(out, crc_of(record.data));
  put<uint32_t>(out, record.data.size());
  put<uint32_t>(out, record.data.size());
}

inline void put_central(std::string& out, const TestZipRecord& record, size_t offset) {
  const auto size = static_cast<uint32_t>(record.data.size());
  put<uint32_t>(out, 0x02014b50);
  put<uint32_t>(out, 0);
  put<uint16_t>(out, record.flags);
  put<uint16_t>(out, record.method);
  put<uint32_t>(out, 0);
  put<uint32_t>(out, record.crc.value_or(crc_of(record.data)));
  put<uint32_t>(out, record.stored_bytes.value_or(size));
  put<uint32_t>(out, record.bytes.value_or(size));
  put<uint16_t>(out, record.name.size());
  put<uint16_t>(out, record.central_extra.size());
  put<uint16_t>(out, 0);
  put<uint16_t>(out, 0);
  put<uint16_t>(out, 0);
  put<uint32_t>(out, 0);
  put<uint32_t>(out, record.header_offset.value_or(static_cast<uint32_t>(offset)));
  out += record.name + record.central_extra;
}

inline void put_end64(std::string& out, size_t offset, size_t bytes, size_t entries) {
  const size_t at = out.size();
  put<uint32_t>(out, 0x06064b50);
  put<uint64_t>(out, 44);
  put<uint32_t>(out, 0);
  put<uint32_t>(out, 0);
  put<uint32_t>(out, 0);
  put<uint64_t>(out, entries);
  put<uint64_t>(out, entries);
  put<uint64_t>(out, bytes);
  put<uint64_t>(out, offset);
  put<uint32_t>(out, 0x07064b50);
  put<uint32_t>(out, 0);
  put<uint64_t>(out, at);
  put<uint32_t>(out, 1);
}

}  // namespace test_zip

inline std::string TestZip::build() const {
  using namespace test_zip;
  std::string out;
  std::vector<size_t> offsets;
  for (const TestZipRecord& record : records) {
    offsets.push_back(out.size());
    put_local(out, record);
  }
  const size_t directory = out.size();
  for (size_t i = 0; i < records.size(); ++i) put_central(out, records[i], offsets[i]);
  const size_t bytes = out.size() - directory;
  if (zip64) put_end64(out, directory, bytes, records.size());
  const uint16_t count = entries.value_or(static_cast<uint16_t>(records.size()));
  put<uint32_t>(out, 0x06054b50);
  put<uint16_t>(out, disk);
  put<uint16_t>(out, disk);
  put<uint16_t>(out, zip64 ? 0xffff : count);
  put<uint16_t>(out, zip64 ? 0xffff : count);
  put<uint32_t>(out, zip64 ? 0xffffffff : directory_bytes.value_or(static_cast<uint32_t>(bytes)));
  put<uint32_t>(out,
                zip64 ? 0xffffffff : directory_offset.value_or(static_cast<uint32_t>(directory)));
  put<uint16_t>(out, comment.size());
  return out + comment;
}

inline std::span<const std::byte> as_bytes(const std::string& text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

}  // namespace ingot
