#include "passes/fold_constants.h"

#include <gtest/gtest.h>

#include "passes/testing.h"

namespace ingot::passes {
namespace {

std::string folded(const std::string& inputs, const std::string& body) {
  const std::string text = "symbol s0 in [2, 64]\ngraph main(" + inputs + ") {\n" + body + "}\n";
  EXPECT_EQ(change_of_results({"fold-constants", "eliminate-dead-code"}, text, {{"s0", 3}}), 0);
  const std::string result = after({"fold-constants", "eliminate-dead-code"}, text);
  const size_t start = result.find("{\n") + 2;
  return result.substr(start, result.rfind('}') - start);
}

TEST(FoldConstants, ComputesWithFilledTensors) {
  EXPECT_EQ(
      folded("", R"(
  %a: f32[2, 3] = aten.full.default([2, 3], 0.1, dtype f32)
  %b: f32[] = aten.full.default([], 0.2, dtype f32)
  %c: f32[2, 3] = aten.add.Tensor(%a, %b)
  %d: bool[2, 3] = aten.gt.Scalar(%c, 0.25)
  %e: i64[2, 3] = ingot.cast.default(%d, dtype i64)
  return %c, %e
)"),
      "  %c: f32[2, 3] = aten.full.default([2, 3], 0.30000001192092896, dtype f32, none, none, "
      "none)\n"
      "  %e: i64[2, 3] = aten.full.default([2, 3], 1, dtype i64, none, none, none)\n"
      "  return %c, %e\n");
}

TEST(FoldConstants, ViewsOfFilledTensors) {
  EXPECT_EQ(folded("", R"(
  %a: f16[1, s0] = aten.full.default([1, s0], 2.0, dtype f16)
  %b: f16[4, s0] = ingot.expand.default(%a, [4, s0])
  %c: f16[s0, 4] = aten.permute.default(%b, [1, 0])
  return %c
)"),
            "  %c: f16[s0, 4] = aten.full.default([s0, 4], 2.0, dtype f16, none, none, none)\n"
            "  return %c\n");
}

TEST(FoldConstants, Identities) {
  EXPECT_EQ(folded("%x: f32[4], %m: bool[4], %i: i64[4]", R"(
  %one: f32[] = aten.full.default([], 1.0, dtype f32)
  %true: bool[4] = aten.full.default([4], true, dtype bool)
  %a: f32[4] = aten.mul.Tensor(%one, %x)
  %b: f32[4] = aten.div.Scalar(%a, 1)
  %c: f32[4] = aten.sub.Scalar(%b, 0.0)
  %d: bool[4] = aten.logical_and.default(%m, %true)
  %e: i64[4] = aten.add.Scalar(%i, 0)
  %f: f32[4] = aten.where.self(%true, %c, %x)
  return %f, %d, %e
)"),
            "  return %x, %m, %i\n");
}

TEST(FoldConstants, KeepsWhatIsNotExactlyAnIdentity) {
  const std::string body = R"(  %a: f32[4] = aten.add.Scalar(%x, 0.0, 1)
  %b: f32[4] = aten.mul.Scalar(%x, 0.0)
  %c: f32[4] = aten.sub.Scalar(%x, -0.0, 1)
  %d: bool[4] = aten.logical_and.default(%i, %i)
  %e: i64[4] = aten.add.Scalar(%i, 1, 0)
  return %a, %b, %c, %d, %e
)";
  EXPECT_EQ(folded("%x: f32[4], %i: i64[4]", body), body);
}

TEST(FoldConstants, KeepsTheTypeOfTheResult) {
  EXPECT_EQ(folded("%i: i64[4], %h: f16[1, 4]", R"(
  %a: f32[4] = aten.mul.Scalar(%i, 1.0)
  %two: f32[2, 1] = aten.full.default([2, 1], 1.0, dtype f32)
  %b: f32[2, 4] = aten.mul.Tensor(%h, %two)
  return %a, %b
)"),
            "  %a: f32[4] = ingot.cast.default(%i, dtype f32)\n"
            "  %b: f32[1, 4] = ingot.cast.default(%h, dtype f32)\n"
            "  %b_1: f32[2, 4] = ingot.expand.default(%b, [2, 4])\n"
            "  return %a, %b_1\n");
}

}  // namespace
}  // namespace ingot::passes
