#include "support/file_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "support/diagnostics.h"

namespace ingot {
namespace {

class FileMapTest : public testing::Test {
 protected:
  FileMapTest() : path_(testing::TempDir() + "file_map_test.bin") {}
  ~FileMapTest() override { std::filesystem::remove(path_); }
  void write(const std::string& text) { std::ofstream(path_, std::ios::binary) << text; }
  std::string path_;
};

std::string text_of(const FileMap& map) {
  return {reinterpret_cast<const char*>(map.bytes().data()), map.bytes().size()};
}

TEST_F(FileMapTest, MapsMovesAndReleasesPages) {
  const std::string text(20000, 'q');
  write(text);
  auto opened = FileMap::open(path_);
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  FileMap map = std::move(opened).value();
  EXPECT_EQ(text_of(map), text);
  map.release_pages(map.bytes().subspan(100, 15000));
  EXPECT_EQ(text_of(map), text);
  const std::byte* address = map.bytes().data();
  FileMap moved = std::move(map);
  EXPECT_EQ(moved.bytes().data(), address);
  FileMap other;
  other = std::move(moved);
  EXPECT_EQ(text_of(other), text);
}

TEST_F(FileMapTest, MapsEmptyFilesToNothing) {
  write("");
  auto opened = FileMap::open(path_);
  ASSERT_TRUE(opened.ok());
  EXPECT_TRUE(opened->bytes().empty());
}

TEST_F(FileMapTest, NamesWhatCannotBeRead) {
  for (const std::string& path :
       {testing::TempDir() + "no/such/file", testing::TempDir(), std::string("/dev/null")}) {
    const auto opened = FileMap::open(path);
    ASSERT_FALSE(opened.ok()) << path;
    EXPECT_EQ(opened.status().id(), static_cast<int>(Diag::kFileUnreadable));
    EXPECT_THAT(opened.status().message(), testing::HasSubstr(path));
  }
}

}  // namespace
}  // namespace ingot
