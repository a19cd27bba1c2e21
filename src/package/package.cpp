#include "package/package.h"

#include <fmt/core.h>
#include <zlib.h>

#include "package/weights_file.h"
#include "program/codec.h"
#include "program/validate.h"
#include "support/diagnostics.h"
#include "support/hash.h"

namespace ingot::package {
namespace {

Status bad(std::string message) { return make_status(Diag::kBadPackage, std::move(message)); }

Status without_weights() {
  return make_status(Diag::kWeightsMissing, "the package was written without its weights");
}

Status check_hash(std::span<const std::byte> file, const PackageRecord& record) {
  if (xxh3(record_bytes(file, record)) == record.hash) return ok_status();
  return bad(fmt::format("the package is damaged: record '{}' has changed", record.zip.name));
}

// A stream of deflate cannot unpack to more than this many times its size.
constexpr uint64_t kMostExpansion = 1032;

Result<std::vector<std::byte>> inflate_bytes(std::span<const std::byte> packed, uint64_t bytes) {
  constexpr int kRawWindow = -15;
  if (packed.size() > UINT32_MAX || bytes > UINT32_MAX || bytes > packed.size() * kMostExpansion) {
    return bad("it says it is larger than it can be");
  }
  z_stream stream = {};
  if (inflateInit2(&stream, kRawWindow) != Z_OK) {
    return make_status(Diag::kOutOfMemory, "there is no memory to unpack it");
  }
  std::vector<std::byte> unpacked(bytes);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(unpacked.data());
  stream.avail_out = static_cast<uInt>(unpacked.size());
  const int result = inflate(&stream, Z_FINISH);
  const bool whole = result == Z_STREAM_END && stream.avail_out == 0 && stream.avail_in == 0;
  inflateEnd(&stream);
  if (!whole) return bad("it does not unpack");
  return unpacked;
}

}  // namespace

Result<Package> Package::open(std::span<const std::byte> file) {
  Package package;
  package.file_ = file;
  INGOT_ASSIGN_OR_RETURN(package.header_, read_header(file));
  for (const PackageRecord& record : package.header_.records) {
    // The weights have their own checksums; nothing but people reads the manifest.
    if (record.zip.name == kWeightsName || record.zip.name == kManifestName) continue;
    INGOT_RETURN_IF_ERROR(check_hash(file, record));
  }
  const PackageRecord* program_record = package.header_.find(kProgramName);
  INGOT_ASSIGN_OR_RETURN(package.program_, program::decode(record_bytes(file, *program_record)));
  if (const PackageRecord* debug = package.header_.find(kDebugName)) {
    INGOT_ASSIGN_OR_RETURN(package.program_.locations,
                           program::decode_locations(record_bytes(file, *debug)));
  }
  INGOT_RETURN_IF_ERROR(program::validate(package.program_));
  package.storages_ = package.program_.storages;
  package.storage_users_.resize(package.storages_.size());
  for (const program::Weight& weight : package.program_.weights) {
    std::string& user = package.storage_users_[weight.storage];
    if (user.empty()) user = weight.name;
  }
  INGOT_ASSIGN_OR_RETURN(const uint64_t bytes, blob_bytes(package.storages_));
  if (bytes != package.header_.weights_bytes ||
      weights_id(package.storages_) != package.header_.weights_id) {
    return bad("the package's header and program disagree about the weights");
  }
  if (const PackageRecord* weights = package.header_.find(kWeightsName)) {
    package.weights_ = record_bytes(file, *weights);
  }
  package.has_weights_ = bytes == 0 || !package.weights_.empty();
  return package;
}

Status Package::open_weights(const std::string& package_path, const OpenOptions& options) {
  std::string path = options.weights_path;
  if (path.empty()) {
    if (has_weights_) return ok_status();
    if (header_.weights == WeightsPlace::kBeside) path = weights_path_of(package_path);
  }
  if (path.empty()) return options.need_weights ? without_weights() : ok_status();
  auto map = FileMap::open(path);
  if (!map.ok()) {
    if (!options.need_weights && options.weights_path.empty()) return ok_status();
    return make_status(Diag::kWeightsMissing,
                       "its weights are in a file of their own: " + map.status().message());
  }
  weights_map_ = std::move(map).value();
  auto blob = read_weights_file(weights_map_.bytes(), header_.weights_id, header_.weights_bytes);
  if (!blob.ok()) return std::move(blob).status().with_context(fmt::format("'{}'", path));
  weights_ = *blob;
  has_weights_ = true;
  return ok_status();
}

std::span<const std::byte> Package::storage(size_t i) const {
  if (!has_weights_) return {};
  return weights_.subspan(storages_[i].offset, storages_[i].bytes);
}

Status Package::verify_storage(size_t i) const {
  if (!has_weights_) return make_status(Diag::kWeightsMissing, "the package has no weights");
  if (xxh3(storage(i)) == storages_[i].checksum) return ok_status();
  return bad(fmt::format("the package is damaged: weight '{}' has changed", storage_users_[i]));
}

std::vector<std::string> Package::image_names() const {
  std::vector<std::string> names;
  for (const PackageRecord& record : header_.records) {
    if (record.zip.name.starts_with(kKernelsFolder)) {
      names.push_back(record.zip.name.substr(kKernelsFolder.size()));
    }
  }
  return names;
}

Result<std::vector<std::byte>> Package::image(std::string_view name) const {
  const PackageRecord* record = header_.find(std::string(kKernelsFolder) + std::string(name));
  if (record == nullptr) return bad(fmt::format("the package has no kernel image '{}'", name));
  const std::span<const std::byte> packed = record_bytes(file_, *record);
  if (record->zip.method == kZipStored) return std::vector(packed.begin(), packed.end());
  auto bytes = inflate_bytes(packed, record->zip.bytes);
  if (!bytes.ok()) {
    return std::move(bytes).status().with_context(fmt::format("kernel image '{}'", name));
  }
  return bytes;
}

Result<std::string_view> Package::manifest() const {
  const PackageRecord* record = header_.find(kManifestName);
  if (record == nullptr) return std::string_view();
  INGOT_RETURN_IF_ERROR(check_hash(file_, *record));
  const std::span<const std::byte> bytes = record_bytes(file_, *record);
  return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Result<Package> open_package(const std::string& path, const OpenOptions& options) {
  INGOT_ASSIGN_OR_RETURN(FileMap map, FileMap::open(path));
  auto package = Package::open(map.bytes());
  if (!package.ok()) return std::move(package).status().with_context(fmt::format("'{}'", path));
  package->file_map_ = std::move(map);
  Status status = package->open_weights(path, options);
  if (!status.ok()) return std::move(status).with_context(fmt::format("'{}'", path));
  return package;
}

Result<Package> open_package_bytes(std::span<const std::byte> file) {
  INGOT_ASSIGN_OR_RETURN(Package package, Package::open(file));
  if (!package.has_weights()) return without_weights();
  return package;
}

}  // namespace ingot::package
