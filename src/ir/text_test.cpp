#include "ir/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/test_operators.h"
#include "ir/verify.h"
#include "support/diagnostics.h"

namespace ingot::ir {
namespace {

using testing::HasSubstr;

std::unique_ptr<Model> parse(std::string_view text) {
  return parse_model(text, find_test_operator);
}

// The message of the CompileError that parsing gives, or "" if it gives none.
std::string complaint(std::string_view text) {
  try {
    parse(text);
  } catch (const CompileError& error) {
    EXPECT_EQ(error.diagnostic().id, Diag::kBadIr);
    return error.diagnostic().message;
  }
  return "";
}

constexpr std::string_view kEverything = R"(symbol s0 in [1, 64]
symbol u0 in [0, inf]
symbol v0 in [-inf, inf]
graph main(%x: f32[s0, 4], %p: bool[], const %w "lin.weight": f32[3, 4], state %kc "kc \"q\"\\\x0a": f32[3, 3]) {
  %y: f32[s0, 3] = aten.linear.default(%x, %w, none)
  %a.0: f32[s0, 1], %a.1: f32[s0, 2] = aten.split_with_sizes.default(%y, [1, 2], 1)
  %c: f32[2*s0 + u0] = aten.cat.default([%a.0, %a.0], 0)
  %d: f32[s0] = aten.index.Tensor(%c, [none, %p])
  %e: f16[] = aten.full.default([], 1.5, dtype f16, none, none)
  %f: f32[] = aten.add.Scalar(%e, -inf, 1e-05)
  %g: f32[] = aten.add.Scalar(%f, true, s0 + 1)
  %h: f32[] = aten.add.Scalar(%g, nan, -3)
  %q: f32[] = aten.avg_pool2d.default(%h, [2, 2], [], [1.0, 0.5], [true, false])
  aten._assert_async.msg(%p, "must \"hold\"")
  %k: f32[3, 3] = aten.relu.default(%kc)
  %r: f32[1] = higher_order.cond.default(%p, graph(%l: f32[1]) {
    %m: f32[1] = aten.relu.default(%l)
    return %m
  }, graph(%l: f32[1]) {
    return %l
  }, [%a.0])
  return %d, state %kc <- %k, input %p <- %p
}
)";

TEST(Text, PrintThenParseIsTheIdentity) {
  const std::string printed = to_string(*parse(kEverything));
  EXPECT_EQ(printed, kEverything);
  EXPECT_EQ(to_string(*parse(printed)), printed);
}

TEST(Text, SpacingCommentsAndDefaults) {
  const auto model = parse(R"(
# a comment, and odd spacing
symbol s0 in [1,64] symbol s1 in [ 0 , inf ]
graph main( %x:f32[s0,4] , const %w "w" : f32[3, 4],  # the weight
    state %s "s": i64[ ]) { %y: f32[s0, 3]
    = aten.linear.default(%x,
         %w)   # no bias
  %z: f32[] = aten.add.Scalar(%y, 1)
  return
})");
  EXPECT_EQ(to_string(*model), R"(symbol s0 in [1, 64]
symbol s1 in [0, inf]
graph main(%x: f32[s0, 4], const %w "w": f32[3, 4], state %s "s": i64[]) {
  %y: f32[s0, 3] = aten.linear.default(%x, %w, none)
  %z: f32[] = aten.add.Scalar(%y, 1, 1)
  return
}
)");
  EXPECT_EQ(model->inputs[2].role, InputRole::kState);
  EXPECT_EQ(model->weights[1].name, "s");
  EXPECT_EQ(model->weights[0].strides, (std::vector<int64_t>{4, 1}));
  EXPECT_EQ(model->storages[0].bytes, 48u);
  // The operator's name was on the line after the result's.
  EXPECT_EQ(model->locations[0].line, 6u);
  EXPECT_EQ(to_string(*model->graph.nodes().front()),
            "%y: f32[s0, 3] = aten.linear.default(%x, %w, none)");
}

TEST(Text, MakesNamesUniqueAndPlain) {
  Model model;
  model.locations.push_back({});
  for (const char* name : {"x", "x", "x_1", "a b%", ""}) {
    model.graph.add_input(name, {DType::kI8, {}});
    model.inputs.push_back({InputRole::kUser, static_cast<uint32_t>(model.user_inputs.size())});
    model.user_inputs.push_back({});
  }
  const std::string text = to_string(model);
  EXPECT_EQ(
      text,
      "graph main(%x: i8[], %x_1: i8[], %x_1_1: i8[], %a_b_: i8[], %_: i8[]) {\n  return\n}\n");
  EXPECT_EQ(to_string(*parse(text)), text);
}

TEST(Text, NamesTheLineOfAnError) {
  const struct {
    std::string_view text;
    std::string_view message;
  } kCases[] = {
      {"", "line 1: expected 'graph', but the text ends"},
      {"\n\ngraf main", "line 3: expected 'graph' before 'graf'"},
      {"graph main(%x: f33[2]) {\n return\n}", "line 1: there is no dtype f33"},
      {"graph main() {\n", "line 2: expected an operator, but the text ends"},
      {"graph main() {\n return\n} x", "line 3: expected the end of the text before 'x'"},
      {"graph main() {\n return %x\n}", "line 2: %x is not defined"},
      {"graph main(%x: f32[2], %x: f32[2]) {\n return\n}", "line 1: %x is defined twice"},
      {"graph main(%x: f32[s0]) {\n return\n}", "uses the symbol s0, which is not declared"},
      {"graph main(%x: f32[-+]) {\n return\n}", "line 1: '-+': "},
      {"symbol s0 in [1, 2]\nsymbol s0 in [1, 2]\n", "line 2: symbol s0 is declared twice"},
      {"symbol s0 in [1, x]\n", "line 1: 'x' is not a bound"},
      {"graph main(const %w: f32[2]) {\n return\n}", "line 1: expected '\"' before ':'"},
      {"graph main(const %w \"w: f32[2]) {\n return\n}", "line 1: a string does not end"},
      {"graph main(const %w \"\\y\": f32[2]) {\n return\n}", "line 1: an unknown escape"},
      {"symbol s in [1, 2]\ngraph main(const %w \"w\": f32[s]) {\n return\n}",
       "line 2: weight \"w\" has no constant size"},
      {"graph main(const %w \"w\": f32[99999999, 99999999]) {\n return\n}",
       "line 1: a weight is too large"},
      {"graph main(%x: f32[2]) {\n %y: f32[2] = aten.nope.default(%x)\n return\n}",
       "line 2: there is no operator aten.nope.default"},
      {"graph main(%x: f32[2]) {\n\n %y: f32[2] = aten.relu.default()\n return\n}",
       "line 3: aten.relu.default lacks an argument"},
      {"graph main(%x: f32[2]) {\n %y: f32[2] = aten.relu.default(%x, 3)\n return\n}",
       "line 2: aten.relu.default takes 1 arguments"},
      {"graph main(%x: f32[2]) {\n %y: f32[2] = aten.relu.default(\"x\")\n return\n}",
       "line 2: aten.relu.default lacks an argument, or one is of the wrong type"},
      {"graph main(%x: f32[2]) {\n %y: f32[2] = aten.cat.default([%x, 2])\n return\n}",
       "line 2: expected '%' before '2'"},
      {"graph main(%x: f32[2]) {\n %y: f32[2] = aten.add.Scalar(%x, )\n return\n}",
       "line 2: expected an argument before ')'"},
      {"graph main(%x: f32[2]) {\n aten.relu.default(%x)\n return\n}",
       "line 2: %relu = aten.relu.default: has 0 results"},
      {"graph main(%x: f32[2]) {\n return input %y <- %x\n}", "line 2: %y is not defined"},
      {"graph main(%x: f32[2]) {\n return state %x <- %x\n}", "updates an input of another role"},
      {"graph main(%x: f32[2], %z: i8[2]) {\n return input %x <- %z\n}",
       "is not of the type of the input %x"},
  };
  for (const auto& [text, message] : kCases) {
    EXPECT_THAT(complaint(text), HasSubstr(message)) << text;
  }
}

TEST(Text, BoundsTheDepthOfWhatItReads) {
  const std::string parens(100, '(');
  EXPECT_THAT(complaint("graph main(%x: f32[" + parens + "]) {"), HasSubstr("nested too deeply"));
  EXPECT_THAT(complaint("graph main(%x: f32[" + std::string(5000, '1') + "]) {"),
              HasSubstr("too long"));
  std::string text = "graph main(%p: bool[]) {\n";
  for (int i = 0; i < 100; ++i) text += "higher_order.cond.default(%p, graph(%p: bool[]) {\n";
  EXPECT_THAT(complaint(text), HasSubstr("line 18: sub-graphs are nested too deeply"));
  std::string sizes = "1";
  for (int i = 0; i < 100; ++i) sizes += ", 1";
  EXPECT_THAT(complaint("graph main(%x: f32[" + sizes + "]) {"), HasSubstr("too many dimensions"));
}

}  // namespace
}  // namespace ingot::ir
