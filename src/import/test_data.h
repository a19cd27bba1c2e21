// Finds the archives that PyTorch wrote for the tests: the repository's own in tests/data, and more
// where the environment variable INGOT_SHARED_DATA says. Tests run in the repository's root.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

namespace ingot::pt2 {

// Every .pt2 file of a folder, sorted; none if there is no folder.
inline std::vector<std::filesystem::path> archives_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::exists(folder)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".pt2") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The folder of the archives that are not in the repository.
inline std::filesystem::path optional_archives() {
  const char* chosen = std::getenv("INGOT_SHARED_DATA");
  return std::filesystem::path(chosen ? chosen : "../shared/data") / "pt2";
}

// Every archive of the layout that Ingot reads.
inline std::vector<std::filesystem::path> all_archives() {
  std::vector<std::filesystem::path> files = archives_in("tests/data");
  for (const char* version : {"torch-2.11", "torch-2.14.1"}) {
    const auto more = archives_in(optional_archives() / version);
    files.insert(files.end(), more.begin(), more.end());
  }
  return files;
}

}  // namespace ingot::pt2

#define INGOT_SKIP_WITHOUT_OPTIONAL_ARCHIVES()                                                \
  if (!std::filesystem::exists(::ingot::pt2::optional_archives())) {                          \
    GTEST_SKIP() << "not all archives are there: set INGOT_SHARED_DATA to the data's folder"; \
  }                                                                                           \
  static_assert(true)
