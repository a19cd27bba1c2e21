#include "program/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "program/testing.h"
#include "support/diagnostics.h"

namespace ingot::program {
namespace {

using sym::Expr;
using ::testing::HasSubstr;

// A way to break the test program, and what the message must say.
struct Break {
  const char* name;
  std::function<void(Program&)> apply;
  const char* message;
};

// Positions in the test program.
enum : size_t { kRow, kScatter, kLinear, kConv, kAttention, kScan, kSort, kFold };

Inst& inst(Program& p, size_t kernel, InstId id) { return p.kernels[kernel].body.insts[id]; }
Plan& plan(Program& p) { return p.plans[0]; }
Step& step(Program& p, size_t i) { return p.plans[0].steps[i]; }
Buffer& buffer(Program& p, size_t i) { return p.plans[0].buffers[i]; }

const Break kTables[] = {
    {"symbol twice", [](Program& p) { p.symbols[1].name = "s0"; }, "s0 is there twice"},
    {"symbol name", [](Program& p) { p.symbols[1].name = "s 1"; }, "not an identifier"},
    {"empty range",
     [](Program& p) {
       p.symbols[0].range = {3, 2};
     },
     "range of symbol s0"},
    {"input twice", [](Program& p) { p.inputs[1].name = "x"; }, "input x is there twice"},
    {"input symbol", [](Program& p) { p.inputs[0].sizes[0] = Expr::symbol("q"); }, "no symbol q"},
    {"negative size", [](Program& p) { p.inputs[0].sizes[1] = -1; }, "size is negative"},
    {"rank", [](Program& p) { p.inputs[0].sizes.assign(65, 1); }, "too many dimensions"},
    {"scalar symbol", [](Program& p) { p.inputs[2].symbol = "q"; }, "input count: its symbol"},
    {"output symbol", [](Program& p) { p.outputs[2].scalar = Expr::symbol("q"); }, "no symbol q"},
    {"output input", [](Program& p) { p.outputs[3].input = 9; }, "not one of the input tensors"},
    {"output scalar input", [](Program& p) { p.outputs[3].input = 2; }, "not one of the input"},
    {"guard", [](Program& p) { p.guards[0].condition = Expr::symbol("q"); }, "guard count != 7"},
    {"weight twice", [](Program& p) { p.weights[1].name = "fc.weight"; }, "is there twice"},
    {"weight storage", [](Program& p) { p.weights[1].storage = 3; }, "has no storage"},
    {"weight strides", [](Program& p) { p.weights[0].strides.pop_back(); }, "malformed shape"},
    {"weight end", [](Program& p) { p.weights[1].storage_offset = 3; }, "larger than its storage"},
    {"weight start", [](Program& p) { p.weights[1].storage_offset = -1; }, "larger than its"},
    {"weight stride", [](Program& p) { p.weights[0].strides[0] = -64; }, "larger than its storage"},
    {"weight size", [](Program& p) { p.weights[0].sizes[0] = -32; }, "larger than its storage"},
    {"weight overflow",
     [](Program& p) {
       p.weights[0].sizes = {INT64_MAX, INT64_MAX};
     },
     "larger than its storage"},
    {"weight expansion",
     [](Program& p) {
       p.weights[0].sizes = {INT64_MAX / 2, 4};
       p.weights[0].strides = {0, 0};
     },
     "larger than its storage"},
    {"plan twice", [](Program& p) { p.plans.push_back(p.plans[0]); }, "plan cpu is there twice"},
};

const Break kInsts[] = {
    {"const type", [](Program& p) { inst(p, kRow, 2).dtype = DType::kC64; }, "no kernels"},
    {"forward use", [](Program& p) { inst(p, kRow, 3).args[1] = 5; }, "%5 is not in scope"},
    {"self use", [](Program& p) { inst(p, kRow, 3).args[1] = 3; }, "%3 is not in scope"},
    {"missing operand", [](Program& p) { inst(p, kRow, 3).args[1] = kNoInst; }, "is missing"},
    {"inner value in row", [](Program& p) { inst(p, kRow, 3).args[1] = 0; }, "%0 is not in scope"},
    {"store as value", [](Program& p) { inst(p, kScatter, 9).args[0] = 9; }, "not in scope"},
    {"reduction in its own stage",
     [](Program& p) {
       p.kernels[kRow].body.stages = {{0, 4, true}, {4, 8, true}};
     },
     "%3: %1 is not in scope"},
    {"reduction in a row", [](Program& p) { p.kernels[kRow].body.stages[0].inner = false; },
     "that is not there"},
    {"reduction of half", [](Program& p) { inst(p, kRow, 1).dtype = DType::kI64; }, "another type"},
    {"any of float", [](Program& p) { inst(p, kRow, 1).reduce = ReduceOp::kAny; }, "not of bool"},
    {"operand types",
     [](Program& p) {
       inst(p, kRow, 3).args[1] = 2;
       inst(p, kRow, 2).dtype = DType::kF64;
     },
     "operands differ"},
    {"half arithmetic",
     [](Program& p) {
       inst(p, kRow, 2).dtype = DType::kF16;
       inst(p, kRow, 3).args[0] = 2;
       inst(p, kRow, 3).dtype = DType::kF16;
     },
     "max is not defined on f16"},
    {"result type", [](Program& p) { inst(p, kRow, 3).dtype = DType::kF64; }, "result has another"},
    {"predicate result", [](Program& p) { inst(p, kScatter, 4).dtype = DType::kI64; },
     "result has another"},
    {"select condition", [](Program& p) { inst(p, kScatter, 8).args[0] = 7; }, "condition is not"},
    {"bit cast", [](Program& p) { inst(p, kScatter, 6).dtype = DType::kI64; }, "between sizes"},
    {"load type", [](Program& p) { inst(p, kScatter, 0).dtype = DType::kI32; }, "not the buffer's"},
    {"load buffer", [](Program& p) { inst(p, kScatter, 0).buffer = 3; }, "no such buffer"},
    {"predicate", [](Program& p) { inst(p, kScatter, 5).predicate = 3; }, "predicate is not bool"},
    {"predicate scope", [](Program& p) { inst(p, kScatter, 5).predicate = 8; }, "%8 is not in"},
    {"write to read-only",
     [](Program& p) { p.kernels[kScatter].buffers[2].access = Access::kRead; }, "does not allow"},
    {"add without reading",
     [](Program& p) { p.kernels[kScatter].buffers[2].access = Access::kWrite; }, "does not allow"},
    {"read of write-only",
     [](Program& p) { p.kernels[kScatter].buffers[0].access = Access::kWrite; }, "does not allow"},
    {"store type", [](Program& p) { inst(p, kScatter, 9).args[0] = 4; }, "stored value"},
    {"index symbol", [](Program& p) { inst(p, kScatter, 0).index = Expr::symbol("s0"); },
     "no symbol s0"},
    {"index axis", [](Program& p) { inst(p, kScatter, 0).index = Expr::symbol("a2"); },
     "scalar or axis"},
    {"index scalar", [](Program& p) { inst(p, kScatter, 0).index = Expr::symbol("d1"); },
     "scalar or axis"},
    {"index leading zero", [](Program& p) { inst(p, kScatter, 0).index = Expr::symbol("a01"); },
     "no symbol a01"},
    {"index value later", [](Program& p) { inst(p, kScatter, 0).index = Expr::symbol("v1"); },
     "%1 is not in scope"},
    {"index value type", [](Program& p) { inst(p, kScatter, 9).index = Expr::symbol("v5"); },
     "v5 is not i64"},
    {"varying divisor",
     [](Program& p) {
       inst(p, kScatter, 0).index = sym::floor_div(Expr::symbol("d0"), Expr::symbol("a0"));
     },
     "divisor"},
    {"index is i64", [](Program& p) { inst(p, kScatter, 2).dtype = DType::kI32; }, "not i64"},
    {"check of a float", [](Program& p) { inst(p, kScatter, 1).dtype = DType::kF32; }, "not i64"},
    {"accumulator in a loop", [](Program& p) { inst(p, kRow, 2).kind = InstKind::kAccumulator; },
     "no accumulator"},
    {"accumulator type", [](Program& p) { p.kernels[kLinear].accumulator = DType::kF64; },
     "another type"},
    {"accumulator half", [](Program& p) { p.kernels[kLinear].accumulator = DType::kF16; },
     "cannot accumulate"},
};

const Break kKernels[] = {
    {"stage gap", [](Program& p) { p.kernels[kRow].body.stages[1].first = 3; }, "stage 1"},
    {"stage overlap", [](Program& p) { p.kernels[kRow].body.stages[1].first = 1; }, "stage 1"},
    {"stage end", [](Program& p) { p.kernels[kRow].body.stages[2].last = 99; }, "stage 2"},
    {"stage missing", [](Program& p) { p.kernels[kRow].body.stages.pop_back(); }, "in no stage"},
    {"stage backwards", [](Program& p) { p.kernels[kRow].body.stages[2].last = 1; }, "stage 2"},
    {"inner without axes", [](Program& p) { p.kernels[kFold].body.stages[0].inner = true; },
     "without inner axes"},
    {"axis order",
     [](Program& p) { std::swap(p.kernels[kRow].body.axes[0], p.kernels[kRow].body.axes[1]); },
     "parallel axis follows"},
    {"axis extent", [](Program& p) { p.kernels[kRow].body.axes[0].extent = -1; }, "below 0"},
    {"axis symbol", [](Program& p) { p.kernels[kRow].body.axes[0].extent = Expr::symbol("a1"); },
     "symbol that is not there"},
    {"axis scalar", [](Program& p) { p.kernels[kRow].scalar_count = 0; }, "not there"},
    {"buffer type", [](Program& p) { p.kernels[kRow].buffers[0].dtype = DType::kU16; },
     "no kernels"},
    {"many scalars", [](Program& p) { p.kernels[kRow].scalar_count = UINT32_MAX; }, "too many"},
    {"operands", [](Program& p) { p.kernels[kLinear].operands.pop_back(); }, "has 2 operands"},
    {"operand buffer", [](Program& p) { p.kernels[kLinear].operands[1].buffer = 4; }, "operand 1"},
    {"operand rank", [](Program& p) { p.kernels[kLinear].operands[1].strides = {1}; },
     "one per dimension"},
    {"operand type", [](Program& p) { p.kernels[kLinear].buffers[1].dtype = DType::kF64; },
     "differ in type"},
    {"operand access", [](Program& p) { p.kernels[kLinear].buffers[1].access = Access::kWrite; },
     "operand 1"},
    {"epilogue axes", [](Program& p) { p.kernels[kLinear].body.axes.pop_back(); },
     "not the template's"},
    {"epilogue extent", [](Program& p) { p.kernels[kLinear].body.axes[1].extent = 33; },
     "axis 1 is not"},
    {"epilogue inner", [](Program& p) { p.kernels[kLinear].body.axes[1].inner = true; },
     "inner axes"},
    {"window", [](Program& p) { p.kernels[kConv].conv.window = {0}; }, "out of range"},
    {"stride", [](Program& p) { p.kernels[kConv].conv.stride = {0}; }, "out of range"},
    {"padding", [](Program& p) { p.kernels[kConv].conv.padding = {-1}; }, "out of range"},
    {"dilation", [](Program& p) { p.kernels[kConv].conv.dilation = {INT64_MAX}; }, "out of range"},
    {"groups", [](Program& p) { p.kernels[kConv].conv.groups = 0; }, "groups"},
    {"groups divide", [](Program& p) { p.kernels[kConv].conv.groups = 3; }, "do not divide"},
    {"conv rank",
     [](Program& p) {
       p.kernels[kConv].conv.stride = {1, 1};
     },
     "differ in length"},
    {"conv dimensions", [](Program& p) { p.kernels[kConv].conv.window = {}; }, "1 to 3"},
    {"heads", [](Program& p) { p.kernels[kAttention].attention.kv_heads = 0; }, "below 1"},
    {"heads divide", [](Program& p) { p.kernels[kAttention].attention.kv_heads = 3; },
     "do not divide"},
    {"score axes", [](Program& p) { p.kernels[kAttention].attention.score_body.axes.pop_back(); },
     "not the template's"},
    {"score type",
     [](Program& p) {
       Inst& last = p.kernels[kAttention].attention.score_body.insts.back();
       last = {.kind = InstKind::kCast, .dtype = DType::kF64, .args = {0, kNoInst, kNoInst}};
     },
     "score has another type"},
    {"score store",
     [](Program& p) {
       p.kernels[kAttention].attention.score_body.insts.back() = {
           .kind = InstKind::kStore, .buffer = 1, .args = {0, kNoInst, kNoInst}};
     },
     "score body stores"},
    {"integer attention", [](Program& p) { p.kernels[kAttention].accumulator = DType::kI32; },
     "float type"},
    {"scan operation", [](Program& p) { p.kernels[kScan].scan.op = ReduceOp::kAny; }, "truth"},
    {"scan positions", [](Program& p) { p.kernels[kScan].scan.op = ReduceOp::kArgMax; },
     "has 2 operands"},
    {"log sum exp",
     [](Program& p) {
       p.kernels[kScan].scan.op = ReduceOp::kMax;
       p.kernels[kScan].scan.log_sum_exp = true;
     },
     "log-sum-exp"},
    {"sort positions", [](Program& p) { p.kernels[kSort].buffers[2].dtype = DType::kI32; },
     "positions are i64"},
    {"sort epilogue", [](Program& p) { p.kernels[kSort].body = p.kernels[kFold].body; },
     "not the template's"},
};

const Break kPlans[] = {
    {"target", [](Program& p) { plan(p).target.clear(); }, "no target"},
    {"arena", [](Program& p) { plan(p).arena_bytes = Expr::symbol("q"); }, "no symbol q"},
    {"derived bytes", [](Program& p) { plan(p).derived_bytes = Expr::symbol("s0"); },
     "not a number"},
    {"input source", [](Program& p) { buffer(p, 0).source = 9; }, "buffer 0 (x): it has no input"},
    {"scalar source", [](Program& p) { buffer(p, 0).source = 2; }, "no input"},
    {"input type", [](Program& p) { buffer(p, 1).dtype = DType::kI32; }, "not its source's"},
    {"input elements", [](Program& p) { buffer(p, 0).elements = 64; }, "it has 64 elements"},
    {"weight source", [](Program& p) { buffer(p, 2).source = 3; }, "no weight"},
    {"weight elements", [](Program& p) { buffer(p, 2).elements = 2049; }, "2049 elements"},
    {"state elements", [](Program& p) { buffer(p, 4).elements = Expr::symbol("s0"); },
     "s0 elements"},
    {"derived place", [](Program& p) { buffer(p, 5).arena_offset = Expr::symbol("s0"); },
     "place is not a number"},
    {"alignment", [](Program& p) { buffer(p, 6).arena_offset = 32; }, "not aligned"},
    {"negative offset", [](Program& p) { buffer(p, 6).arena_offset = -64; }, "negative"},
    {"output source", [](Program& p) { buffer(p, 10).source = 1; }, "no output"},
    {"output missing", [](Program& p) { buffer(p, 10).kind = BufferKind::kTemporary; },
     "output 0 has no buffer"},
    {"output twice", [](Program& p) { plan(p).buffers.push_back(buffer(p, 10)); },
     "another buffer"},
    {"launch kernel", [](Program& p) { step(p, 1).kernel = 8; }, "step 1: there is no such kernel"},
    {"launch buffers", [](Program& p) { step(p, 1).buffers.pop_back(); }, "one per parameter"},
    {"launch buffer", [](Program& p) { step(p, 1).buffers[0].buffer = 11; }, "no such buffer"},
    {"launch scalars", [](Program& p) { step(p, 1).scalars.clear(); }, "scalars are not"},
    {"launch scalar", [](Program& p) { step(p, 1).scalars[0] = Expr::symbol("q"); }, "no symbol q"},
    {"launch type", [](Program& p) { step(p, 1).buffers[0].buffer = 1; }, "argument 0 has another"},
    {"launch offset", [](Program& p) { step(p, 1).buffers[0].offset = -1; }, "negative"},
    {"write to input", [](Program& p) { step(p, 1).buffers[1].buffer = 0; }, "x is written"},
    {"write to constant", [](Program& p) { step(p, 9).buffers[0].buffer = 2; }, "w is written"},
    {"write to derived", [](Program& p) { step(p, 9).buffers[0].buffer = 5; },
     "w_folded is written"},
    {"read before write", [](Program& p) { plan(p).steps.erase(plan(p).steps.begin() + 1); },
     "centred is read before"},
    {"output unwritten", [](Program& p) { plan(p).steps.resize(8); }, "output y is never written"},
    {"copy buffers", [](Program& p) { step(p, 3).buffers.pop_back(); }, "a copy has two"},
    {"copy bytes", [](Program& p) { step(p, 3).bytes = -4; }, "negative"},
    {"fill buffers", [](Program& p) { step(p, 9).buffers.clear(); }, "a fill has one"},
    {"assertion", [](Program& p) { step(p, 0).condition = Expr::symbol("q"); }, "step 0"},
    {"host read symbol", [](Program& p) { step(p, 8).symbol = "q"; }, "no such symbol"},
    {"host read type", [](Program& p) { step(p, 8).buffers[0].buffer = 0; }, "of a float"},
    {"location", [](Program& p) { step(p, 1).loc = 1; }, "no such location"},
    {"init symbol", [](Program& p) { plan(p).init[0].buffers[0].offset = Expr::symbol("s0"); },
     "uses a symbol"},
    {"init input", [](Program& p) { plan(p).init[0].buffers[0].buffer = 0; }, "init block uses x"},
    {"init output", [](Program& p) { plan(p).init[0].buffers[1].buffer = 6; }, "uses centred"},
    {"init assertion", [](Program& p) { plan(p).init.push_back(step(p, 0)); }, "init step 1"},
    {"derived unwritten", [](Program& p) { plan(p).init.clear(); }, "w_folded is read before"},
};

class Validate : public ::testing::Test {
 protected:
  void check(std::span<const Break> breaks) {
    for (const Break& one : breaks) {
      Program program = make_test_program();
      one.apply(program);
      const Status status = validate(program);
      EXPECT_EQ(status.id(), static_cast<int>(Diag::kBadPackage)) << one.name;
      EXPECT_THAT(status.message(), HasSubstr(one.message)) << one.name;
    }
  }
};

TEST_F(Validate, AcceptsTheTestProgram) {
  const Status status = validate(make_test_program());
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST_F(Validate, AcceptsStrippedLocations) {
  Program program = make_test_program();
  program.locations.clear();
  EXPECT_TRUE(validate(program).ok());
}

TEST_F(Validate, AcceptsMutatedInputs) {
  Program program = make_test_program();
  step(program, 1).buffers[1].buffer = 0;
  program.inputs[0].mutated = true;
  step(program, 10).buffers[0].buffer = 0;
  const Status status = validate(program);
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST_F(Validate, AcceptsWeightsWithoutElements) {
  Program program = make_test_program();
  program.weights.push_back(
      {.name = "empty", .sizes = {0, 1000000}, .strides = {1000000, 1}, .storage_offset = 100000});
  const Status status = validate(program);
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST_F(Validate, RefusesBrokenTables) { check(kTables); }
TEST_F(Validate, RefusesBrokenInstructions) { check(kInsts); }
TEST_F(Validate, RefusesBrokenKernels) { check(kKernels); }
TEST_F(Validate, RefusesBrokenPlans) { check(kPlans); }

TEST_F(Validate, MessagesNameThePlace) {
  Program program = make_test_program();
  inst(program, kScatter, 4).dtype = DType::kF32;
  EXPECT_EQ(validate(program).message(), "kernel 1 (index_add): %4: the result has another type");
}

TEST(ScalarOps, AcceptWhatTheyAreDefinedOn) {
  EXPECT_TRUE(accepts(ScalarOp::kAdd, DType::kI8));
  EXPECT_TRUE(accepts(ScalarOp::kAdd, DType::kBool));
  EXPECT_FALSE(accepts(ScalarOp::kSub, DType::kBool));
  EXPECT_FALSE(accepts(ScalarOp::kAdd, DType::kBF16));
  EXPECT_FALSE(accepts(ScalarOp::kExp, DType::kI64));
  EXPECT_FALSE(accepts(ScalarOp::kAnd, DType::kF32));
  EXPECT_FALSE(accepts(ScalarOp::kShl, DType::kBool));
  EXPECT_FALSE(accepts(ScalarOp::kEq, DType::kC64));
}

}  // namespace
}  // namespace ingot::program
