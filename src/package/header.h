// The header of a package: the one record that is read before deciding anything, and that says what
// every other byte of the file must be. docs/package_format.md describes the format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "support/status.h"
#include "support/zip_frame.h"

namespace ingot::package {

// Raised when readers of the version before could misunderstand the file.
inline constexpr uint32_t kFormatVersion = 1;

// Bits of PackageHeader::features that this build understands. A feature is something that a
// package needs its reader to know about.
inline constexpr uint64_t kKnownFeatures = 0;

inline constexpr std::string_view kHeaderName = "header";
inline constexpr std::string_view kProgramName = "program";
inline constexpr std::string_view kDebugName = "debug";
inline constexpr std::string_view kManifestName = "manifest.json";
inline constexpr std::string_view kWeightsName = "weights";
inline constexpr std::string_view kKernelsFolder = "kernels/";

enum class WeightsPlace : uint8_t {
  kInside = 0,
  kBeside = 1,  // in NAME.weights next to NAME.ingot
  kNone = 2,    // in a file that whoever opens the package names
};
std::string_view to_string(WeightsPlace place);

// A record of the package and the XXH3 of its bytes as they lie in the file. That of the weights is
// 0: they have one per storage.
struct PackageRecord {
  ZipRecord zip;
  uint64_t hash = 0;
};

struct PackageHeader {
  uint32_t format_version = kFormatVersion;
  uint32_t plan_version = 0;
  uint64_t features = 0;
  WeightsPlace weights = WeightsPlace::kInside;
  uint32_t oldest_cuda_driver = 0;  // as cuDriverGetVersion counts: 12040; 0 when none is needed
  uint64_t weights_id = 0;          // tells whether a weights file belongs to the package
  uint64_t weights_bytes = 0;
  std::vector<PackageRecord> records;  // without the header itself, in the order of the file

  // Null when the package has no such record.
  const PackageRecord* find(std::string_view name) const;
};

std::vector<std::byte> encode_header(const PackageHeader& header);

// Where everything lies: sets the offsets of the header's records, gives the header's own record,
// with the CRC and size of `encoded`, and the offset of the ZIP directory.
struct PackageFrame {
  ZipRecord header;
  uint64_t directory_offset = 0;
};
PackageFrame place_records(PackageHeader& header, std::span<const std::byte> encoded);

// The bytes of the ZIP directory.
std::vector<std::byte> encode_directory(const PackageHeader& header, const PackageFrame& frame);

// True when the file begins as a package does, whatever its version.
bool is_package(std::span<const std::byte> file);

// Reads the header and compares everything of the file that is not the content of a record with
// what must be there. Fails with kBadPackage, or kPackageVersion naming both versions.
Result<PackageHeader> read_header(std::span<const std::byte> file);

// The bytes of a record as they lie in the file.
inline std::span<const std::byte> record_bytes(std::span<const std::byte> file,
                                               const PackageRecord& record) {
  return file.subspan(record.zip.data_offset, record.zip.stored_bytes);
}

// What a kernel image may be called: letters, digits, '.', '_' and '-', not beginning with a dot.
inline constexpr size_t kMaxImageName = 200;
bool is_image_name(std::string_view name);

// The CRC that ZIP wants.
uint32_t crc32_of(std::span<const std::byte> bytes);

}  // namespace ingot::package
