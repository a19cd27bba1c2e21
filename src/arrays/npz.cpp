#include <fmt/core.h>
#include <zlib.h>

#include "arrays/array.h"
#include "support/atomic_file.h"
#include "support/diagnostics.h"
#include "support/file_map.h"
#include "support/zip_directory.h"
#include "support/zip_frame.h"

namespace ingot::arrays {
namespace {

uint32_t crc_of(std::span<const std::byte> bytes) {
  return static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

// Deflate cannot shrink by more than this.
constexpr uint64_t kMaxRatio = 1032;

// Unpacks a raw deflate stream of a known size; false when it is another.
bool inflate_into(std::span<const std::byte> packed, std::vector<std::byte>& bytes) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return false;
  constexpr size_t kChunk = size_t{1} << 30;  // zlib counts in 32 bits
  size_t in = 0;
  size_t out = 0;
  int code = Z_OK;
  std::byte spare{};  // so that the end of the stream is met when nothing is left to write
  while (code == Z_OK) {
    const size_t give = std::min(kChunk, packed.size() - in);
    const size_t room = std::min(kChunk, bytes.size() - out);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data() + in));
    stream.avail_in = static_cast<uInt>(give);
    stream.next_out = reinterpret_cast<Bytef*>(room > 0 ? bytes.data() + out : &spare);
    stream.avail_out = static_cast<uInt>(room > 0 ? room : 1);
    code = inflate(&stream, Z_NO_FLUSH);
    const size_t written = (room > 0 ? room : 1) - stream.avail_out;
    if (room == 0 && written > 0) break;
    in += give - stream.avail_in;
    out += written;
  }
  inflateEnd(&stream);
  return code == Z_STREAM_END && in == packed.size() && out == bytes.size();
}

Result<Array> read_record(std::span<const std::byte> file, const ZipEntry& entry,
                          const std::string& name) {
  const auto fault = [&name](std::string_view what) {
    return make_status(Diag::kArrayFile, fmt::format("{}: {}", name, what));
  };
  std::span<const std::byte> bytes = file.subspan(entry.data_offset, entry.stored_bytes);
  std::vector<std::byte> unpacked;
  if (!entry.is_stored()) {
    if (entry.method != kZipDeflated) return fault("it is compressed in an unknown way");
    if (entry.bytes / kMaxRatio > entry.stored_bytes) return fault("its size cannot be right");
    unpacked.resize(entry.bytes);
    if (!inflate_into(bytes, unpacked)) return fault("its compressed bytes are damaged");
    bytes = unpacked;
  }
  if (crc_of(bytes) != entry.crc32) return fault("its bytes do not match their checksum");
  return parse_npy(bytes, name);
}

}  // namespace

Result<std::vector<NamedArray>> read_npz(const std::string& path) {
  INGOT_ASSIGN_OR_RETURN(const FileMap file, FileMap::open(path));
  Result<std::vector<ZipEntry>> entries =
      read_zip_directory(file.bytes(), {Diag::kArrayFile, Diag::kArrayFile});
  if (!entries.ok()) return std::move(entries).status().with_context(path);
  std::vector<NamedArray> arrays;
  for (const ZipEntry& entry : *entries) {
    std::string name = entry.name;
    if (name.ends_with(".npy")) name.resize(name.size() - 4);
    INGOT_ASSIGN_OR_RETURN(Array array, read_record(file.bytes(), entry, path + ": " + entry.name));
    arrays.push_back({std::move(name), std::move(array)});
  }
  return arrays;
}

Status write_npz(const std::string& path, std::span<const NamedArray> arrays) {
  std::vector<ZipRecord> records;
  for (const NamedArray& named : arrays) {
    const std::vector<std::byte> bytes = format_npy(named.array);
    ZipRecord record;
    record.name = named.name + ".npy";
    record.crc32 = crc_of(bytes);
    record.stored_bytes = record.bytes = bytes.size();
    records.push_back(std::move(record));
  }
  const uint64_t directory = place_zip_records(records);
  INGOT_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(path));
  for (size_t i = 0; i < records.size(); ++i) {
    INGOT_RETURN_IF_ERROR(file.append(zip_local_header(records[i])));
    // Formatted again rather than kept: all arrays together may be large.
    INGOT_RETURN_IF_ERROR(file.append(format_npy(arrays[i].array)));
  }
  INGOT_RETURN_IF_ERROR(file.append(zip_directory(records, directory)));
  return file.commit();
}

}  // namespace ingot::arrays
