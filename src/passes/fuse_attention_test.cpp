#include "passes/fuse_attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/text.h"
#include "passes/testing.h"

namespace ingot::passes {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::vector<std::string_view> kCanonical = {"functionalize",
                                                  "decompose",
                                                  "fold-constants",
                                                  "simplify-views",
                                                  "eliminate-common-subexpressions",
                                                  "eliminate-dead-code"};

std::vector<std::string_view> fused_passes() {
  std::vector<std::string_view> passes = kCanonical;
  passes.insert(passes.end(),
                {"fuse-attention", "fold-constants", "simplify-views", "share-attention-heads",
                 "eliminate-common-subexpressions", "eliminate-dead-code"});
  return passes;
}

// The text after fusion; the results must stay the same but for rounding.
std::string fused(const std::string& inputs, const std::string& body, double tolerance = 1e-5) {
  const std::string text = "symbol s0 in [2, 64]\ngraph main(" + inputs + ") {\n" + body + "\n}\n";
  EXPECT_LE(change_of_results(fused_passes(), text, {{"s0", 5}}), tolerance);
  return after(fused_passes(), text);
}

constexpr const char* kInputs = "%q: f32[2, 4, s0, 8], %k: f32[2, 4, s0, 8], %v: f32[2, 4, s0, 6]";

TEST(FuseAttention, Plain) {
  EXPECT_EQ(fused(kInputs, R"(
  %t: f32[2, 4, 8, s0] = aten.transpose.int(%k, -2, -1)
  %s: f32[2, 4, s0, s0] = aten.matmul.default(%q, %t)
  %c: f32[2, 4, s0, s0] = aten.div.Tensor(%s, 2.0)
  %w: f32[2, 4, s0, s0] = aten.softmax.int(%c, -1)
  %o: f32[2, 4, s0, 6] = aten.matmul.default(%w, %v)
  return %o)"),
            R"(symbol s0 in [2, 64]
graph main(%q: f32[2, 4, s0, 8], %k: f32[2, 4, s0, 8], %v: f32[2, 4, s0, 6]) {
  %o: f32[2, 4, s0, 6] = ingot.attention.default(%q, %k, %v, none, false, 0.5, true, dtype f32)
  return %o
}
)");
}

TEST(FuseAttention, AdditiveMask) {
  EXPECT_THAT(fused(std::string(kInputs) + ", %m: f32[2, 1, s0, s0]", R"(
  %t: f32[2, 4, 8, s0] = aten.transpose.int(%k, 2, 3)
  %s: f32[2, 4, s0, s0] = aten.matmul.default(%q, %t)
  %c: f32[2, 4, s0, s0] = aten.mul.Scalar(%s, 0.25)
  %a: f32[2, 4, s0, s0] = aten.add.Tensor(%c, %m)
  %w: f32[2, 4, s0, s0] = aten.softmax.int(%a, -1)
  %o: f32[2, 4, s0, 6] = aten.matmul.default(%w, %v)
  return %o)"),
              HasSubstr("ingot.attention.default(%q, %k, %v, %m, false, 0.25, true, dtype f32)"));
}

TEST(FuseAttention, MaskedFill) {
  // Rows without a visible key are NaN with a fill of -inf, an average with a finite one.
  for (const auto& [fill, hidden] :
       {std::pair("-inf", false), std::pair("-3.4028234663852886e+38", true)}) {
    const std::string text = fused(std::string(kInputs) + ", %m: bool[s0, s0]", R"(
  %t: f32[2, 4, 8, s0] = aten.transpose.int(%k, 2, 3)
  %s: f32[2, 4, s0, s0] = aten.matmul.default(%q, %t)
  %a: f32[2, 4, s0, s0] = aten.masked_fill.Scalar(%s, %m, )" + std::string(fill) + R"()
  %w: f32[2, 4, s0, s0] = aten.softmax.int(%a, -1)
  %o: f32[2, 4, s0, 6] = aten.matmul.default(%w, %v)
  return %o)");
    EXPECT_THAT(text, HasSubstr("ingot.attention.default"));
    EXPECT_EQ(text.find("aten.where.self") != std::string::npos, hidden);
  }
}

TEST(FuseAttention, CausalMask) {
  for (const char* mask : {R"(
  %p: i64[s0] = aten.arange.start_step(0, s0)
  %row: i64[1, s0] = aten.unsqueeze.default(%p, 0)
  %column: i64[s0, 1] = aten.unsqueeze.default(%p, 1)
  %m: bool[s0, s0] = aten.ge.Tensor(%column, %row))",
                           R"(
  %p: i64[s0] = aten.arange.default(s0)
  %row: i64[1, s0] = aten.unsqueeze.default(%p, 0)
  %column: i64[s0, 1] = aten.unsqueeze.default(%p, 1)
  %d: i64[s0, s0] = aten.sub.Tensor(%row, %column)
  %m: bool[s0, s0] = aten.le.Scalar(%d, 0))"}) {
    EXPECT_THAT(fused(kInputs, std::string(mask) + R"(
  %t: f32[2, 4, 8, s0] = aten.transpose.int(%k, 2, 3)
  %s: f32[2, 4, s0, s0] = aten.matmul.default(%q, %t)
  %inf: f32[] = aten.full.default([], -inf, dtype f32)
  %a: f32[2, 4, s0, s0] = aten.where.self(%m, %s, %inf)
  %w: f32[2, 4, s0, s0] = aten.softmax.int(%a, -1)
  %o: f32[2, 4, s0, 6] = aten.matmul.default(%w, %v)
  return %o)"),
                HasSubstr("ingot.attention.default(%q, %k, %v, none, true, 1.0, true, dtype f32)"));
  }
}

// What the exporter's default decompositions make of scaled_dot_product_attention.
constexpr std::string_view kExported = R"(
  %q1: f32[2, 4, s0, 8] = aten.mul.Scalar(%q, 0.5)
  %full: bool[s0, s0] = aten.full.default([s0, s0], true, dtype bool)
  %p: i64[s0] = aten.arange.start_step(0, s0)
  %row: i64[1, s0] = aten.unsqueeze.default(%p, -2)
  %column: i64[s0, 1] = aten.unsqueeze.default(%p, -1)
  %d: i64[s0, s0] = aten.sub.Tensor(%row, %column)
  %le: bool[s0, s0] = aten.le.Scalar(%d, 0)
  %m: bool[s0, s0] = aten.logical_and.default(%le, %full)
  %inf: f32[] = aten.scalar_tensor.default(-inf, dtype f32)
  %zero: f32[] = aten.scalar_tensor.default(0.0, dtype f32)
  %bias: f32[s0, s0] = aten.where.self(%m, %zero, %inf)
  %t: f32[2, 4, 8, s0] = aten.permute.default(%k, [0, 1, 3, 2])
  %t1: f32[2, 4, 8, s0] = aten.mul.Scalar(%t, 0.5)
  %q2: f32[2, 4, s0, 8] = aten.expand.default(%q1, [2, 4, s0, 8])
  %q3: f32[2, 4, s0, 8] = aten.clone.default(%q2)
  %q4: f32[8, s0, 8] = aten.view.default(%q3, [8, s0, 8])
  %t2: f32[8, 8, s0] = aten.view.default(%t1, [8, 8, s0])
  %s: f32[8, s0, s0] = aten.bmm.default(%q4, %t2)
  %s4: f32[2, 4, s0, s0] = aten.view.default(%s, [2, 4, s0, s0])
  %a: f32[2, 4, s0, s0] = aten.add.Tensor(%s4, %bias)
  %w: f32[2, 4, s0, s0] = aten._softmax.default(%a, -1, false)
  %eq: bool[2, 4, s0, s0] = aten.eq.Scalar(%a, -inf)
  %seen: bool[2, 4, s0, s0] = aten.logical_not.default(%eq)
  %any: bool[2, 4, s0, 1] = aten.any.dim(%seen, -1, true)
  %none: bool[2, 4, s0, 1] = aten.logical_not.default(%any)
  %zeros: f32[2, 4, s0, s0] = aten.full_like.default(%w, 0)
  %safe: f32[2, 4, s0, s0] = aten.where.self(%none, %zeros, %w)
  %w3: f32[8, s0, s0] = aten.view.default(%safe, [8, s0, s0])
  %v3: f32[8, s0, 6] = aten.view.default(%v, [8, s0, 6])
  %o3: f32[8, s0, 6] = aten.bmm.default(%w3, %v3)
  %o: f32[2, 4, s0, 6] = aten.view.default(%o3, [2, 4, s0, 6])
)";

TEST(FuseAttention, WhatTheExporterWritesOut) {
  EXPECT_EQ(fused(kInputs, std::string(kExported) + "  return %o"),
            R"(symbol s0 in [2, 64]
graph main(%q: f32[2, 4, s0, 8], %k: f32[2, 4, s0, 8], %v: f32[2, 4, s0, 6]) {
  %o3: f32[2, 4, s0, 6] = ingot.attention.default(%q, %k, %v, none, true, 0.25, false, dtype f32)
  return %o3
}
)");
}

TEST(FuseAttention, SixteenBitFactorsWithAWideSoftmax) {
  EXPECT_THAT(fused("%q: bf16[2, 4, s0, 8], %k: bf16[2, 4, s0, 8], %v: bf16[2, 4, s0, 6]", R"(
  %t: bf16[2, 4, 8, s0] = aten.transpose.int(%k, 2, 3)
  %s: bf16[2, 4, s0, s0] = aten.matmul.default(%q, %t)
  %c: bf16[2, 4, s0, s0] = aten.mul.Tensor(%s, 0.25)
  %w: f32[2, 4, s0, s0] = aten.softmax.int(%c, -1, dtype f32)
  %w1: bf16[2, 4, s0, s0] = aten.to.dtype(%w, dtype bf16)
  %o: bf16[2, 4, s0, 6] = aten.matmul.default(%w1, %v)
  return %o)",
                    0.03),
              HasSubstr("ingot.attention.default(%q, %k, %v, none, false, 0.25, true, dtype f32)"));
}

TEST(ShareAttentionHeads, RepeatedHeadsAreReadInPlace) {
  EXPECT_THAT(fused("%q: f32[2, 4, s0, 8], %k: f32[2, 2, s0, 8], %v: f32[2, 2, s0, 6]", R"(
  %k1: f32[2, 2, 1, s0, 8] = aten.unsqueeze.default(%k, 2)
  %k2: f32[2, 2, 2, s0, 8] = aten.expand.default(%k1, [2, 2, 2, s0, 8])
  %k3: f32[2, 4, s0, 8] = aten.reshape.default(%k2, [2, 4, s0, 8])
  %v1: f32[2, 2, 1, s0, 6] = aten.unsqueeze.default(%v, 2)
  %v2: f32[2, 2, 2, s0, 6] = aten.expand.default(%v1, [2, 2, 2, s0, 6])
  %v3: f32[2, 4, s0, 6] = aten.reshape.default(%v2, [2, 4, s0, 6])
  %o: f32[2, 4, s0, 6] = aten.scaled_dot_product_attention.default(%q, %k3, %v3)
  return %o)"),
              HasSubstr("ingot.attention.default(%q, %k, %v, none, false, 0.35355339059327373, "
                        "false, dtype f32)"));
}

struct NotFused {
  const char* name;
  const char* inputs;
  const char* body;
};

TEST(FuseAttention, LeavesOtherThingsAlone) {
  const NotFused cases[] = {
      {"the weights are returned, too", kInputs, R"(
  %t: f32[2, 4, 8, s0] = aten.transpose.int(%k, 2, 3)
  %s: f32[2, 4, s0, s0] = aten.matmul.default(%q, %t)
  %w: f32[2, 4, s0, s0] = aten.softmax.int(%s, -1)
  %o: f32[2, 4, s0, 6] = aten.matmul.default(%w, %v)
  return %o, %w)"},
      {"softmax over the queries", kInputs, R"(
  %t: f32[2, 4, 8, s0] = aten.transpose.int(%k, 2, 3)
  %s: f32[2, 4, s0, s0] = aten.matmul.default(%q, %t)
  %w: f32[2, 4, s0, s0] = aten.softmax.int(%s, -2)
  %o: f32[2, 4, s0, 6] = aten.matmul.default(%w, %v)
  return %o)"},
      {"the scale comes after an additive mask",
       "%q: f32[2, 4, s0, 8], %k: f32[2, 4, s0, 8], %v: f32[2, 4, s0, 6], %m: f32[s0, s0]", R"(
  %t: f32[2, 4, 8, s0] = aten.transpose.int(%k, 2, 3)
  %s: f32[2, 4, s0, s0] = aten.matmul.default(%q, %t)
  %a: f32[2, 4, s0, s0] = aten.add.Tensor(%s, %m)
  %c: f32[2, 4, s0, s0] = aten.mul.Scalar(%a, 0.5)
  %w: f32[2, 4, s0, s0] = aten.softmax.int(%c, -1)
  %o: f32[2, 4, s0, 6] = aten.matmul.default(%w, %v)
  return %o)"},
      {"the scores are no product", "%s: f32[2, 4, s0, s0], %v: f32[2, 4, s0, 6]", R"(
  %w: f32[2, 4, s0, s0] = aten.softmax.int(%s, -1)
  %o: f32[2, 4, s0, 6] = aten.matmul.default(%w, %v)
  return %o)"},
      {"the keys are shared by broadcasting over the batch",
       "%q: f32[2, 4, s0, 8], %k: f32[1, 4, s0, 8], %v: f32[2, 4, s0, 6]", R"(
  %t: f32[1, 4, 8, s0] = aten.transpose.int(%k, 2, 3)
  %s: f32[2, 4, s0, s0] = aten.matmul.default(%q, %t)
  %w: f32[2, 4, s0, s0] = aten.softmax.int(%s, -1)
  %o: f32[2, 4, s0, 6] = aten.matmul.default(%w, %v)
  return %o)"},
  };
  for (const NotFused& each : cases) {
    EXPECT_THAT(fused(each.inputs, each.body), Not(HasSubstr("ingot.attention"))) << each.name;
  }
}

TEST(FuseAttention, DoesNothingIfFusionIsOff) {
  const auto model = parse("symbol s0 in [2, 64]\ngraph main(" + std::string(kInputs) + ") {" +
                           std::string(kExported) + "  return %o\n}\n");
  for (const std::string_view pass : kCanonical) apply(pass, *model);
  EXPECT_FALSE(apply("fuse-attention", *model, FusedAttention::kOff));
}

TEST(ExpandAttention, GivesTheSameResults) {
  const char* const calls[] = {
      "ingot.attention.default(%q, %k, %v, none, false, 0.5, true, dtype f32)",
      "ingot.attention.default(%q, %k, %v, none, true, 0.5, false, dtype f32)",
      "ingot.attention.default(%q, %k, %v, %m, false, 0.5, false, dtype f32)",
      "ingot.attention.default(%q, %k, %v, %m, true, 0.5, true, dtype f32)",
      "ingot.attention.default(%q, %k, %v, %b, false, 0.5, false, dtype f32)",
      "ingot.attention.default(%q, %k, %v, %b, true, 0.5, true, dtype f32)",
  };
  for (const char* call : calls) {
    const std::string text =
        "symbol s0 in [2, 64]\ngraph main(%q: f32[2, 4, s0, 8], %k: f32[2, 2, s0, 8], %v: "
        "f32[2, 2, s0, 6], %m: f32[2, 1, s0, s0], %b: bool[1, 4, s0, s0]) {\n  %o: f32[2, 4, s0, "
        "6] = " +
        std::string(call) + "\n  return %o\n}\n";
    EXPECT_LE(change_of_results({"expand-attention", "decompose"}, text, {{"s0", 5}},
                                FusedAttention::kOff),
              1e-5)
        << call;
    const auto model = parse(text);
    EXPECT_FALSE(apply("expand-attention", *model, FusedAttention::kOn));
    EXPECT_TRUE(apply("expand-attention", *model, FusedAttention::kOff));
    EXPECT_THAT(ir::to_string(*model), Not(HasSubstr("ingot.attention")));
  }
}

}  // namespace
}  // namespace ingot::passes
