#include "schedule/schedule.h"

#include <gtest/gtest.h>

#include "ir/text.h"
#include "ops/op_table.h"
#include "program/validate.h"
#include "support/diagnostics.h"

namespace ingot::schedule {
namespace {

// Schedules a graph given as text, in primitive operators, and validates the program.
Scheduled schedule_text(std::string_view text) {
  auto model = ir::parse_model(text, ops::find_operator);
  for (size_t i = 0; i < model->weights.size(); ++i) {
    const ir::Weight& weight = model->weights[i];
    int64_t elements = 1;
    for (const int64_t size : weight.sizes) elements *= size;
    if (model->storages.size() <= weight.storage) model->storages.resize(weight.storage + 1);
    model->storages[weight.storage].bytes = static_cast<uint64_t>(elements * size_of(weight.dtype));
  }
  Scheduled scheduled = schedule_model(*model, "cpu");
  const Status status = program::validate(scheduled.program);
  EXPECT_TRUE(status.ok()) << status.message();
  return scheduled;
}

const program::Kernel& kernel_of(const Scheduled& scheduled, size_t step) {
  return scheduled.program.kernels[scheduled.program.plans[0].steps[step].kernel];
}

TEST(Schedule, PointwiseChainIsOneKernelOverOneAxis) {
  const Scheduled s = schedule_text(R"(
graph main(%x: f32[2, 3, 4]) {
  %a: f32[2, 3, 4] = aten.exp.default(%x)
  %b: f32[2, 3, 4] = aten.abs.default(%a)
  %c: f32[2, 3, 4] = aten.sqrt.default(%b)
  return %c
})");
  ASSERT_EQ(s.program.plans[0].steps.size(), 1u);
  EXPECT_EQ(kernel_of(s, 0).body.axes.size(), 1u);
  EXPECT_EQ(kernel_of(s, 0).body.axes[0].extent, sym::Expr(24));
}

TEST(Schedule, PointwiseWorkRunsInTheMatmulThatFeedsIt) {
  const Scheduled s = schedule_text(R"(
symbol s0 in [1, 64]
graph main(%x: f32[s0, 4, 8], const %w "w": f32[16, 8]) {
  %r: f32[4*s0, 8] = ingot.reshape.default(%x, [4*s0, 8])
  %t: f32[8, 16] = aten.permute.default(%w, [1, 0])
  %m: f32[4*s0, 16] = ingot.matmul.default(%r, %t)
  %v: f32[s0, 4, 16] = ingot.reshape.default(%m, [s0, 4, 16])
  %e: f32[s0, 4, 16] = aten.exp.default(%v)
  return %e
})");
  ASSERT_EQ(s.program.plans[0].steps.size(), 1u);
  EXPECT_EQ(kernel_of(s, 0).kind, program::KernelKind::kMatmul);
}

TEST(Schedule, SoftmaxIsOneKernel) {
  const Scheduled s = schedule_text(R"(
symbol s0 in [1, 64]
graph main(%x: f32[s0, 100]) {
  %m: f32[s0, 1] = ingot.amax.default(%x, [1], true)
  %b: f32[s0, 100] = ingot.expand.default(%m, [s0, 100])
  %e: f32[s0, 100] = aten.exp.default(%b)
  %s: f32[s0, 1] = ingot.sum.default(%e, [1], true)
  %q: f32[s0, 1] = aten.sqrt.default(%s)
  %r: f32[s0, 100] = ingot.expand.default(%q, [s0, 100])
  %y: f32[s0, 100] = aten.exp.default(%r)
  return %y
})");
  ASSERT_EQ(s.program.plans[0].steps.size(), 1u);
  EXPECT_EQ(kernel_of(s, 0).kind, program::KernelKind::kLoop);
}

TEST(Schedule, ConstantWorkMovesIntoTheInitBlock) {
  const Scheduled s = schedule_text(R"(
graph main(%x: f32[4, 8], const %w "w": f32[8, 8]) {
  %e: f32[8, 8] = aten.exp.default(%w)
  %m: f32[4, 8] = ingot.matmul.default(%x, %e)
  return %m
})");
  EXPECT_EQ(s.program.plans[0].init.size(), 1u);
  EXPECT_EQ(s.program.plans[0].steps.size(), 1u);
}

// A value without operands that needs memory is computed where its readers are: at load.
TEST(Schedule, TheInitBlockComputesTheScattersItReads) {
  const Scheduled s = schedule_text(R"(
graph main(%x: f32[4, 8], const %w "w": f32[2, 8]) {
  %z: f32[8, 8] = aten.full.default([8, 8], 0.0, dtype f32, none, none, none)
  %f: f32[8, 8] = aten.slice_scatter.default(%z, %w, 0, 0, 2, 1)
  %e: f32[8, 8] = aten.exp.default(%f)
  %m: f32[4, 8] = ingot.matmul.default(%x, %e)
  return %m
})");
  EXPECT_EQ(s.program.plans[0].steps.size(), 1u);
}

TEST(Schedule, EqualLayersShareTheirKernel) {
  const Scheduled s = schedule_text(R"(
graph main(%x: f32[4, 8], const %v "v": f32[8, 8], const %w "w": f32[8, 8]) {
  %a: f32[4, 8] = ingot.matmul.default(%x, %v)
  %b: f32[4, 8] = ingot.matmul.default(%a, %w)
  return %b
})");
  EXPECT_EQ(s.program.plans[0].steps.size(), 2u);
  EXPECT_EQ(s.program.kernels.size(), 1u);
}

TEST(Schedule, AnInputHandedBackIsNotCopied) {
  const Scheduled s = schedule_text(R"(
graph main(%x: f32[4]) {
  return %x
})");
  EXPECT_TRUE(s.program.plans[0].steps.empty());
  EXPECT_EQ(s.program.outputs[0].kind, program::OutputKind::kInput);
}

}  // namespace
}  // namespace ingot::schedule
