// Finds the archives that tests read when they are there.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace ingot::pt2 {

// The folder of PyTorch's archives, or an empty path.
inline std::filesystem::path archive_folder() {
  const char* chosen = std::getenv("INGOT_SHARED_DATA");
  const std::filesystem::path folder =
      std::filesystem::path(chosen ? chosen : "../shared/data") / "pt2";
  return std::filesystem::exists(folder) ? folder : std::filesystem::path();
}

// Every .pt2 file of a sub-folder, sorted.
inline std::vector<std::filesystem::path> archives_of(const std::string& version) {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path folder = archive_folder();
  if (folder.empty() || !std::filesystem::exists(folder / version)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder / version)) {
    if (entry.path().extension() == ".pt2") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace ingot::pt2

#define INGOT_SKIP_WITHOUT_ARCHIVES()                                                  \
  if (::ingot::pt2::archive_folder().empty()) {                                        \
    GTEST_SKIP() << "no archives to read: set INGOT_SHARED_DATA to the data's folder"; \
  }                                                                                    \
  static_assert(true)
