#include "support/zip_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "support/test_zip.h"

namespace ingot {
namespace {

using testing::HasSubstr;

TestZip two_records() {
  TestZip zip;
  zip.add("m/first", "hello");
  zip.add("m/second", std::string(1000, 'x'));
  return zip;
}

std::string content(const std::string& file, const ZipEntry& entry) {
  return file.substr(entry.data_offset, entry.stored_bytes);
}

void expect_error(const std::string& file, Diag id, const std::string& part) {
  const auto result = read_zip_directory(as_bytes(file));
  ASSERT_FALSE(result.ok()) << "accepted; expected: " << part;
  EXPECT_EQ(result.status().id(), static_cast<int>(id)) << result.status().message();
  EXPECT_THAT(result.status().message(), HasSubstr(part));
}

void expect_bad_file(const std::string& file, const std::string& part) {
  expect_error(file, Diag::kNotAnArchive, part);
}
void expect_bad_record(const TestZip& zip, const std::string& part) {
  expect_error(zip.build(), Diag::kArchiveRecord, part);
}

TEST(ZipDirectory, FindsStoredRecordsWhereTheyLie) {
  const std::string file = two_records().build();
  const auto entries = read_zip_directory(as_bytes(file));
  ASSERT_TRUE(entries.ok()) << entries.status().message();
  ASSERT_EQ(entries.value().size(), 2u);
  const ZipEntry& first = entries.value()[0];
  EXPECT_EQ(first.name, "m/first");
  EXPECT_EQ(content(file, first), "hello");
  EXPECT_EQ(first.data_offset % 64, 0u);
  EXPECT_TRUE(first.is_stored());
  EXPECT_EQ(content(file, entries.value()[1]), std::string(1000, 'x'));
}

TEST(ZipDirectory, TakesEmptyZipsCommentsFoldersAndSizesInLocalHeaders) {
  TestZip zip;
  EXPECT_TRUE(read_zip_directory(as_bytes(zip.build())).ok());
  zip.comment = "made by hand";
  zip.add("folder/", "");
  zip.add("folder/file", "text").flags = 0;
  const std::string file = zip.build();
  const auto entries = read_zip_directory(as_bytes(file));
  ASSERT_TRUE(entries.ok()) << entries.status().message();
  EXPECT_EQ(content(file, entries.value()[1]), "text");
}

TEST(ZipDirectory, ReadsZip64) {
  TestZip zip = two_records();
  zip.zip64 = true;
  // The second record's sizes are in its zip64 field, its offset is not.
  TestZipRecord& record = zip.records[1];
  record.bytes = 0xffffffff;
  record.stored_bytes = 0xffffffff;
  test_zip::put<uint16_t>(record.central_extra, 7);  // some other field before it
  test_zip::put<uint16_t>(record.central_extra, 0);
  test_zip::put<uint16_t>(record.central_extra, 1);
  test_zip::put<uint16_t>(record.central_extra, 16);
  test_zip::put<uint64_t>(record.central_extra, 1000);
  test_zip::put<uint64_t>(record.central_extra, 1000);
  const std::string file = zip.build();
  const auto entries = read_zip_directory(as_bytes(file));
  ASSERT_TRUE(entries.ok()) << entries.status().message();
  EXPECT_EQ(content(file, entries.value()[1]), std::string(1000, 'x'));

  TestZip lacking = two_records();
  lacking.records[0].bytes = 0xffffffff;
  expect_bad_record(lacking, "lacks its zip64 field");
  lacking.records[0].central_extra = std::string("\x01\x00\x04\x00\x05\x00\x00\x00", 8);
  expect_bad_record(lacking, "zip64 field that is too short");

  TestZip no_locator = two_records();
  no_locator.directory_offset = 0xffffffff;
  expect_bad_file(no_locator.build(), "zip64");
}

TEST(ZipDirectory, RefusesWhatIsNoZip) {
  expect_bad_file("", "empty");
  expect_bad_file("just text, and more of it than an end record has", "not a ZIP archive");
  expect_bad_file(std::string(200000, '\0'), "not a ZIP archive");
  expect_bad_file("PK\x03\x04 and then nothing at all", "cut short");
}

TEST(ZipDirectory, RefusesEveryPrefix) {
  const std::string file = two_records().build();
  for (size_t size = 0; size < file.size(); ++size) {
    // A copy of exact size, so that the address sanitizer sees reads beyond it.
    const std::unique_ptr<std::byte[]> copy(new std::byte[size]);
    std::copy_n(as_bytes(file).data(), size, copy.get());
    EXPECT_FALSE(read_zip_directory({copy.get(), size}).ok()) << size;
  }
}

TEST(ZipDirectory, RefusesDirectoriesThatLie) {
  TestZip zip = two_records();
  zip.directory_offset = 0xfffffff0;
  expect_bad_file(zip.build(), "outside the file");
  zip = two_records();
  zip.directory_bytes = 0x7fffffff;
  expect_bad_file(zip.build(), "outside the file");
  zip = two_records();
  zip.entries = 3;
  expect_bad_file(zip.build(), "directory");
  zip = two_records();
  zip.entries = 1;
  expect_bad_file(zip.build(), "unexpected length");
  zip = two_records();
  zip.entries = 60000;
  expect_bad_file(zip.build(), "directory");
  zip = two_records();
  zip.disk = 1;
  expect_bad_file(zip.build(), "one part of several");
  // Bytes behind the end record: another reader might find another directory there.
  EXPECT_FALSE(read_zip_directory(as_bytes(two_records().build() + "tail")).ok());
}

TEST(ZipDirectory, RefusesNamesThatAreNoPlainPaths) {
  for (const char* name :
       {"../up", "a/../../up", "a/..", "/etc/passwd", "a//b", "./a", "a\\b", "..", "."}) {
    TestZip zip = two_records();
    zip.add(name, "x");
    expect_bad_record(zip, "not a plain relative path");
  }
  TestZip zip = two_records();
  zip.add(std::string("a\0b", 3), "x");
  expect_bad_record(zip, "not a plain relative path");
  zip = two_records();
  zip.add("", "x");
  expect_bad_record(zip, "not a plain relative path");
}

TEST(ZipDirectory, RefusesDuplicatesAndOverlaps) {
  TestZip zip = two_records();
  zip.add("m/first", "other");
  expect_bad_record(zip, "'m/first' is there more than once");

  // Two names for one record: their headers would disagree, so make the local one agree.
  zip = two_records();
  zip.records[1].header_offset = 0;
  expect_bad_record(zip, "disagrees with the directory");

  zip = two_records();
  zip.records[0].bytes = 300;
  zip.records[0].stored_bytes = 300;
  expect_bad_record(zip, "'m/first' overlaps record 'm/second'");
}

TEST(ZipDirectory, RefusesRecordsThatLeaveTheFile) {
  TestZip zip = two_records();
  zip.records[1].bytes = 1u << 30;
  zip.records[1].stored_bytes = 1u << 30;
  expect_bad_record(zip, "'m/second' reaches beyond the end");
  zip = two_records();
  zip.records[1].header_offset = 0xfffffff0;
  expect_bad_record(zip, "no local header");
  zip = two_records();
  zip.records[1].header_offset = 5;
  expect_bad_record(zip, "no local header");
}

TEST(ZipDirectory, RefusesHeadersThatDisagree) {
  TestZip zip = two_records();
  zip.records[0].local_name = "m/other";
  expect_bad_record(zip, "disagrees with the directory");
  zip = two_records();
  zip.records[0].flags = 0;
  zip.records[0].crc = 1;
  expect_bad_record(zip, "disagrees with the directory");
  zip = two_records();
  zip.records[0].bytes = 4;
  expect_bad_record(zip, "two different sizes");
  zip = two_records();
  zip.records[0].flags = 0x0809;
  expect_bad_record(zip, "encrypted");
}

TEST(ZipDirectory, KeepsMessagesPrintable) {
  TestZip zip = two_records();
  zip.add("../\x1b[31m\n", "x");
  const std::string file = zip.build();
  const auto result = read_zip_directory(as_bytes(file));
  ASSERT_FALSE(result.ok());
  for (const char c : result.status().message()) EXPECT_GE(static_cast<unsigned char>(c), 0x20);
}

// Whatever a flipped byte does, what is accepted lies within the file.
TEST(ZipDirectory, AnyFlippedByteIsHarmless) {
  const std::string file = two_records().build();
  for (size_t at = 0; at < file.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = file;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      const auto entries = read_zip_directory(as_bytes(damaged));
      if (!entries.ok()) continue;
      for (const ZipEntry& entry : entries.value()) {
        ASSERT_LE(entry.data_offset, damaged.size());
        ASSERT_LE(entry.stored_bytes, damaged.size() - entry.data_offset);
      }
    }
  }
}

}  // namespace
}  // namespace ingot
