// Every archive of tests/data, and of the optional data folder, matches each of its recordings.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "cli/commands.h"

namespace ingot {
namespace {

namespace fs = std::filesystem;

struct Recording {
  fs::path archive;
  fs::path arrays;
  std::string name;
};

// "bert_tiny.bf16.core" for …/bert_tiny.bf16.core.s7.npz and the like, "" if there is no archive.
fs::path archive_of(const fs::path& arrays) {
  fs::path stem = arrays;
  for (int i = 0; i < 2; ++i) {
    stem.replace_extension();
    fs::path archive = stem;
    archive += ".pt2";
    if (fs::exists(archive)) return archive;
  }
  return {};
}

void add_recordings(const fs::path& folder, const std::string& prefix,
                    std::vector<Recording>& recordings) {
  if (!fs::is_directory(folder)) return;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".npz") continue;
    const fs::path archive = archive_of(entry.path());
    if (archive.empty()) continue;
    std::string name = prefix + entry.path().stem().string();
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == '.' || c == '-'; }, '_');
    recordings.push_back({archive, entry.path(), name});
  }
}

fs::path shared_data() {
  if (const char* given = std::getenv("INGOT_SHARED_DATA")) return given;
  return "../shared/data";
}

std::vector<Recording> all_recordings() {
  std::vector<Recording> recordings;
  add_recordings("tests/data", "", recordings);
  const fs::path shared = shared_data() / "pt2/torch-2.11";
  add_recordings(shared, "shared_", recordings);
  // Control flow has no kernels yet.
  std::erase_if(recordings, [](const Recording& r) { return r.name == "shared_cond_net"; });
  const fs::path decoder = shared / "llama_tiny.pt2";
  if (fs::exists(decoder)) {
    recordings.push_back({decoder, "tests/data/torch-2.11.llama_tiny.calls.npz", "shared_calls"});
  }
  std::sort(recordings.begin(), recordings.end(),
            [](const Recording& a, const Recording& b) { return a.name < b.name; });
  return recordings;
}

class Models : public testing::TestWithParam<Recording> {};

TEST_P(Models, MatchPyTorch) {
  cli::VerifyOptions options;
  options.model = GetParam().archive.string();
  options.expected = GetParam().arrays.string();
  options.device = "cpu";
  EXPECT_EQ(cli::run_verify(options), 0) << options.expected;
}

INSTANTIATE_TEST_SUITE_P(Recorded, Models, testing::ValuesIn(all_recordings()),
                         [](const auto& recording) { return recording.param.name; });

TEST(OptionalData, IsThere) {
  if (!fs::is_directory(shared_data() / "pt2")) {
    GTEST_SKIP() << "NOT RUN: the optional archives of PyTorch 2.11 are not at " << shared_data()
                 << " (set INGOT_SHARED_DATA)";
  }
}

}  // namespace
}  // namespace ingot
