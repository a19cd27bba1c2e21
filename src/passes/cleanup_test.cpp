// Tests of the passes that remove nodes: common subexpressions, dead code.
#include <gtest/gtest.h>

#include "passes/testing.h"

namespace ingot::passes {
namespace {

TEST(EliminateCommonSubexpressions, MergesEqualCalls) {
  EXPECT_EQ(after({"eliminate-common-subexpressions"}, R"(graph main(%x: f32[4], %y: f32[4]) {
  %a: f32[4] = aten.add.Tensor(%x, %y)
  %b: f32[4] = aten.add.Tensor(%x, %y, 1)
  %c: f32[4] = aten.exp.default(%a)
  %d: f32[4] = aten.exp.default(%b)
  %e: f32[4] = aten.add.Tensor(%c, %d)
  return %e, %b
})"),
            R"(graph main(%x: f32[4], %y: f32[4]) {
  %a: f32[4] = aten.add.Tensor(%x, %y, 1)
  %c: f32[4] = aten.exp.default(%a)
  %e: f32[4] = aten.add.Tensor(%c, %c, 1)
  return %e, %a
}
)");
}

TEST(EliminateCommonSubexpressions, KeepsCallsThatDiffer) {
  const std::string text = R"(graph main(%x: f32[4], %y: f32[4]) {
  %a: f32[4] = aten.add.Tensor(%x, %y, 1)
  %b: f32[4] = aten.add.Tensor(%y, %x, 1)
  %c: f32[4] = aten.add.Tensor(%x, %y, 2)
  %d: f32[4] = aten.add.Scalar(%x, 0.0, 1)
  %e: f32[4] = aten.add.Scalar(%x, -0.0, 1)
  return %a, %b, %c, %d, %e
}
)";
  EXPECT_EQ(after({"eliminate-common-subexpressions"}, text), text);
}

TEST(EliminateDeadCode, RemovesChainsOfUnreadNodes) {
  EXPECT_EQ(after({"eliminate-dead-code"}, R"(graph main(%x: f32[4]) {
  %a: f32[4] = aten.exp.default(%x)
  %b: f32[4] = aten.log.default(%a)
  %c: f32[4] = aten.neg.default(%x)
  return %c
})"),
            R"(graph main(%x: f32[4]) {
  %c: f32[4] = aten.neg.default(%x)
  return %c
}
)");
}

}  // namespace
}  // namespace ingot::passes
