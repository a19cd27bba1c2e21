#include "import/archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <minizip/unzip.h>

#include "import/test_archive.h"
#include "import/test_data.h"
#include "support/diagnostics.h"

namespace ingot::pt2 {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Diagnostic open_error(const std::string& content) {
  const TestFile file(content);
  try {
    Archive::open(file.path());
  } catch (const CompileError& error) {
    return error.diagnostic();
  }
  return {Diag::kInternal, "accepted", {}};
}

void expect_layout(const TestZip& zip, const std::string& part) {
  const Diagnostic error = open_error(zip.build());
  EXPECT_EQ(error.id, Diag::kArchiveLayout) << error.message;
  EXPECT_THAT(error.message, HasSubstr(part));
}

TestZip zip_of(const std::vector<std::pair<std::string, std::string>>& records) {
  TestZip zip;
  for (const auto& [name, data] : records) zip.add(name, data);
  return zip;
}

TEST(Archive, FindsRecordsBelowItsRoot) {
  const TestFile file(linear_program().zip().build());
  const auto archive = Archive::open(file.path());
  EXPECT_THAT(archive->models(), ElementsAre("model"));
  EXPECT_EQ(archive->text("archive_format"), "pt2");
  EXPECT_EQ(archive->get("data/weights/weight_0").bytes.size(), 48u);
  EXPECT_EQ(archive->find("m/archive_format"), nullptr);
  EXPECT_THROW(archive->get("no/such/record"), CompileError);
}

TEST(Archive, PutsTheModelThatExportWritesFirst) {
  TestZip zip = linear_program().zip();
  zip.add("m/models/encoder.json", "{}");
  zip.add("m/models/zebra.json", "{}");
  const TestFile file(zip.build());
  EXPECT_THAT(Archive::open(file.path())->models(), ElementsAre("model", "encoder", "zebra"));
}

TEST(Archive, RefusesOtherLayoutsByName) {
  expect_layout(zip_of({{"serialized_exported_program.json", "{}"}, {"version", "8.2"}}),
                "was written by PyTorch 2.7 or earlier");
  expect_layout(zip_of({{"m/archive_format", "pt2"},
                        {"m/models/model.json", "{}"},
                        {"m/data/weights/model.pt", "PK"}}),
                "was written by PyTorch 2.8");
  expect_layout(zip_of({{"m/archive_format", "pt2"}, {"m/data/weights/weight_0", "x"}}),
                "torch.export.save failed while writing it");
  expect_layout(zip_of({{"m/archive_format", "pt2"}, {"m/data/aotinductor/model/a.so", "x"}}),
                "is an AOTInductor package");
  expect_layout(zip_of({{"data/aotinductor/model/a.so", "x"}, {"version", "1"}}),
                "is an AOTInductor package");
  expect_layout(zip_of({{"m/data.pkl", "x"}, {"m/constants.pkl", "x"}, {"m/code/a.py", "x"}}),
                "is a TorchScript archive");
  expect_layout(zip_of({{"m/data.pkl", "x"}, {"m/data/0", "x"}}), "is a torch.save file");
  expect_layout(zip_of({{"notes.txt", "x"}}), "is a ZIP file, but not an exported program");
  expect_layout(zip_of({}), "is a ZIP file, but not an exported program");
  expect_layout(zip_of({{"m/archive_format", "pt3"}}), "'archive_format' is not 'pt2'");
  expect_layout(zip_of({{"m/archive_format", "pt2"}, {"m/archive_version", "7"}}),
                "archive version '7'");
  expect_layout(zip_of({{"m/archive_format", "pt2"}, {"m/byteorder", "big"}}), "big-endian");
}

TEST(Archive, RefusesDamagedFiles) {
  EXPECT_EQ(open_error("").id, Diag::kNotAnArchive);
  EXPECT_EQ(open_error("no archive at all").id, Diag::kNotAnArchive);
  const std::string good = linear_program().zip().build();
  EXPECT_EQ(open_error(good.substr(0, good.size() / 2)).id, Diag::kNotAnArchive);
  TestZip climbing = linear_program().zip();
  climbing.add("m/../../up", "x");
  EXPECT_EQ(open_error(climbing.build()).id, Diag::kArchiveRecord);
  try {
    Archive::open("/no/such/file.pt2");
    FAIL();
  } catch (const CompileError& error) {
    EXPECT_EQ(error.diagnostic().id, Diag::kFileUnreadable);
  }
}

TEST(Archive, RefusesCompressedRecords) {
  TestZip zip = linear_program().zip();
  for (TestZipRecord& record : zip.records) {
    if (record.name == "m/archive_format") record.method = 8;
  }
  const Diagnostic error = open_error(zip.build());
  EXPECT_EQ(error.id, Diag::kArchiveRecord);
  EXPECT_THAT(error.message, HasSubstr("'archive_format' is compressed"));
}

TEST(Archive, ChecksTheTextItReads) {
  TestZip zip = linear_program().zip();
  for (TestZipRecord& record : zip.records) {
    if (record.name == "m/models/model.json") record.crc = 1;
  }
  const Diagnostic error = import_error(zip.build());
  EXPECT_EQ(error.id, Diag::kArchiveRecord);
  EXPECT_THAT(error.message, HasSubstr("'models/model.json' is damaged"));
}

TEST(Archive, ChecksWeightsInChunksOnSeveralThreads) {
  // Two chunks, then an empty record, then one with a flipped byte.
  std::string large((size_t{33} << 20) + 5, '\0');
  for (size_t i = 0; i < large.size(); i += 4096) large[i] = static_cast<char>(i >> 12);
  TestZip zip = linear_program().zip();
  zip.add("m/data/weights/large", large);
  zip.add("m/data/weights/empty", "");
  zip.add("m/data/weights/flipped", "abc").crc = test_zip::crc_of("abd");
  const TestFile file(zip.build());
  const auto archive = Archive::open(file.path());
  const std::vector<const Record*> good = {archive->find("data/weights/large"),
                                           archive->find("data/weights/empty")};
  for (const unsigned threads : {1u, 2u, 7u}) archive->check_crcs(good, threads);
  std::vector<const Record*> all = good;
  all.push_back(archive->find("data/weights/flipped"));
  try {
    archive->check_crcs(all, 2);
    FAIL();
  } catch (const CompileError& error) {
    EXPECT_EQ(error.diagnostic().id, Diag::kArchiveRecord);
    EXPECT_THAT(error.diagnostic().message, HasSubstr("'data/weights/flipped' is damaged"));
  }
}

// Offsets, sizes and checksums as minizip finds them.
TEST(Archive, AgreesWithAnotherReader) {
  size_t archives = 0;
  for (const auto& path : all_archives()) {
    SCOPED_TRACE(path);
    const auto archive = Archive::open(path);
    unzFile other = unzOpen64(path.c_str());
    ASSERT_NE(other, nullptr);
    ++archives;
    const std::byte* base = nullptr;
    for (int more = unzGoToFirstFile(other); more == UNZ_OK; more = unzGoToNextFile(other)) {
      char name[512];
      unz_file_info64 info = {};
      ASSERT_EQ(unzGetCurrentFileInfo64(other, &info, name, sizeof(name), nullptr, 0, nullptr, 0),
                UNZ_OK);
      ASSERT_EQ(unzOpenCurrentFile(other), UNZ_OK);
      const uint64_t offset = unzGetCurrentFileZStreamPos64(other);
      unzCloseCurrentFile(other);
      const std::string full = name;
      const Record* record = archive->find(full.substr(full.find('/') + 1));
      ASSERT_NE(record, nullptr) << full;
      EXPECT_EQ(record->bytes.size(), info.uncompressed_size);
      EXPECT_EQ(record->crc32, info.crc);
      if (!base) base = record->bytes.data() - offset;
      EXPECT_EQ(record->bytes.data(), base + offset) << full;
    }
    unzClose(other);
  }
  EXPECT_GT(archives, 0u);
}

}  // namespace
}  // namespace ingot::pt2
