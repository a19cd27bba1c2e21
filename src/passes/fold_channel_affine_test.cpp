#include "passes/fold_channel_affine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "passes/testing.h"

namespace ingot::passes {
namespace {

using testing::HasSubstr;
using testing::Not;

// The text after folding; the results must stay the same but for rounding.
std::string folded(const std::string& inputs, const std::string& body) {
  const std::string text = "symbol s0 in [2, 64]\ngraph main(" + inputs + ") {" + body + "}\n";
  const std::vector<std::string_view> passes = {
      "decompose",           "fold-constants", "simplify-views",     "eliminate-dead-code",
      "fold-channel-affine", "simplify-views", "eliminate-dead-code"};
  EXPECT_LE(change_of_results(passes, text, {{"s0", 3}}), 1e-5);
  return after(passes, text);
}

// What comes after the convolution or product: the rest of the graph that depends on the input.
std::string after_root(const std::string& text, const std::string& root) {
  const size_t start = text.find(root);
  EXPECT_NE(start, std::string::npos) << text;
  return start == std::string::npos ? "" : text.substr(text.find('\n', start) + 1);
}

constexpr const char* kNorm =
    "const %g \"g\": f32[5], const %h \"h\": f32[5], const %mean \"m\": f32[5], "
    "const %var \"v\": f32[5]";

TEST(FoldChannelAffine, BatchNormAfterAConvolution) {
  const std::string inputs =
      "%x: f32[s0, 4, 6, 6], const %w \"w\": f32[5, 4, 3, 3], "
      "const %b \"b\": f32[5], " +
      std::string(kNorm);
  const std::string text = folded(inputs, R"(
  %positive: f32[5] = aten.exp.default(%var)
  %c: f32[s0, 5, 4, 4] = aten.conv2d.default(%x, %w, %b)
  %n: f32[s0, 5, 4, 4] = aten.batch_norm.default(
      %c, %g, %h, %mean, %positive, false, 0.1, 0.001, true)
  %r: f32[s0, 5, 4, 4] = aten.relu.default(%n)
  return %r
)");
  // One addition is left between the convolution and the activation.
  const std::string rest = after_root(text, "ingot.conv.default");
  EXPECT_THAT(rest, Not(HasSubstr("aten.mul")));
  EXPECT_THAT(rest, Not(HasSubstr("aten.sub")));
  EXPECT_THAT(rest, HasSubstr("aten.add.Tensor"));
}

TEST(FoldChannelAffine, BatchNormAfterALinearLayer) {
  const std::string inputs = "%x: f32[s0, 4], const %w \"w\": f32[5, 4], " + std::string(kNorm);
  const std::string text = folded(inputs, R"(
  %positive: f32[5] = aten.exp.default(%var)
  %c: f32[s0, 5] = aten.linear.default(%x, %w)
  %n: f32[s0, 5] = aten.batch_norm.default(
      %c, %g, %h, %mean, %positive, false, 0.1, 0.001, true)
  return %n
)");
  EXPECT_THAT(after_root(text, "ingot.matmul.default"), Not(HasSubstr("aten.mul")));
}

TEST(FoldChannelAffine, DivisionsSubtractionsAndNumbers) {
  const std::string text = folded(
      "%x: f32[s0, 4, 6, 6], const %w \"w\": f32[4, 1, 3, 3], const %m \"m\": f32[4, 1, 1]", R"(
  %d: f32[4, 1, 1] = aten.exp.default(%m)
  %c: f32[s0, 4, 4, 4] = ingot.conv.default(
      %x, %w, [1, 1], [0, 0], [1, 1], false, [0, 0], 4, dtype f32)
  %s: f32[s0, 4, 4, 4] = aten.sub.Tensor(%c, %m)
  %q: f32[s0, 4, 4, 4] = aten.div.Tensor(%s, %d)
  %t: f32[s0, 4, 4, 4] = aten.mul.Scalar(%q, 2.0)
  %u: f32[s0, 4, 4, 4] = aten.add.Tensor(%d, %t)
  return %u
)");
  const std::string rest = after_root(text, "ingot.conv.default");
  EXPECT_THAT(rest, Not(HasSubstr("aten.mul")));
  EXPECT_THAT(rest, Not(HasSubstr("aten.div")));
}

struct Kept {
  const char* name;
  const char* inputs;
  const char* body;
};

TEST(FoldChannelAffine, KeepsWhatItMustNotFold) {
  const Kept cases[] = {
      {"the convolution has another reader",
       "%x: f32[s0, 4, 6, 6], const %w \"w\": f32[5, 4, 3, 3], const %g \"g\": f32[5, 1, 1]", R"(
  %c: f32[s0, 5, 4, 4] = aten.conv2d.default(%x, %w)
  %n: f32[s0, 5, 4, 4] = aten.mul.Tensor(%c, %g)
  return %n, %c
)"},
      {"the factor varies along the width",
       "%x: f32[s0, 4, 6, 6], const %w \"w\": f32[5, 4, 3, 3], const %g \"g\": f32[4]", R"(
  %c: f32[s0, 5, 4, 4] = aten.conv2d.default(%x, %w)
  %n: f32[s0, 5, 4, 4] = aten.mul.Tensor(%c, %g)
  return %n
)"},
      {"the factor is computed from an input",
       "%x: f32[s0, 4, 6, 6], const %w \"w\": f32[5, 4, 3, 3], %g: f32[5, 1, 1]", R"(
  %c: f32[s0, 5, 4, 4] = aten.conv2d.default(%x, %w)
  %n: f32[s0, 5, 4, 4] = aten.mul.Tensor(%c, %g)
  return %n
)"},
      {"the factor is a state that changes",
       "%x: f32[s0, 4, 6, 6], const %w \"w\": f32[5, 4, 3, 3], state %g \"g\": f32[5, 1, 1]", R"(
  %c: f32[s0, 5, 4, 4] = aten.conv2d.default(%x, %w)
  %n: f32[s0, 5, 4, 4] = aten.mul.Tensor(%c, %g)
  %e: f32[5, 1, 1] = aten.neg.default(%g)
  return %n, state %g <- %e
)"},
      {"the weights are an input",
       "%x: f32[s0, 4, 6, 6], %w: f32[5, 4, 3, 3], const %g \"g\": f32[5, 1, 1]", R"(
  %c: f32[s0, 5, 4, 4] = aten.conv2d.default(%x, %w)
  %n: f32[s0, 5, 4, 4] = aten.mul.Tensor(%c, %g)
  return %n
)"},
      {"the convolution is transposed",
       "%x: f32[s0, 4, 6, 6], const %w \"w\": f32[4, 5, 3, 3], const %g \"g\": f32[5, 1, 1]", R"(
  %c: f32[s0, 5, 8, 8] = aten.conv_transpose2d.input(%x, %w)
  %n: f32[s0, 5, 8, 8] = aten.mul.Tensor(%c, %g)
  return %n
)"},
      {"the numerator is the constant",
       "%x: f32[s0, 4, 6, 6], const %w \"w\": f32[5, 4, 3, 3], const %g \"g\": f32[5, 1, 1]", R"(
  %c: f32[s0, 5, 4, 4] = aten.conv2d.default(%x, %w)
  %n: f32[s0, 5, 4, 4] = aten.div.Tensor(%g, %c)
  return %n
)"},
  };
  for (const Kept& each : cases) {
    const std::string text = folded(each.inputs, each.body);
    const std::string rest = after_root(text, "ingot.conv.default");
    EXPECT_TRUE(rest.find("aten.mul") != std::string::npos ||
                rest.find("aten.div") != std::string::npos)
        << each.name << "\n"
        << text;
  }
}

TEST(FoldChannelAffine, KeepsSixteenBitWeightsUnrounded) {
  const std::string text =
      after({"decompose", "simplify-views", "eliminate-dead-code", "fold-channel-affine"},
            R"(graph main(%x: bf16[2, 4, 6, 6], const %w "w": bf16[5, 4, 3, 3],
    const %g "g": bf16[5, 1, 1]) {
  %c: bf16[2, 5, 4, 4] = aten.conv2d.default(%x, %w)
  %n: bf16[2, 5, 4, 4] = aten.mul.Tensor(%c, %g)
  return %n
})");
  EXPECT_THAT(after_root(text, "ingot.conv.default"), HasSubstr("aten.mul"));
}

}  // namespace
}  // namespace ingot::passes
