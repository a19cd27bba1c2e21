#include "passes/simplify_sizes.h"

#include <gtest/gtest.h>

#include "passes/testing.h"

namespace ingot::passes {
namespace {

TEST(SimplifySizes, UsesTheRangesOfSymbols) {
  const std::string text = R"(symbol s0 in [2, 64]
symbol u0 in [-inf, inf]
graph main(%x: f32[s0, 4]) {
  %a: f32[max(0, s0), 4] = ingot.slice.default(%x, 0, 0, max(0, s0), 1)
  %b: f32[min(s0, 70), 4] = ingot.reshape.default(%a, [min(s0, 70), 4])
  %c: f32[max(0, u0)] = aten.full.default([max(0, u0)], 1.0, dtype f32, none, none, none)
  return %b, %c
}
)";
  EXPECT_EQ(change_of_results({"simplify-sizes", "simplify-views"}, text, {{"s0", 5}, {"u0", -3}}),
            0);
  EXPECT_EQ(after({"simplify-sizes"}, text), R"(symbol s0 in [2, 64]
symbol u0 in [-inf, inf]
graph main(%x: f32[s0, 4]) {
  %a: f32[s0, 4] = ingot.slice.default(%x, 0, 0, s0, 1)
  %b: f32[s0, 4] = ingot.reshape.default(%a, [s0, 4])
  %c: f32[max(0, u0)] = aten.full.default([max(0, u0)], 1.0, dtype f32, none, none, none)
  return %b, %c
}
)");
}

}  // namespace
}  // namespace ingot::passes
