#include "import/archive.h"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

#include "support/diagnostics.h"
#include "support/zip_directory.h"

namespace ingot::pt2 {
namespace {

constexpr std::string_view kResave =
    "load it with that PyTorch and save it again with 2.9 or later";
constexpr size_t kCrcChunkBytes = size_t{32} << 20;

[[noreturn]] void bad_layout(const std::string& path, std::string_view why) {
  throw CompileError(Diag::kArchiveLayout, fmt::format("'{}' {}", path, why));
}

bool contains(const std::vector<ZipEntry>& entries, std::string_view name) {
  return std::any_of(entries.begin(), entries.end(),
                     [&](const ZipEntry& entry) { return entry.name == name; });
}

bool mentions(const std::vector<ZipEntry>& entries, std::string_view part) {
  return std::any_of(entries.begin(), entries.end(), [&](const ZipEntry& entry) {
    return entry.name.find(part) != std::string::npos;
  });
}

// What a ZIP file without the marker of an exported program is, for the message that refuses it.
std::string_view describe_foreign(const std::vector<ZipEntry>& entries, const std::string& root) {
  if (mentions(entries, "data/aotinductor/")) {
    return "is an AOTInductor package: it holds compiled code, no graph to compile";
  }
  if (contains(entries, root + "constants.pkl") || mentions(entries, root + "code/")) {
    return "is a TorchScript archive, not an exported program: save the model with "
           "torch.export.save(torch.export.export(model, args), path)";
  }
  if (contains(entries, root + "data.pkl")) {
    return "is a torch.save file (a pickle), not an exported program: save the model with "
           "torch.export.save(torch.export.export(model, args), path)";
  }
  return "is a ZIP file, but not an exported program: it has no record 'archive_format'";
}

uint32_t crc_of(std::span<const std::byte> bytes) {
  return static_cast<uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

[[noreturn]] void damaged(const Record& record) {
  throw CompileError(Diag::kArchiveRecord,
                     fmt::format("record '{}' is damaged: its checksum is wrong", record.name));
}

void require_stored(const Record& record) {
  if (record.is_stored) return;
  throw CompileError(Diag::kArchiveRecord,
                     fmt::format("record '{}' is compressed: PyTorch writes records uncompressed, "
                                 "so the archive was packed again",
                                 record.name));
}

}  // namespace

std::shared_ptr<const Archive> Archive::open(const std::string& path) {
  std::shared_ptr<Archive> archive(new Archive);
  archive->path_ = path;
  archive->file_ = value_or_throw(FileMap::open(path));
  archive->read_directory();
  archive->check_markers();
  archive->find_models();
  return archive;
}

void Archive::read_directory() {
  Result<std::vector<ZipEntry>> directory = read_zip_directory(file_.bytes());
  if (!directory.ok()) throw_status(std::move(directory).status().with_context(path_));
  const std::vector<ZipEntry>& entries = *directory;
  if (contains(entries, "serialized_exported_program.json")) {
    bad_layout(path_, fmt::format("was written by PyTorch 2.7 or earlier: {}", kResave));
  }
  // The root folder is the file's name when it was saved; PyTorch, too, takes it from the first
  // entry.
  const std::string first = entries.empty() ? "" : entries.front().name;
  const size_t slash = first.find('/');
  const std::string root = slash == first.npos ? "" : first.substr(0, slash + 1);
  if (!contains(entries, root + "archive_format")) {
    bad_layout(path_, describe_foreign(entries, root));
  }
  for (const ZipEntry& entry : entries) {
    if (!entry.name.starts_with(root)) continue;
    std::string name = entry.name.substr(root.size());
    const auto bytes = file_.bytes().subspan(entry.data_offset, entry.stored_bytes);
    records_[name] = Record{name, bytes, entry.crc32, entry.is_stored()};
  }
}

void Archive::check_markers() const {
  if (text("archive_format") != "pt2") {
    bad_layout(path_, "is not an exported program: its record 'archive_format' is not 'pt2'");
  }
  if (find("archive_version") && text("archive_version") != "0") {
    bad_layout(path_, fmt::format("has archive version '{}'; Ingot reads version 0",
                                  text("archive_version").substr(0, 20)));
  }
  if (find("byteorder") && text("byteorder") != "little") {
    bad_layout(path_, "was written on a big-endian machine; Ingot reads little-endian archives");
  }
}

void Archive::find_models() {
  constexpr std::string_view kFolder = "models/";
  constexpr std::string_view kSuffix = ".json";
  for (const auto& [name, record] : records_) {
    if (!name.starts_with(kFolder) || !name.ends_with(kSuffix)) continue;
    models_.push_back(name.substr(kFolder.size(), name.size() - kFolder.size() - kSuffix.size()));
  }
  const auto preferred = std::find(models_.begin(), models_.end(), "model");
  if (preferred != models_.end()) std::rotate(models_.begin(), preferred, preferred + 1);
  if (models_.empty()) {
    const auto compiled = records_.lower_bound("data/aotinductor/");
    if (compiled != records_.end() && compiled->first.starts_with("data/aotinductor/")) {
      bad_layout(path_, "is an AOTInductor package: it holds compiled code, no graph to compile");
    }
    bad_layout(path_,
               "holds no program: torch.export.save failed while writing it; save the model again");
  }
  for (const std::string& model : models_) {
    if (find("data/weights/" + model + ".pt")) {
      bad_layout(path_, fmt::format("was written by PyTorch 2.8: {}", kResave));
    }
  }
}

const Record* Archive::find(std::string_view name) const {
  const auto it = records_.find(name);
  return it == records_.end() ? nullptr : &it->second;
}

const Record& Archive::get(std::string_view name) const {
  const Record* record = find(name);
  if (!record) {
    throw CompileError(Diag::kArchiveRecord, fmt::format("record '{}' is missing", name));
  }
  require_stored(*record);
  return *record;
}

std::string_view Archive::text(std::string_view name) const {
  const Record& record = get(name);
  if (crc_of(record.bytes) != record.crc32) damaged(record);
  return {reinterpret_cast<const char*>(record.bytes.data()), record.bytes.size()};
}

void Archive::check_crcs(std::span<const Record* const> records, unsigned threads) const {
  // Large records are cut into chunks, so that one huge embedding does not leave threads idle.
  struct Chunk {
    size_t record;
    std::span<const std::byte> bytes;
    uint32_t crc = 0;
  };
  std::vector<Chunk> chunks;
  for (size_t i = 0; i < records.size(); ++i) {
    require_stored(*records[i]);
    const auto bytes = records[i]->bytes;
    for (size_t at = 0; at < bytes.size(); at += kCrcChunkBytes) {
      chunks.push_back({i, bytes.subspan(at, std::min(kCrcChunkBytes, bytes.size() - at))});
    }
  }
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < chunks.size(); i = next++) {
      chunks[i].crc = crc_of(chunks[i].bytes);
      file_.release_pages(chunks[i].bytes);
    }
  };
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  {
    std::vector<std::jthread> pool;
    for (size_t i = 1; i < std::min<size_t>(threads, chunks.size()); ++i) pool.emplace_back(work);
    work();
  }
  std::vector<uint32_t> crcs(records.size(), 0);
  for (const Chunk& chunk : chunks) {
    crcs[chunk.record] = static_cast<uint32_t>(
        ::crc32_combine(crcs[chunk.record], chunk.crc, static_cast<z_off_t>(chunk.bytes.size())));
  }
  for (size_t i = 0; i < records.size(); ++i) {
    if (crcs[i] != records[i]->crc32) damaged(*records[i]);
  }
}

}  // namespace ingot::pt2
