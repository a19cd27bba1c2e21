// Packages as other ZIP readers see them, packages beyond 4 GB, and what writing costs in memory.
#include <gtest/gtest.h>
#include <minizip/unzip.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "package/package.h"
#include "package/testing.h"
#include "package/weights_file.h"
#include "package/writer.h"
#include "program/codec.h"
#include "support/file_map.h"
#include "support/hash.h"
#include "support/zip_directory.h"

namespace ingot::package {
namespace {

namespace fs = std::filesystem;

class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& name)
      : path_(fs::temp_directory_path() / (name + std::to_string(::getpid()))) {
    fs::create_directories(path_);
  }
  ~TemporaryFolder() { fs::remove_all(path_); }
  std::string operator/(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

// A record as minizip finds it.
struct SeenRecord {
  uint64_t bytes = 0;
  uint64_t data_offset = 0;
  std::string content;
};

// All records, with the content of those up to 1 MB. Closing a record makes minizip check its CRC.
std::map<std::string, SeenRecord> read_by_minizip(const std::string& path) {
  std::map<std::string, SeenRecord> records;
  const unzFile file = unzOpen64(path.c_str());
  if (file == nullptr) return records;
  for (int more = unzGoToFirstFile(file); more == UNZ_OK; more = unzGoToNextFile(file)) {
    char name[256];
    unz_file_info64 info = {};
    unzGetCurrentFileInfo64(file, &info, name, sizeof(name), nullptr, 0, nullptr, 0);
    SeenRecord& record = records[name];
    record.bytes = info.uncompressed_size;
    EXPECT_EQ(unzOpenCurrentFile(file), UNZ_OK) << name;
    record.data_offset = unzGetCurrentFileZStreamPos64(file);
    if (info.uncompressed_size <= 1 << 20) {
      record.content.resize(info.uncompressed_size);
      const auto size = static_cast<unsigned>(record.content.size());
      EXPECT_EQ(unzReadCurrentFile(file, record.content.data(), size), static_cast<int>(size));
    }
    EXPECT_EQ(unzCloseCurrentFile(file), UNZ_OK) << name;
  }
  unzClose(file);
  return records;
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(PackageAsZip, AnotherReaderFindsTheSame) {
  const TemporaryFolder folder("ingot_zip_");
  const TestPackage test;
  ASSERT_TRUE(write_package(folder / "m.ingot", test.contents()).ok());
  const auto package = open_package(folder / "m.ingot");
  ASSERT_TRUE(package.ok());
  auto records = read_by_minizip(folder / "m.ingot");
  ASSERT_EQ(records.size(), package->header().records.size() + 1);
  for (const PackageRecord& record : package->header().records) {
    EXPECT_EQ(records[record.zip.name].bytes, record.zip.bytes) << record.zip.name;
    EXPECT_EQ(records[record.zip.name].data_offset, record.zip.data_offset) << record.zip.name;
    EXPECT_EQ(record.zip.data_offset % 64, 0u) << record.zip.name;
  }
  EXPECT_EQ(records["header"].data_offset, 64u);
  EXPECT_EQ(records["program"].content, text_of(program::encode(package->program())));
  // Images come out of the archive as they went in.
  EXPECT_EQ(records["kernels/topk_sm_80.cubin"].content, text_of(test.image));
  EXPECT_EQ(records["manifest.json"].content, "{\"producer\": \"ingot test\"}\n");
  const std::string& weights = records["weights"].content;
  for (size_t i = 0; i < test.storages.size(); ++i) {
    const program::Storage& storage = package->program().storages[i];
    EXPECT_EQ(weights.substr(storage.offset, storage.bytes), text_of(test.storages[i]));
  }
}

// A package with 5 GB of zeros in one storage, as a file with a hole.
void write_sparse_package(const std::string& path, program::Program program) {
  PackageHeader header;
  header.plan_version = program::kPlanVersion;
  header.weights_id = weights_id(program.storages);
  header.weights_bytes = *blob_bytes(program.storages);
  const std::vector<std::byte> encoded_program = program::encode(program);
  header.records.resize(3);
  header.records[0].zip.name = kWeightsName;
  header.records[0].zip.stored_bytes = header.records[0].zip.bytes = header.weights_bytes;
  header.records[1].zip.name = kProgramName;
  header.records[1].zip.stored_bytes = header.records[1].zip.bytes = encoded_program.size();
  header.records[1].zip.crc32 = crc32_of(encoded_program);
  header.records[1].hash = xxh3(encoded_program);
  header.records[2].zip.name = kManifestName;
  header.records[2].hash = xxh3({});
  const std::vector<std::byte> encoded = encode_header(header);
  const PackageFrame frame = place_records(header, encoded);
  std::ofstream out(path, std::ios::binary);
  const auto put = [&out](uint64_t offset, std::span<const std::byte> bytes) {
    out.seekp(static_cast<std::streamoff>(offset));
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
  };
  put(0, zip_local_header(frame.header));
  put(frame.header.data_offset, encoded);
  for (const PackageRecord& record : header.records) {
    put(record.zip.header_offset, zip_local_header(record.zip));
  }
  put(header.records[1].zip.data_offset, encoded_program);
  put(frame.directory_offset, encode_directory(header, frame));
}

TEST(PackageAsZip, BeyondFourGigabytes) {
  const TemporaryFolder folder("ingot_zip64_");
  TestPackage test;
  constexpr uint64_t kLarge = uint64_t{5} << 30;
  test.program.storages = {{.offset = 0, .bytes = kLarge},
                           {.offset = kLarge, .bytes = 136},
                           {.offset = kLarge + 192, .bytes = 2048}};
  write_sparse_package(folder / "m.ingot", test.program);
  const auto package = open_package(folder / "m.ingot");
  ASSERT_TRUE(package.ok()) << package.status().message();
  EXPECT_EQ(package->storage(0).size(), kLarge);
  EXPECT_EQ(package->storage(2).data() - package->storage(0).data(),
            static_cast<ptrdiff_t>(kLarge + 192));
  // Weights whose size needs zip64, then records whose offsets need it. (On 64-bit machines
  // minizip 1.1 reads no zip64; the archive reader of `support` does.)
  const auto file = FileMap::open(folder / "m.ingot");
  const auto entries = read_zip_directory(file->bytes());
  ASSERT_TRUE(entries.ok()) << entries.status().message();
  ASSERT_EQ(entries->size(), 4u);
  for (size_t i = 0; i < 3; ++i) {
    const ZipRecord& record = package->header().records[i].zip;
    const ZipEntry& entry = (*entries)[i + 1];
    EXPECT_EQ(entry.name, record.name);
    EXPECT_EQ(entry.bytes, record.bytes);
    EXPECT_EQ(entry.data_offset, record.data_offset);
  }
  EXPECT_GT((*entries)[2].data_offset, kLarge);
}

uint64_t anonymous_kilobytes() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    if (word == "RssAnon:") {
      uint64_t kilobytes = 0;
      status >> kilobytes;
      return kilobytes;
    }
  }
  return 0;
}

TEST(PackageMemory, WeightsAreNotCopied) {
  const TemporaryFolder folder("ingot_memory_");
  constexpr uint64_t kBytes = uint64_t{32} << 20;
  std::ofstream(folder / "archive").put('x');
  fs::resize_file(folder / "archive", kBytes);
  const auto archive = FileMap::open(folder / "archive");
  ASSERT_TRUE(archive.ok());
  program::Program program;
  program.storages = {{.bytes = kBytes}};
  program.weights = {{.name = "w", .dtype = DType::kU8, .sizes = {kBytes}, .strides = {1}}};
  const uint64_t before = anonymous_kilobytes();
  const PackageContents contents{
      .program = &program, .storages = {archive->bytes()}, .images = {}, .manifest = ""};
  ASSERT_TRUE(write_package(folder / "m.ingot", contents).ok());
  const auto package = open_package(folder / "m.ingot");
  ASSERT_TRUE(package.ok());
  EXPECT_TRUE(package->verify_storage(0).ok());
  EXPECT_LT(anonymous_kilobytes(), before + 5000);
}

}  // namespace
}  // namespace ingot::package
