#include "package/header.h"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <set>

#include "program/byte_stream.h"
#include "program/codec.h"
#include "support/diagnostics.h"
#include "support/hash.h"

namespace ingot::package {
namespace {

using program::ByteReader;
using program::ByteWriter;

constexpr std::string_view kMagic = "INGOTPKG";
// The header is the first record; its name and padding put it here in every version, and these many
// bytes of it never change their meaning: magic, format version, plan version, features, size.
constexpr uint64_t kHeaderOffset = kZipAlignment;
constexpr uint64_t kFixedBytes = 28;
constexpr uint64_t kHashBytes = 8;

Status bad(std::string message) { return make_status(Diag::kBadPackage, std::move(message)); }

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

bool is_kernel_record(std::string_view name) {
  return name.starts_with(kKernelsFolder) && is_image_name(name.substr(kKernelsFolder.size()));
}

bool is_record_name(std::string_view name) {
  return name == kProgramName || name == kDebugName || name == kManifestName ||
         name == kWeightsName || is_kernel_record(name);
}

void write_record(const PackageRecord& record, ByteWriter& out) {
  out.text(record.zip.name);
  out.u16(record.zip.method);
  out.u32(record.zip.crc32);
  out.u64(record.zip.stored_bytes);
  out.u64(record.zip.bytes);
  out.u64(record.hash);
}

PackageRecord read_record(ByteReader& in) {
  PackageRecord record;
  record.zip.name = in.text();
  record.zip.method = in.u16();
  record.zip.crc32 = in.u32();
  record.zip.stored_bytes = in.u64();
  record.zip.bytes = in.u64();
  record.hash = in.u64();
  return record;
}

Status check_versions(const PackageHeader& header) {
  if (header.format_version != kFormatVersion || header.plan_version != program::kPlanVersion) {
    return make_status(
        Diag::kPackageVersion,
        fmt::format("the package has format version {} and plan version {}, this build of Ingot "
                    "reads format version {} and plan version {}",
                    header.format_version, header.plan_version, kFormatVersion,
                    program::kPlanVersion));
  }
  if ((header.features & ~kKnownFeatures) != 0) {
    return make_status(
        Diag::kPackageVersion,
        fmt::format("the package needs features {:#x}, this build of Ingot has {:#x}",
                    header.features, kKnownFeatures));
  }
  return ok_status();
}

// What the header says about its records, before anything is placed by it.
Status check_records(const PackageHeader& header, uint64_t file_bytes) {
  std::set<std::string_view> names;
  uint64_t total = 0;
  for (const PackageRecord& record : header.records) {
    const ZipRecord& zip = record.zip;
    if (!is_record_name(zip.name) || !names.insert(zip.name).second) {
      return bad("the package's header has a record with a wrong name");
    }
    const bool packed = zip.method == kZipDeflated && is_kernel_record(zip.name);
    if (zip.method != kZipStored && !packed) return bad("a record is packed in an unknown way");
    if (zip.method == kZipStored && zip.bytes != zip.stored_bytes) {
      return bad(fmt::format("the sizes of record '{}' disagree", zip.name));
    }
    if (zip.stored_bytes > file_bytes - total) {
      return bad(
          fmt::format("the package is cut short: record '{}' reaches beyond its end", zip.name));
    }
    total += zip.stored_bytes;
  }
  if (!names.contains(kProgramName)) return bad("the package has no program");
  const PackageRecord* weights = header.find(kWeightsName);
  if ((weights != nullptr) != (header.weights == WeightsPlace::kInside)) {
    return bad("the package's header and its records disagree about the weights");
  }
  if (weights != nullptr && weights->zip.bytes != header.weights_bytes) {
    return bad("the sizes of record 'weights' disagree");
  }
  return ok_status();
}

Result<PackageHeader> decode_header(std::span<const std::byte> encoded, uint64_t file_bytes) {
  ByteReader in(encoded);
  in.take(kMagic.size());
  PackageHeader header;
  header.format_version = in.u32();
  header.plan_version = in.u32();
  header.features = in.u64();
  in.u32();  // its size, which the caller has used
  const uint8_t place = in.u8();
  header.oldest_cuda_driver = in.u32();
  header.weights_id = in.u64();
  header.weights_bytes = in.u64();
  const uint32_t count = in.u32();
  if (place > static_cast<uint8_t>(WeightsPlace::kNone)) in.fail();
  for (uint32_t i = 0; i < count && !in.failed(); ++i) header.records.push_back(read_record(in));
  if (in.failed() || in.remaining() != kHashBytes) return bad("the package's header is damaged");
  header.weights = static_cast<WeightsPlace>(place);
  INGOT_RETURN_IF_ERROR(check_records(header, file_bytes));
  return header;
}

bool equal_at(std::span<const std::byte> file, uint64_t offset,
              std::span<const std::byte> expected) {
  return offset <= file.size() && expected.size() <= file.size() - offset &&
         std::equal(expected.begin(), expected.end(),
                    file.begin() + static_cast<ptrdiff_t>(offset));
}

Status check_frame(std::span<const std::byte> file, const PackageHeader& header,
                   const PackageFrame& frame) {
  const Status damaged =
      bad("the package is damaged: its ZIP structure is not the one its header asks for");
  if (!equal_at(file, 0, zip_local_header(frame.header))) return damaged;
  for (const PackageRecord& record : header.records) {
    if (!equal_at(file, record.zip.header_offset, zip_local_header(record.zip))) return damaged;
  }
  const std::vector<std::byte> directory = encode_directory(header, frame);
  if (!equal_at(file, frame.directory_offset, directory)) return damaged;
  if (file.size() != frame.directory_offset + directory.size()) {
    return bad("the package is damaged: bytes follow its end");
  }
  return ok_status();
}

}  // namespace

std::string_view to_string(WeightsPlace place) {
  constexpr std::string_view kNames[] = {"inside", "beside", "none"};
  return kNames[static_cast<size_t>(place)];
}

const PackageRecord* PackageHeader::find(std::string_view name) const {
  for (const PackageRecord& record : records) {
    if (record.zip.name == name) return &record;
  }
  return nullptr;
}

std::vector<std::byte> encode_header(const PackageHeader& header) {
  ByteWriter rest;
  rest.u8(static_cast<uint8_t>(header.weights));
  rest.u32(header.oldest_cuda_driver);
  rest.u64(header.weights_id);
  rest.u64(header.weights_bytes);
  rest.u32(static_cast<uint32_t>(header.records.size()));
  for (const PackageRecord& record : header.records) write_record(record, rest);
  ByteWriter out;
  out.append(bytes_of(kMagic));
  out.u32(header.format_version);
  out.u32(header.plan_version);
  out.u64(header.features);
  out.u32(static_cast<uint32_t>(kFixedBytes + rest.size() + kHashBytes));
  out.append(rest.bytes());
  out.u64(xxh3(out.bytes()));
  return out.take();
}

PackageFrame place_records(PackageHeader& header, std::span<const std::byte> encoded) {
  std::vector<ZipRecord> all;
  all.push_back({.name = std::string(kHeaderName),
                 .crc32 = crc32_of(encoded),
                 .stored_bytes = encoded.size(),
                 .bytes = encoded.size()});
  for (const PackageRecord& record : header.records) all.push_back(record.zip);
  PackageFrame frame;
  frame.directory_offset = place_zip_records(all);
  frame.header = all[0];
  for (size_t i = 0; i < header.records.size(); ++i) header.records[i].zip = all[i + 1];
  return frame;
}

std::vector<std::byte> encode_directory(const PackageHeader& header, const PackageFrame& frame) {
  std::vector<ZipRecord> all = {frame.header};
  for (const PackageRecord& record : header.records) all.push_back(record.zip);
  return zip_directory(all, frame.directory_offset);
}

bool is_package(std::span<const std::byte> file) {
  return equal_at(file, kHeaderOffset, bytes_of(kMagic));
}

Result<PackageHeader> read_header(std::span<const std::byte> file) {
  if (!is_package(file)) return bad("the file is not an Ingot package");
  ByteReader in(file.subspan(kHeaderOffset));
  in.take(kMagic.size());
  PackageHeader versions;
  versions.format_version = in.u32();
  versions.plan_version = in.u32();
  versions.features = in.u64();
  const uint32_t bytes = in.u32();
  if (in.failed()) return bad("the package is cut short");
  INGOT_RETURN_IF_ERROR(check_versions(versions));
  if (bytes < kFixedBytes + kHashBytes || bytes > file.size() - kHeaderOffset) {
    return bad("the package's header is damaged or cut short");
  }
  const std::span<const std::byte> encoded = file.subspan(kHeaderOffset, bytes);
  ByteReader hash(encoded.last(kHashBytes));
  if (hash.u64() != xxh3(encoded.first(bytes - kHashBytes))) {
    return bad("the package's header is damaged");
  }
  INGOT_ASSIGN_OR_RETURN(PackageHeader header, decode_header(encoded, file.size()));
  const PackageFrame frame = place_records(header, encoded);
  INGOT_RETURN_IF_ERROR(check_frame(file, header, frame));
  return header;
}

bool is_image_name(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  return !name.empty() && name.size() <= kMaxImageName && name[0] != '.' &&
         std::all_of(name.begin(), name.end(), plain);
}

uint32_t crc32_of(std::span<const std::byte> bytes) {
  return static_cast<uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace ingot::package
