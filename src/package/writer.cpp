#include "package/writer.h"

#include <zlib.h>

#include <algorithm>

#include "package/weights_file.h"
#include "program/codec.h"
#include "support/atomic_file.h"
#include "support/diagnostics.h"
#include "support/hash.h"

namespace ingot::package {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

Status inconsistent(std::string_view what) {
  return make_status(Diag::kInternal, "cannot write a package: " + std::string(what));
}

// Raw deflate, as ZIP wants it.
Result<std::vector<std::byte>> deflate_bytes(std::span<const std::byte> bytes) {
  constexpr int kRawWindow = -15;
  constexpr int kMemoryLevel = 8;
  z_stream stream = {};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kRawWindow, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    return make_status(Diag::kOutOfMemory, "cannot compress a kernel image");
  }
  std::vector<std::byte> packed(deflateBound(&stream, static_cast<uLong>(bytes.size())));
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int result = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (result != Z_STREAM_END) return inconsistent("a kernel image does not compress");
  return packed;
}

class PackageWriter {
 public:
  explicit PackageWriter(const PackageContents& contents) : contents_(contents) {}

  Status write(const std::string& path) {
    program_ = *contents_.program;
    if (contents_.storages.size() != program_.storages.size()) {
      return inconsistent("the storages are not those of the program");
    }
    program_.storages = place_storages(contents_.storages);
    INGOT_RETURN_IF_ERROR(add_records());
    if (contents_.weights == WeightsPlace::kBeside) {
      // First, so that a package is never there without its weights.
      INGOT_RETURN_IF_ERROR(
          write_weights_file(weights_path_of(path), program_.storages, contents_.storages));
    }
    INGOT_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(path));
    INGOT_RETURN_IF_ERROR(write_file_content(file));
    return file.commit();
  }

 private:
  Status add_records() {
    header_.plan_version = program::kPlanVersion;
    header_.weights = contents_.weights;
    header_.oldest_cuda_driver = contents_.oldest_cuda_driver;
    header_.weights_id = weights_id(program_.storages);
    INGOT_ASSIGN_OR_RETURN(header_.weights_bytes, blob_bytes(program_.storages));
    add_stored(kProgramName, program::encode(program_));
    if (contents_.with_debug && !program_.locations.empty()) {
      add_stored(kDebugName, program::encode_locations(program_.locations));
    }
    INGOT_RETURN_IF_ERROR(add_images());
    const auto manifest = bytes_of(contents_.manifest);
    add_stored(kManifestName, {manifest.begin(), manifest.end()});
    if (contents_.weights == WeightsPlace::kInside) {
      header_.records.push_back({.zip = {.name = std::string(kWeightsName),
                                         .stored_bytes = header_.weights_bytes,
                                         .bytes = header_.weights_bytes}});
    }
    return ok_status();
  }

  void add_stored(std::string_view name, std::vector<std::byte> bytes) {
    header_.records.push_back({.zip = {.name = std::string(name),
                                       .crc32 = crc32_of(bytes),
                                       .stored_bytes = bytes.size(),
                                       .bytes = bytes.size()},
                               .hash = xxh3(bytes)});
    data_.push_back(std::move(bytes));
  }

  Status add_images() {
    std::vector<const KernelImage*> images;
    for (const KernelImage& image : contents_.images) images.push_back(&image);
    std::sort(images.begin(), images.end(),
              [](const KernelImage* a, const KernelImage* b) { return a->name < b->name; });
    for (size_t i = 0; i < images.size(); ++i) {
      const KernelImage& image = *images[i];
      if (i > 0 && images[i - 1]->name == image.name) {
        if (std::ranges::equal(images[i - 1]->bytes, image.bytes)) continue;
        return inconsistent("two kernel images are named " + image.name);
      }
      if (!is_image_name(image.name)) return inconsistent("a kernel image has a wrong name");
      if (image.bytes.size() > UINT32_MAX / 2) return inconsistent("a kernel image is too large");
      INGOT_ASSIGN_OR_RETURN(std::vector<std::byte> packed, deflate_bytes(image.bytes));
      header_.records.push_back({.zip = {.name = std::string(kKernelsFolder) + image.name,
                                         .method = kZipDeflated,
                                         .crc32 = crc32_of(image.bytes),
                                         .stored_bytes = packed.size(),
                                         .bytes = image.bytes.size()},
                                 .hash = xxh3(packed)});
      data_.push_back(std::move(packed));
    }
    return ok_status();
  }

  // The CRC of the weights is known once they are written, and with it the header, which has the
  // same size then.
  Status write_file_content(AtomicFile& file) {
    PackageFrame frame = place_records(header_, encode_header(header_));
    const std::vector<std::byte> nothing(header_.records[0].zip.header_offset);
    INGOT_RETURN_IF_ERROR(file.append(nothing));
    for (size_t i = 0; i < header_.records.size(); ++i) {
      PackageRecord& record = header_.records[i];
      const std::vector<std::byte> local = zip_local_header(record.zip);
      INGOT_RETURN_IF_ERROR(file.append(local));
      if (i < data_.size()) {
        INGOT_RETURN_IF_ERROR(file.append(data_[i]));
      } else {
        INGOT_ASSIGN_OR_RETURN(record.zip.crc32,
                               append_blob(file, program_.storages, contents_.storages));
        INGOT_RETURN_IF_ERROR(
            file.write_at(record.zip.header_offset, zip_local_header(record.zip)));
      }
    }
    const std::vector<std::byte> header = encode_header(header_);
    frame = place_records(header_, header);
    INGOT_RETURN_IF_ERROR(file.write_at(0, zip_local_header(frame.header)));
    INGOT_RETURN_IF_ERROR(file.write_at(frame.header.data_offset, header));
    return file.append(encode_directory(header_, frame));
  }

  const PackageContents& contents_;
  program::Program program_;
  PackageHeader header_;
  std::vector<std::vector<std::byte>> data_;  // of the records before the weights
};

}  // namespace

Status write_package(const std::string& path, const PackageContents& contents) {
  return PackageWriter(contents).write(path);
}

}  // namespace ingot::package
