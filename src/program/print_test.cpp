#include "program/print.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "program/testing.h"

namespace ingot::program {
namespace {

constexpr const char* kGolden = "src/program/test/print.golden";

std::string read_text(const char* path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// The whole test program as text. UPDATE_GOLDENS=1 writes the file anew.
TEST(Print, IsTheGolden) {
  const std::string text = print_all(make_test_program());
  if (std::getenv("UPDATE_GOLDENS") != nullptr) std::ofstream(kGolden) << text;
  EXPECT_EQ(text, read_text(kGolden));
}

}  // namespace
}  // namespace ingot::program
