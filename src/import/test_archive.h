// Imports archives that tests build.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

#include "import/import_model.h"
#include "import/test_program.h"
#include "support/diagnostics.h"

namespace ingot::pt2 {

// Writes a file of the test's own, and removes it afterwards.
class TestFile {
 public:
  explicit TestFile(const std::string& content) {
    static int count = 0;
    path_ = testing::TempDir() + "ingot_" + std::to_string(::getpid()) + "_" +
            std::to_string(count++) + ".pt2";
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TestFile() { std::remove(path_.c_str()); }
  TestFile(const TestFile&) = delete;
  TestFile& operator=(const TestFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The model of a file with this content. The file is gone afterwards; its mapping stays.
inline std::unique_ptr<ir::Model> import_bytes(const std::string& content) {
  const TestFile file(content);
  return import_file(file.path(), {.check_weights = true, .threads = 1});
}
inline std::unique_ptr<ir::Model> import_program(const TestProgram& program) {
  return import_bytes(program.zip().build());
}

// The diagnostic that importing the content ends in.
inline Diagnostic import_error(const std::string& content) {
  try {
    import_bytes(content);
  } catch (const CompileError& error) {
    return error.diagnostic();
  }
  return {Diag::kInternal, "accepted", {}};
}

}  // namespace ingot::pt2
