#include "passes/simplify_views.h"

#include <gtest/gtest.h>

#include "passes/testing.h"

namespace ingot::passes {
namespace {

// Simplifies, drops what is dead, and returns the lines of the body.
std::string simplified(const std::string& inputs, const std::string& body) {
  const std::string text = "symbol s0 in [2, 64]\ngraph main(" + inputs + ") {\n" + body + "}\n";
  EXPECT_EQ(change_of_results({"simplify-views", "eliminate-dead-code"}, text, {{"s0", 6}}), 0);
  const std::string result = after({"simplify-views", "eliminate-dead-code"}, text);
  const size_t start = result.find("{\n") + 2;
  return result.substr(start, result.rfind('}') - start);
}

TEST(SimplifyViews, MergesReshapes) {
  EXPECT_EQ(simplified("%x: f32[4, 6]", R"(
  %a: f32[24] = ingot.reshape.default(%x, [24])
  %b: f32[2, 12] = ingot.reshape.default(%a, [2, 12])
  %c: f32[4, 6] = ingot.reshape.default(%b, [4, 6])
  return %b, %c
)"),
            "  %b: f32[2, 12] = ingot.reshape.default(%x, [2, 12])\n  return %b, %x\n");
}

TEST(SimplifyViews, MergesPermutes) {
  EXPECT_EQ(simplified("%x: f32[2, s0, 4]", R"(
  %a: f32[s0, 4, 2] = aten.permute.default(%x, [1, 2, 0])
  %b: f32[4, 2, s0] = aten.permute.default(%a, [1, -1, 0])
  %c: f32[2, s0, 4] = aten.permute.default(%a, [2, 0, 1])
  return %b, %c
)"),
            "  %b: f32[4, 2, s0] = aten.permute.default(%x, [2, 0, 1])\n  return %b, %x\n");
}

TEST(SimplifyViews, PermuteOfSingleElementsIsAReshape) {
  EXPECT_EQ(simplified("%x: f32[1, s0, 4]", R"(
  %a: f32[s0, 1, 4] = aten.permute.default(%x, [1, 0, 2])
  %b: f32[4, s0, 1] = aten.permute.default(%x, [2, 1, 0])
  return %a, %b
)"),
            "  %a: f32[s0, 1, 4] = ingot.reshape.default(%x, [s0, 1, 4])\n"
            "  %b: f32[4, s0, 1] = aten.permute.default(%x, [2, 1, 0])\n  return %a, %b\n");
}

TEST(SimplifyViews, Expands) {
  EXPECT_EQ(simplified("%x: f32[1, 4]", R"(
  %a: f32[3, 4] = ingot.expand.default(%x, [3, 4])
  %b: f32[2, 3, 4] = ingot.expand.default(%a, [2, 3, 4])
  %c: f32[1, 4] = ingot.expand.default(%x, [1, 4])
  return %b, %c
)"),
            "  %b: f32[2, 3, 4] = ingot.expand.default(%x, [2, 3, 4])\n  return %b, %x\n");
}

TEST(SimplifyViews, CastsThroughWiderTypesOnly) {
  EXPECT_EQ(simplified("%x: bf16[4], %y: f32[4], %i: i32[4]", R"(
  %a: f32[4] = ingot.cast.default(%x, dtype f32)
  %b: bf16[4] = ingot.cast.default(%a, dtype bf16)
  %c: f16[4] = ingot.cast.default(%y, dtype f16)
  %d: f32[4] = ingot.cast.default(%c, dtype f32)
  %e: i64[4] = ingot.cast.default(%i, dtype i64)
  %f: f32[4] = ingot.cast.default(%e, dtype f32)
  return %b, %d, %f
)"),
            "  %c: f16[4] = ingot.cast.default(%y, dtype f16)\n"
            "  %d: f32[4] = ingot.cast.default(%c, dtype f32)\n"
            "  %f: f32[4] = ingot.cast.default(%i, dtype f32)\n  return %x, %d, %f\n");
}

TEST(SimplifyViews, MergesSlices) {
  EXPECT_EQ(simplified("%x: f32[10, 4]", R"(
  %a: f32[8, 4] = ingot.slice.default(%x, 0, 1, 9, 1)
  %b: f32[3, 4] = ingot.slice.default(%a, 0, 2, 8, 2)
  %c: f32[10, 4] = ingot.slice.default(%x, 0, 0, 10, 1)
  %d: f32[2, 4] = ingot.slice.default(%b, 0, 1, 3, 1)
  return %b, %c, %d
)"),
            "  %b: f32[3, 4] = ingot.slice.default(%x, 0, 3, 9, 2)\n"
            "  %d: f32[2, 4] = ingot.slice.default(%b, 0, 1, 3, 1)\n  return %b, %x, %d\n");
}

TEST(SimplifyViews, SliceOfWhatWasScattered) {
  EXPECT_EQ(simplified("%x: f32[s0, 4], %y: f32[1, 4]", R"(
  %a: f32[s0, 4] = aten.slice_scatter.default(%x, %y, 0, 1, 2, 1)
  %same: f32[1, 4] = ingot.slice.default(%a, 0, 1, 2, 1)
  %before: f32[1, 4] = ingot.slice.default(%a, 0, 0, 1, 1)
  %overlap: f32[2, 4] = ingot.slice.default(%a, 0, 0, 2, 1)
  %other: f32[s0, 2] = ingot.slice.default(%a, 1, 0, 2, 1)
  return %same, %before, %overlap, %other
)"),
            "  %a: f32[s0, 4] = aten.slice_scatter.default(%x, %y, 0, 1, 2, 1)\n"
            "  %before: f32[1, 4] = ingot.slice.default(%x, 0, 0, 1, 1)\n"
            "  %overlap: f32[2, 4] = ingot.slice.default(%a, 0, 0, 2, 1)\n"
            "  %other: f32[s0, 2] = ingot.slice.default(%a, 1, 0, 2, 1)\n"
            "  return %y, %before, %overlap, %other\n");
}

TEST(SimplifyViews, ScatterOverAllOrTwice) {
  EXPECT_EQ(simplified("%x: f32[5], %y: f32[5], %z: f32[2], %w: f32[2]", R"(
  %all: f32[5] = aten.slice_scatter.default(%x, %y, 0, 0, 5, 1)
  %a: f32[5] = aten.slice_scatter.default(%x, %z, 0, 1, 3, 1)
  %twice: f32[5] = aten.slice_scatter.default(%a, %w, 0, 1, 3, 1)
  %apart: f32[5] = aten.slice_scatter.default(%a, %w, 0, 2, 4, 1)
  return %all, %twice, %apart
)"),
            "  %a: f32[5] = aten.slice_scatter.default(%x, %z, 0, 1, 3, 1)\n"
            "  %twice: f32[5] = aten.slice_scatter.default(%x, %w, 0, 1, 3, 1)\n"
            "  %apart: f32[5] = aten.slice_scatter.default(%a, %w, 0, 2, 4, 1)\n"
            "  return %y, %twice, %apart\n");
}

TEST(SimplifyViews, SliceOfAConcatenation) {
  EXPECT_EQ(simplified("%x: f32[2, s0], %y: f32[2, 4]", R"(
  %a: f32[2, s0 + 4] = aten.cat.default([%x, %y], 1)
  %first: f32[2, s0] = ingot.slice.default(%a, 1, 0, s0, 1)
  %last: f32[2, 2] = ingot.slice.default(%a, 1, s0 + 1, s0 + 3, 1)
  %both: f32[2, 2] = ingot.slice.default(%a, 1, s0 - 1, s0 + 1, 1)
  return %first, %last, %both
)"),
            "  %a: f32[2, s0 + 4] = aten.cat.default([%x, %y], 1)\n"
            "  %last: f32[2, 2] = ingot.slice.default(%y, 1, 1, 3, 1)\n"
            "  %both: f32[2, 2] = ingot.slice.default(%a, 1, s0 - 1, s0 + 1, 1)\n"
            "  return %x, %last, %both\n");
}

}  // namespace
}  // namespace ingot::passes
