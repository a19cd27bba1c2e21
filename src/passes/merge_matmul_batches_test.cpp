#include "passes/merge_matmul_batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "passes/testing.h"

namespace ingot::passes {
namespace {

std::string merged(const std::string& inputs, const std::string& body) {
  const std::string text = "symbol s0 in [2, 64]\ngraph main(" + inputs + ") {" + body + "}\n";
  const std::vector<std::string_view> passes = {"merge-matmul-batches", "eliminate-dead-code"};
  EXPECT_LE(change_of_results(passes, text, {{"s0", 3}}), 1e-6);
  return after(passes, text);
}

TEST(MergeMatmulBatches, OneMatrixForAllRows) {
  EXPECT_EQ(merged("%x: f32[2, s0, 4], %w: f32[4, 5]", R"(
  %e: f32[2, 4, 5] = ingot.expand.default(%w, [2, 4, 5])
  %y: f32[2, s0, 5] = ingot.matmul.default(%x, %e)
  return %y
)"),
            R"(symbol s0 in [2, 64]
graph main(%x: f32[2, s0, 4], %w: f32[4, 5]) {
  %y: f32[2*s0, 4] = ingot.reshape.default(%x, [2*s0, 4])
  %y_1: f32[2*s0, 5] = ingot.matmul.default(%y, %w, none)
  %y_2: f32[2, s0, 5] = ingot.reshape.default(%y_1, [2, s0, 5])
  return %y_2
}
)");
  EXPECT_THAT(merged("%x: f32[2, s0, 4], %w: f32[1, 4, 5]", R"(
  %y: f32[2, s0, 5] = ingot.matmul.default(%x, %w)
  return %y
)"),
              testing::HasSubstr("%y_2: f32[2*s0, 5] = ingot.matmul.default(%y_1, %y, none)"));
}

TEST(MergeMatmulBatches, KeepsDifferentMatrices) {
  const struct {
    const char* inputs;
    const char* body;
  } cases[] = {
      {"%x: f32[2, s0, 4], %w: f32[2, 4, 5]", R"(
  %y: f32[2, s0, 5] = ingot.matmul.default(%x, %w, none)
  return %y
)"},
      {"%x: f32[1, s0, 4], %w: f32[2, 4, 5]", R"(
  %y: f32[2, s0, 5] = ingot.matmul.default(%x, %w, none)
  return %y
)"},
      {"%x: f32[2, s0, 4], %w: f32[4, 1]", R"(
  %e: f32[2, 4, 5] = ingot.expand.default(%w, [2, 4, 5])
  %y: f32[2, s0, 5] = ingot.matmul.default(%x, %e, none)
  return %y
)"},
      {"%x: f32[s0, 4], %w: f32[4, 5]", R"(
  %y: f32[s0, 5] = ingot.matmul.default(%x, %w, none)
  return %y
)"},
  };
  for (const auto& [inputs, body] : cases) {
    EXPECT_THAT(merged(inputs, body), testing::HasSubstr(body));
  }
}

}  // namespace
}  // namespace ingot::passes
