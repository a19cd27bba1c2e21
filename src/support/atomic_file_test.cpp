#include "support/atomic_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/diagnostics.h"

namespace ingot {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class AtomicFileTest : public ::testing::Test {
 protected:
  AtomicFileTest()
      : folder_(fs::temp_directory_path() / ("ingot_atomic_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~AtomicFileTest() override { fs::remove_all(folder_); }
  std::string path(const char* name) const { return (folder_ / name).string(); }
  static std::span<const std::byte> bytes(std::string_view text) {
    return std::as_bytes(std::span(text.data(), text.size()));
  }
  std::string content(const char* name) const {
    std::ifstream in(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  size_t files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }

  fs::path folder_;
};

TEST_F(AtomicFileTest, AppearsWhenCommitted) {
  auto file = AtomicFile::create(path("a b.bin"));
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->append(bytes("hello world")).ok());
  EXPECT_TRUE(file->write_at(0, bytes("HELLO")).ok());
  EXPECT_TRUE(file->append(bytes("!")).ok());
  EXPECT_EQ(file->size(), 12u);
  EXPECT_FALSE(fs::exists(path("a b.bin")));
  EXPECT_TRUE(file->commit().ok());
  EXPECT_EQ(content("a b.bin"), "HELLO world!");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFileTest, LeavesNothingWithoutCommit) {
  ASSERT_TRUE(write_file(path("x"), bytes("old")).ok());
  {
    auto file = AtomicFile::create(path("x"));
    ASSERT_TRUE(file->append(bytes("new")).ok());
  }
  EXPECT_EQ(content("x"), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFileTest, ReplacesWholly) {
  ASSERT_TRUE(write_file(path("x"), bytes("a long old text")).ok());
  ASSERT_TRUE(write_file(path("x"), bytes("new")).ok());
  EXPECT_EQ(content("x"), "new");
}

TEST_F(AtomicFileTest, FollowsLinks) {
  ASSERT_TRUE(write_file(path("x"), bytes("old")).ok());
  fs::create_symlink(path("x"), path("link"));
  ASSERT_TRUE(write_file(path("link"), bytes("new")).ok());
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(content("x"), "new");
}

TEST_F(AtomicFileTest, RefusesWhatIsNotAFile) {
  const Status folder = write_file(folder_.string(), bytes("x"));
  EXPECT_EQ(folder.id(), static_cast<int>(Diag::kFileUnwritable));
  EXPECT_THAT(folder.message(), HasSubstr(folder_.string()));
  EXPECT_FALSE(write_file(path("no/such/folder"), bytes("x")).ok());
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(write_file(path("pipe"), bytes("x")).message(), HasSubstr("not a regular file"));
  EXPECT_FALSE(write_file("/dev/null", bytes("x")).ok());
  EXPECT_EQ(files(), 1u);
}

}  // namespace
}  // namespace ingot
