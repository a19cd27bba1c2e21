#include "runtime/core/context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/core/fake_device.h"
#include "runtime/core/test_call.h"
#include "runtime/core/test_programs.h"

namespace ingot::runtime {
namespace {

using testing::AffineCall;
using ::testing::Each;
using ::testing::ElementsAre;
using testing::FakeDevice;
using testing::floats_of;
using testing::FloatTensor;
using ::testing::HasSubstr;

class ContextTest : public ::testing::Test {
 protected:
  void SetUp() override {
    testing::add_affine_kernels(device_->log());
    load(testing::affine_program());
  }
  void load(ProgramSource source) {
    auto loaded = LoadedProgram::load(device_, std::move(source));
    ASSERT_TRUE(loaded.ok()) << loaded.status().message();
    program_ = std::move(loaded).value();
    auto context = Context::create(program_);
    ASSERT_TRUE(context.ok()) << context.status().message();
    context_ = std::move(context).value();
  }
  std::vector<OutputSlot> run(AffineCall& call) {
    std::vector<OutputSlot> outputs(5);
    const Status status = context_->run(call.arguments(), outputs);
    EXPECT_TRUE(status.ok()) << status.message();
    return outputs;
  }
  std::vector<float> state() {
    FloatTensor host({4});
    EXPECT_TRUE(context_->read_state("total", host.view()).ok());
    return host.values;
  }

  std::shared_ptr<FakeDevice> device_ = std::make_shared<FakeDevice>();
  testing::FakeLog& log_ = device_->log();
  std::shared_ptr<LoadedProgram> program_;
  std::unique_ptr<Context> context_;
};

TEST_F(ContextTest, ReturnsEveryKindOfOutput) {
  AffineCall call(3);
  const std::vector<OutputSlot> outputs = run(call);
  EXPECT_EQ(floats_of(outputs[0].tensor), call.expected_y());
  EXPECT_THAT(outputs[0].tensor->sizes, ElementsAre(3, 4));
  EXPECT_THAT(outputs[0].tensor->strides, ElementsAre(4, 1));
  EXPECT_THAT(floats_of(outputs[1].tensor), ElementsAre(12, 22, 32, 42));
  EXPECT_EQ(outputs[2].literal.int_value, 10);
  EXPECT_EQ(outputs[3].tensor, nullptr);  // the caller's own
  EXPECT_EQ(outputs[4].literal.string_value, "done");
}

TEST_F(ContextTest, MutatedInputsAreWrittenInPlace) {
  AffineCall call(2);
  run(call);
  EXPECT_THAT(call.mask.values, ElementsAre(1.5f, 1.5f, 1.5f));
}

TEST_F(ContextTest, StridedAndMisalignedInputsAreCopiedOnceAndWrittenBack) {
  AffineCall call(3);
  const std::vector<float> expected = call.expected_y();
  // x transposed in memory; mask every other element of a larger array, off alignment.
  std::vector<float> transposed(12);
  for (size_t i = 0; i < 12; ++i) transposed[i % 4 * 3 + i / 4] = call.x.values[i];
  std::vector<float> sparse(12, 1);
  const std::array<int64_t, 2> x_strides{1, 3};
  const std::array<int64_t, 1> mask_strides{2};
  std::vector<Argument> arguments = call.arguments();
  arguments[0].tensor.data = transposed.data();
  arguments[0].tensor.strides = x_strides;
  arguments[3].tensor.data = sparse.data() + 1;
  arguments[3].tensor.strides = mask_strides;
  std::vector<OutputSlot> outputs(5);
  log_.events.clear();
  ASSERT_TRUE(context_->run(arguments, outputs).ok());
  EXPECT_EQ(floats_of(outputs[0].tensor), expected);
  EXPECT_THAT(sparse, ElementsAre(1, 1.5f, 1, 1.5f, 1, 1.5f, 1, 1.5f, 1, 1, 1, 1));
  EXPECT_EQ(log_.count("copy_strided"), 3u);  // two in, one back
}

TEST_F(ContextTest, MutatedInputsThatShareBytesActAsIfTheyDidNot) {
  // mask lies inside x: y must come from x as it was.
  AffineCall call(3);
  const std::vector<float> expected = call.expected_y();
  std::vector<Argument> arguments = call.arguments();
  arguments[3].tensor.data = call.x.values.data() + 4;
  std::vector<OutputSlot> outputs(5);
  ASSERT_TRUE(context_->run(arguments, outputs).ok());
  EXPECT_EQ(floats_of(outputs[0].tensor), expected);
  EXPECT_EQ(call.x.values[4], 4.5f);
}

TEST_F(ContextTest, WritesToTheCallersTensorsOfAnyLayout) {
  AffineCall call(2);
  const std::vector<float> expected = call.expected_y();
  FloatTensor dense({2, 4});
  FloatTensor spread({8});
  TensorView y = dense.view();
  TensorView total = spread.view();
  const std::array<int64_t, 1> sizes{4};
  const std::array<int64_t, 1> strides{2};
  total.sizes = sizes;
  total.strides = strides;
  std::vector<OutputSlot> outputs(5);
  outputs[0].destination = &y;
  outputs[1].destination = &total;
  ASSERT_TRUE(context_->run(call.arguments(), outputs).ok());
  EXPECT_EQ(dense.values, expected);
  EXPECT_THAT(spread.values, ElementsAre(12, 0, 22, 0, 32, 0, 42, 0));
  EXPECT_EQ(outputs[0].tensor, nullptr);
}

TEST_F(ContextTest, DestinationMayOverlapAnInput) {
  AffineCall call(2);
  const std::vector<float> expected = call.expected_y();
  TensorView y = call.x.view();
  std::vector<OutputSlot> outputs(5);
  outputs[0].destination = &y;
  ASSERT_TRUE(context_->run(call.arguments(), outputs).ok());
  EXPECT_EQ(call.x.values, expected);
}

TEST_F(ContextTest, InputReturnedAsOutputIsCopiedToADestination) {
  AffineCall call(2);
  FloatTensor copy({3});
  TensorView view = copy.view();
  std::vector<OutputSlot> outputs(5);
  outputs[3].destination = &view;
  ASSERT_TRUE(context_->run(call.arguments(), outputs).ok());
  EXPECT_THAT(copy.values, Each(1.5f));
}

TEST_F(ContextTest, RefusesDestinationsThatDoNotFit) {
  AffineCall call(2);
  FloatTensor small({1, 4});
  TensorView view = small.view();
  std::vector<OutputSlot> outputs(5);
  outputs[0].destination = &view;
  Status status = context_->run(call.arguments(), outputs);
  EXPECT_EQ(status.id(), static_cast<int>(Diag::kOutputTensor));
  EXPECT_THAT(status.message(), HasSubstr("output 'y' is 2x4xf32 on cpu, the tensor given for it "
                                          "is 1x4xf32"));
  FloatTensor right({2, 4});
  view = right.view();
  view.read_only = true;
  status = context_->run(call.arguments(), outputs);
  EXPECT_THAT(status.message(), HasSubstr("read-only"));
  std::vector<OutputSlot> three(3);
  EXPECT_EQ(context_->run(call.arguments(), three).id(), static_cast<int>(Diag::kBadCall));
}

TEST_F(ContextTest, OutputsHeldAreNeverOverwritten) {
  AffineCall first(3);
  const std::vector<OutputSlot> held = run(first);
  AffineCall second(3);
  for (float& value : second.x.values) value += 100;
  const std::vector<OutputSlot> other = run(second);
  EXPECT_NE(held[0].tensor->data(), other[0].tensor->data());
  EXPECT_EQ(floats_of(held[0].tensor), first.expected_y());
  EXPECT_EQ(floats_of(other[0].tensor), second.expected_y());
}

TEST_F(ContextTest, OutputsOutliveContextAndProgram) {
  AffineCall call(3);
  std::vector<OutputSlot> outputs = run(call);
  context_.reset();
  program_.reset();
  EXPECT_EQ(floats_of(outputs[0].tensor), call.expected_y());
  outputs.clear();
  EXPECT_TRUE(log_.blocks.empty());
}

TEST_F(ContextTest, RepeatedShapesNeitherAllocateNorBind) {
  for (int i = 0; i < 2; ++i) {
    for (const int64_t rows : {2, 3, 8}) {
      AffineCall call(rows);
      run(call);
    }
  }
  const size_t allocations = log_.allocations;
  log_.events.clear();
  for (int i = 0; i < 5; ++i) {
    AffineCall call(8 - i % 2 * 5);
    const std::vector<OutputSlot> outputs = run(call);
    EXPECT_EQ(floats_of(outputs[0].tensor), call.expected_y());
  }
  EXPECT_EQ(log_.allocations, allocations);
  EXPECT_EQ(log_.count("bind"), 0u);
  EXPECT_EQ(log_.count("launch"), 20u);
}

TEST_F(ContextTest, DevicesLearnHowManyElementsThereAre) {
  AffineCall call(3);
  log_.bound_elements.clear();
  run(call);
  EXPECT_THAT(log_.bound_elements, ElementsAre(ElementsAre(12, 4, 12), ElementsAre(12, 1, 12),
                                               ElementsAre(4, 4), ElementsAre(4, 1)));
}

TEST_F(ContextTest, StateLivesInTheContext) {
  AffineCall call(1);
  run(call);
  run(call);
  EXPECT_THAT(state(), ElementsAre(14, 24, 34, 44));
  auto other = Context::create(program_);
  ASSERT_TRUE(other.ok());
  FloatTensor host({4});
  ASSERT_TRUE((*other)->read_state("total", host.view()).ok());
  EXPECT_THAT(host.values, ElementsAre(10, 20, 30, 40));
}

TEST_F(ContextTest, StateIsResetReadAndWrittenByName) {
  ASSERT_EQ(context_->state_count(), 1u);
  EXPECT_EQ(context_->state(0).name, "total");
  AffineCall call(1);
  run(call);
  ASSERT_TRUE(context_->reset_state("total").ok());
  EXPECT_THAT(state(), ElementsAre(10, 20, 30, 40));
  FloatTensor spread({8}, 1, 1);
  TensorView view = spread.view();
  const std::array<int64_t, 1> sizes{4};
  const std::array<int64_t, 1> strides{2};
  view.sizes = sizes;
  view.strides = strides;
  ASSERT_TRUE(context_->write_state("total", view).ok());
  EXPECT_THAT(state(), ElementsAre(1, 3, 5, 7));
  ASSERT_TRUE(context_->reset_states().ok());
  EXPECT_THAT(state(), ElementsAre(10, 20, 30, 40));
  const Status unknown = context_->reset_state("nothing");
  EXPECT_EQ(unknown.id(), static_cast<int>(Diag::kState));
  EXPECT_THAT(unknown.message(), HasSubstr("it has: total"));
  FloatTensor five({5});
  EXPECT_THAT(context_->write_state("total", five.view()).message(),
              HasSubstr("state 'total' is 4xf32, the tensor is 5xf32"));
}

TEST_F(ContextTest, TiedBuffersAreOneStateOfTwoNames) {
  ProgramSource source = testing::affine_program();
  source.program.weights.push_back(source.program.weights[2]);
  source.program.weights.back().name = "alias";
  load(std::move(source));
  FloatTensor host({4}, 1, 1);
  ASSERT_TRUE(context_->write_state("alias", host.view()).ok());
  EXPECT_THAT(state(), ElementsAre(1, 2, 3, 4));
}

TEST_F(ContextTest, KernelErrorsNameThePythonLine) {
  log_.kernels["mul"] = [](auto, auto) {
    return make_status(Diag::kIndexRange, "index 9 is outside 0 to 7");
  };
  AffineCall call(2);
  std::vector<OutputSlot> outputs(5);
  const Status status = context_->run(call.arguments(), outputs);
  EXPECT_EQ(status.id(), static_cast<int>(Diag::kIndexRange));
  EXPECT_EQ(status.message(),
            "index 9 is outside 0 to 7\n  at model.py:12 in forward: y = x * (w * 2)\n  in linear "
            "(Linear), export node %mul_1");
}

TEST_F(ContextTest, SurvivesAllocationFailureAnywhere) {
  const size_t before = log_.blocks.size();
  for (size_t left = 0;; ++left) {
    log_.allocations_left = left;
    auto loaded = LoadedProgram::load(device_, testing::affine_program());
    if (!loaded.ok()) {
      EXPECT_EQ(loaded.status().id(), static_cast<int>(Diag::kOutOfMemory));
      continue;
    }
    auto context = Context::create(*loaded);
    if (!context.ok()) continue;
    AffineCall call(2);
    std::vector<OutputSlot> outputs(5);
    if ((*context)->run(call.arguments(), outputs).ok()) break;
    log_.allocations_left = SIZE_MAX;
    ASSERT_TRUE((*context)->reset_states().ok());
    ASSERT_TRUE((*context)->run(call.arguments(), outputs).ok());
    EXPECT_EQ(floats_of(outputs[0].tensor), call.expected_y());
  }
  EXPECT_EQ(log_.blocks.size(), before);
}

TEST_F(ContextTest, AssertsFailWithTheirMessage) {
  ProgramSource source = testing::affine_program();
  program::Step assertion;
  assertion.kind = program::StepKind::kAssert;
  assertion.condition = sym::lt(sym::Expr::symbol("s1"), 50);
  assertion.message = "step must be below 50";
  assertion.loc = 0;
  source.program.plans[0].steps.insert(source.program.plans[0].steps.begin(), assertion);
  load(std::move(source));
  AffineCall call(2);
  run(call);
  call.step = 60;
  std::vector<OutputSlot> outputs(5);
  const Status status = context_->run(call.arguments(), outputs);
  EXPECT_EQ(status.id(), static_cast<int>(Diag::kGuard));
  EXPECT_THAT(status.message(), HasSubstr("step must be below 50\n  at model.py:12"));
}

TEST_F(ContextTest, FillsWhatAPlanFills) {
  ProgramSource source = testing::affine_program();
  program::Step fill;
  fill.kind = program::StepKind::kFill;
  fill.buffers = {{8, 2}};
  fill.bytes = 8;
  fill.fill = 0;
  source.program.plans[0].steps.push_back(fill);
  load(std::move(source));
  AffineCall call(2);
  EXPECT_THAT(floats_of(run(call)[1].tensor), ElementsAre(12, 22, 0, 0));
}

// def forward(x): n = count(x) (a size that the run computes); return x[:n] * 2, n
ProgramSource host_read_program() {
  using program::BufferKind;
  const sym::Expr u0 = sym::Expr::symbol("u0");
  ProgramSource source;
  program::Program& p = source.program;
  p.symbols = {{"u0", {0, 6}}};
  p.inputs = {{"x", program::InputKind::kTensor, DType::kF32, {8}, "", {}, false}};
  p.outputs = {{"y", program::OutputKind::kTensor, DType::kF32, {u0}, {}, 0, 0},
               {"n", program::OutputKind::kScalar, DType::kI64, {}, {}, u0, 0}};
  program::Kernel count;
  count.name = "count";
  count.buffers = {{DType::kF32, program::Access::kRead}, {DType::kI64, program::Access::kWrite}};
  testing::BodyWriter writer;
  writer.store(1, DType::kI64, 0, writer.constant(DType::kI64, 0));
  count.body = writer.finish({1});
  p.kernels = {count, testing::binary_kernel("add_same", program::ScalarOp::kAdd, 8)};
  program::Plan plan;
  plan.target = "cpu";
  plan.buffers = {
      testing::buffer("x", BufferKind::kInput, 8, 0),
      testing::buffer("n", BufferKind::kTemporary, 1, program::kNoIndex, DType::kI64, 0),
      testing::buffer("t", BufferKind::kTemporary, u0, program::kNoIndex, DType::kF32, 64),
      testing::buffer("y", BufferKind::kOutput, u0, 0)};
  program::Step read;
  read.kind = program::StepKind::kHostRead;
  read.buffers = {{1, 0}};
  read.symbol = "u0";
  program::Step copy;
  copy.kind = program::StepKind::kCopy;
  copy.buffers = {{0, 0}, {2, 0}};
  copy.bytes = u0 * 4;
  plan.steps = {testing::launch(0, {0, 1}, {}), read, copy, testing::launch(1, {2, 0, 3}, {u0})};
  plan.arena_bytes = sym::align_up(u0 * 4, 64) + 64;
  plan.derived_bytes = 0;
  p.plans = {plan};
  return source;
}

TEST_F(ContextTest, HostReadsBindTheStepsAfterThem) {
  log_.kernels["count"] = [](std::span<void* const> buffers, auto) {
    *static_cast<int64_t*>(buffers[1]) =
        static_cast<int64_t>(static_cast<const float*>(buffers[0])[0]);
    return ok_status();
  };
  log_.kernels["add_same"] = [](std::span<void* const> buffers, std::span<const int64_t> scalars) {
    for (int64_t i = 0; i < scalars[0]; ++i) {
      static_cast<float*>(buffers[2])[i] = static_cast<const float*>(buffers[0])[i] * 2;
    }
    return ok_status();
  };
  load(host_read_program());
  for (int round = 0; round < 2; ++round) {
    for (const float n : {3.0f, 0.0f, 6.0f}) {
      FloatTensor x({8}, n, 1);
      std::vector<OutputSlot> outputs(2);
      const Status status = context_->run({{x.argument()}}, outputs);
      ASSERT_TRUE(status.ok()) << status.message();
      EXPECT_EQ(outputs[1].literal.int_value, static_cast<int64_t>(n));
      std::vector<float> expected;
      for (size_t i = 0; i < static_cast<size_t>(n); ++i) expected.push_back(x.values[i] * 2);
      EXPECT_EQ(floats_of(outputs[0].tensor), expected);
    }
  }
  EXPECT_EQ(log_.count("bind count"), 1u);
  EXPECT_EQ(log_.count("bind add_same(3)"), 1u);
  FloatTensor x({8}, 7);
  std::vector<OutputSlot> outputs(2);
  EXPECT_THAT(context_->run({{x.argument()}}, outputs).message(),
              HasSubstr("the model computed the size 7; allowed: 0 to 6"));
}

}  // namespace
}  // namespace ingot::runtime
