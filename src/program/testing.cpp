#include "program/testing.h"

#include <limits>

#include "program/access.h"
#include "program/codec.h"
#include "program/print.h"
#include "program/validate.h"
#include "support/diagnostics.h"

namespace ingot::program {
namespace {

using sym::Expr;

Expr symbol(const char* name) { return Expr::symbol(name); }

class BodyBuilder {
 public:
  explicit BodyBuilder(Body& body) : body_(body) {}

  InstId add(Inst inst) {
    body_.insts.push_back(std::move(inst));
    return static_cast<InstId>(body_.insts.size() - 1);
  }
  InstId load(DType dtype, uint32_t buffer, Expr index, InstId predicate = kNoInst) {
    return add({.kind = InstKind::kLoad,
                .dtype = dtype,
                .buffer = buffer,
                .predicate = predicate,
                .index = std::move(index)});
  }
  void store(DType dtype, uint32_t buffer, Expr index, InstId value,
             StoreMode mode = StoreMode::kSet) {
    add({.kind = InstKind::kStore,
         .dtype = dtype,
         .store_mode = mode,
         .buffer = buffer,
         .args = {value, kNoInst, kNoInst},
         .index = std::move(index)});
  }
  InstId compute(ScalarOp op, DType dtype, InstId a, InstId b = kNoInst, InstId c = kNoInst) {
    return add({.kind = InstKind::kCompute, .dtype = dtype, .op = op, .args = {a, b, c}});
  }
  InstId convert(InstKind kind, DType dtype, InstId a) {
    return add({.kind = kind, .dtype = dtype, .args = {a, kNoInst, kNoInst}});
  }
  InstId reduce(ReduceOp op, DType dtype, InstId a) {
    return add(
        {.kind = InstKind::kReduce, .dtype = dtype, .reduce = op, .args = {a, kNoInst, kNoInst}});
  }
  InstId number(double value) {
    return add({.kind = InstKind::kConst, .dtype = DType::kF32, .constant = value});
  }
  InstId accumulator(DType dtype) { return add({.kind = InstKind::kAccumulator, .dtype = dtype}); }
  // Closes the stage that began at the end of the one before.
  void end_stage(bool inner) {
    const uint32_t first = body_.stages.empty() ? 0 : body_.stages.back().last;
    body_.stages.push_back({first, static_cast<uint32_t>(body_.insts.size()), inner});
  }

 private:
  Body& body_;
};

// y[a0, a1] = x[a0, a1] - max over a1, rounded to bf16 and back.
Kernel row_kernel() {
  Kernel kernel{.name = "sub_max",
                .buffers = {{DType::kF32, Access::kRead}, {DType::kF32, Access::kWrite}}};
  kernel.scalar_count = 1;
  kernel.body.axes = {{symbol("d0"), false}, {64, true}};
  BodyBuilder b(kernel.body);
  const Expr at = symbol("a0") * 64 + symbol("a1");
  const InstId x = b.load(DType::kF32, 0, at);
  const InstId most = b.reduce(ReduceOp::kMax, DType::kF32, x);
  b.end_stage(true);
  const InstId zero = b.number(-0.0);
  const InstId shift = b.compute(ScalarOp::kMax, DType::kF32, most, zero);
  b.end_stage(false);
  const InstId difference = b.compute(ScalarOp::kSub, DType::kF32, x, shift);
  const InstId rounded = b.convert(InstKind::kCast, DType::kBF16, difference);
  const InstId wide = b.convert(InstKind::kCast, DType::kF32, rounded);
  b.store(DType::kF32, 1, at, wide);
  b.end_stage(true);
  return kernel;
}

// cache[check(ids[a0]), a1] += x[a0, a1] where a1 is even.
Kernel scatter_kernel() {
  Kernel kernel{.name = "index_add",
                .buffers = {{DType::kI64, Access::kRead},
                            {DType::kF32, Access::kRead},
                            {DType::kF32, Access::kReadWrite}}};
  kernel.scalar_count = 1;
  kernel.body.axes = {{symbol("d0"), false}, {64, false}};
  BodyBuilder b(kernel.body);
  const InstId id = b.load(DType::kI64, 0, symbol("a0"));
  const InstId row = b.add({.kind = InstKind::kCheckIndex,
                            .dtype = DType::kI64,
                            .args = {id, kNoInst, kNoInst},
                            .index = 8});
  const InstId odd =
      b.add({.kind = InstKind::kIndex, .dtype = DType::kI64, .index = sym::mod(symbol("a1"), 2)});
  const InstId zero = b.add({.kind = InstKind::kConst, .dtype = DType::kI64});
  const InstId even = b.compute(ScalarOp::kEq, DType::kBool, odd, zero);
  const InstId x = b.load(DType::kF32, 1, symbol("a0") * 64 + symbol("a1"), even);
  const InstId bits = b.convert(InstKind::kBitcast, DType::kI32, x);
  const InstId again = b.convert(InstKind::kBitcast, DType::kF32, bits);
  const InstId picked = b.compute(ScalarOp::kSelect, DType::kF32, even, again, x);
  b.store(DType::kF32, 2, symbol(("v" + std::to_string(row)).c_str()) * 64 + symbol("a1"), picked,
          StoreMode::kAdd);
  b.end_stage(false);
  return kernel;
}

// out[m, n] = x[m, k] w[n, k] + bias[n].
Kernel linear_kernel() {
  Kernel kernel{.name = "linear", .kind = KernelKind::kMatmul};
  kernel.buffers = {{DType::kF32, Access::kRead},
                    {DType::kF32, Access::kRead},
                    {DType::kF32, Access::kRead},
                    {DType::kF32, Access::kWrite}};
  kernel.scalar_count = 1;
  kernel.matmul = {.batch = {}, .m = symbol("d0"), .n = 32, .k = 64};
  kernel.operands = {{0, 0, {64, 1}}, {1, 0, {1, 64}}};
  kernel.body.axes = {{symbol("d0"), false}, {32, false}};
  BodyBuilder b(kernel.body);
  const InstId product = b.accumulator(DType::kF32);
  const InstId bias = b.load(DType::kF32, 2, symbol("a1"));
  const InstId sum = b.compute(ScalarOp::kAdd, DType::kF32, product, bias);
  b.store(DType::kF32, 3, symbol("a0") * 32 + symbol("a1"), sum);
  b.end_stage(false);
  return kernel;
}

// An epilogue that stores the accumulator row-major.
void store_accumulator(Kernel& kernel, std::vector<Expr> extents, uint32_t buffer) {
  Expr index = 0;
  for (size_t i = 0; i < extents.size(); ++i) {
    index = index * extents[i] + symbol(("a" + std::to_string(i)).c_str());
    kernel.body.axes.push_back({extents[i], false});
  }
  BodyBuilder b(kernel.body);
  const InstId value = b.accumulator(kernel.accumulator);
  b.store(kernel.accumulator, buffer, index, value);
  b.end_stage(false);
}

std::vector<BufferParam> read_then_write(size_t reads) {
  std::vector<BufferParam> buffers(reads, {DType::kF32, Access::kRead});
  buffers.push_back({DType::kF32, Access::kWrite});
  return buffers;
}

// x as 2 images of 4 channels of 8 pixels; 4 filters of 3.
Kernel conv_kernel() {
  Kernel kernel{.name = "conv", .kind = KernelKind::kConv, .buffers = read_then_write(2)};
  kernel.conv = {.batch = 2,
                 .in_channels = 4,
                 .out_channels = 4,
                 .in_sizes = {8},
                 .out_sizes = {8},
                 .window = {3},
                 .stride = {1},
                 .padding = {1},
                 .dilation = {1},
                 .groups = 2};
  kernel.operands = {{0, 0, {32, 8, 1}}, {1, 0, {6, 3, 1}}};
  store_accumulator(kernel, {2, 4, 8}, 2);
  return kernel;
}

// Causal attention of 2 heads of 4 over 8 positions, x being queries, keys and values; the score is
// scaled by 0.5 once more.
Kernel attention_kernel() {
  Kernel kernel{.name = "attention", .kind = KernelKind::kAttention, .buffers = read_then_write(1)};
  kernel.attention = {.batch = 1,
                      .heads = 2,
                      .kv_heads = 1,
                      .queries = 8,
                      .keys = 8,
                      .key_size = 4,
                      .value_size = 4,
                      .scale = 0.5,
                      .causal = true};
  kernel.operands = {{0, 0, {64, 32, 4, 1}}, {0, 0, {64, 32, 4, 1}}, {0, 32, {0, 0, 4, 1}}};
  Body& score = kernel.attention.score_body;
  score.axes = {{1, false}, {2, false}, {8, false}, {8, false}};
  BodyBuilder b(score);
  const InstId value = b.accumulator(DType::kF32);
  const InstId half = b.number(0.5);
  b.compute(ScalarOp::kMul, DType::kF32, value, half);
  b.end_stage(false);
  store_accumulator(kernel, {1, 2, 8, 4}, 1);
  return kernel;
}

Kernel scan_kernel() {
  Kernel kernel{.name = "cumsum", .kind = KernelKind::kScan, .buffers = read_then_write(1)};
  kernel.scan = {.op = ReduceOp::kSum, .rows = {8}, .extent = 8};
  kernel.operands = {{0, 0, {8, 1}}};
  store_accumulator(kernel, {8, 8}, 1);
  return kernel;
}

// The largest of each row of 8 and its position.
Kernel sort_kernel() {
  Kernel kernel{.name = "topk", .kind = KernelKind::kSort, .buffers = read_then_write(1)};
  kernel.buffers.push_back({DType::kI64, Access::kWrite});
  kernel.sort = {.descending = true, .rows = {8}, .extent = 8, .keep = 1};
  kernel.operands = {{0, 0, {8, 1}}, {1, 0, {1, 1}}, {2, 0, {1, 1}}};
  return kernel;
}

// w + 0, as if folded at load.
Kernel fold_kernel() {
  Kernel kernel{.name = "fold", .buffers = read_then_write(1)};
  kernel.body.axes = {{32 * 64, false}};
  BodyBuilder b(kernel.body);
  const InstId w = b.load(DType::kF32, 0, symbol("a0"));
  const InstId unused = b.number(std::numeric_limits<double>::quiet_NaN());
  const InstId is_nan = b.compute(ScalarOp::kIsNan, DType::kBool, unused);
  b.compute(ScalarOp::kNot, DType::kBool, is_nan);
  b.store(DType::kF32, 1, symbol("a0"), w);
  b.end_stage(false);
  return kernel;
}

// Positions in the plan's buffers.
enum : uint32_t { kX, kIds, kW, kBias, kCache, kFolded, kCentred, kScratch, kMasked, kBest, kY };

Step launch(KernelIndex kernel, std::vector<BufferIndex> buffers, std::vector<Expr> scalars = {}) {
  Step step{.kind = StepKind::kLaunch, .kernel = kernel, .scalars = std::move(scalars)};
  for (const BufferIndex buffer : buffers) step.buffers.push_back({buffer, 0});
  step.loc = 0;
  return step;
}

void add_buffers(Plan& plan) {
  const Expr n = symbol("s0");
  const auto add = [&plan](std::string name, BufferKind kind, DType dtype, Expr elements,
                           uint32_t source, Expr offset) {
    plan.buffers.push_back(
        {std::move(name), kind, dtype, std::move(elements), source, std::move(offset)});
  };
  add("x", BufferKind::kInput, DType::kF32, n * 64, 0, 0);
  add("ids", BufferKind::kInput, DType::kI64, n, 1, 0);
  add("w", BufferKind::kConstant, DType::kF32, 32 * 64, 0, 0);
  add("bias", BufferKind::kConstant, DType::kF32, 32, 1, 0);
  add("cache", BufferKind::kState, DType::kF32, 8 * 64, 2, 0);
  add("w_folded", BufferKind::kDerived, DType::kF32, 32 * 64, kNoIndex, 0);
  add("centred", BufferKind::kTemporary, DType::kF32, n * 64, kNoIndex, 0);
  add("scratch", BufferKind::kTemporary, DType::kF32, 64, kNoIndex, n * 256);
  add("masked", BufferKind::kTemporary, DType::kF32, 64, kNoIndex, n * 256 + 256);
  add("best", BufferKind::kTemporary, DType::kI64, 8, kNoIndex, n * 256 + 512);
  add("y", BufferKind::kOutput, DType::kF32, n * 32, 0, 0);
}

Plan make_plan() {
  const Expr n = symbol("s0");
  Plan plan{.target = "cpu"};
  add_buffers(plan);
  plan.arena_bytes = n * 256 + 576;
  plan.derived_bytes = 32 * 64 * 4;
  plan.init = {launch(7, {kW, kFolded})};
  plan.steps = {
      {.kind = StepKind::kAssert, .condition = sym::le(n, 1000), .message = "too many rows"},
      launch(0, {kX, kCentred}, {n}),
      launch(1, {kIds, kX, kCache}, {n}),
      {.kind = StepKind::kCopy, .buffers = {{kCache, 64}, {kScratch, 0}}, .bytes = 256},
      launch(3, {kScratch, kW, kMasked}),
      launch(4, {kMasked, kScratch}),
      launch(5, {kScratch, kMasked}),
      launch(6, {kMasked, kScratch, kBest}),
      {.kind = StepKind::kHostRead, .buffers = {{kBest, 0}}, .symbol = "u0"},
      {.kind = StepKind::kFill, .buffers = {{kY, 0}}, .bytes = n * 128, .fill = 255},
      launch(2, {kCentred, kFolded, kBias, kY}, {n}),
  };
  return plan;
}

void add_signature(Program& program) {
  const Expr n = symbol("s0");
  program.symbols = {{"s0", {1, 1024}}, {"s1", {0, INT64_MAX}}, {"u0", {0, 8}}};
  program.inputs = {
      {.name = "x", .kind = InputKind::kTensor, .dtype = DType::kF32, .sizes = {n, 64}},
      {.name = "ids", .kind = InputKind::kTensor, .dtype = DType::kI64, .sizes = {n}},
      {.name = "count", .kind = InputKind::kScalar, .symbol = "s1"},
      {.name = "mode",
       .kind = InputKind::kBurnedIn,
       .literal = {.kind = Literal::Kind::kString, .string_value = "mean"}},
  };
  program.outputs = {
      {.name = "y", .kind = OutputKind::kTensor, .dtype = DType::kF32, .sizes = {n, 32}},
      {.name = "none", .kind = OutputKind::kLiteral},
      {.name = "twice", .kind = OutputKind::kScalar, .scalar = symbol("s1") * 2},
      {.name = "x", .kind = OutputKind::kInput, .input = 0},
  };
  program.guards = {{sym::ne(symbol("s1"), 7), "count != 7"}};
}

}  // namespace

Program make_test_program() {
  Program program;
  add_signature(program);
  program.storages = {{.bytes = 32 * 64 * 4}, {.bytes = 32 * 4 + 8}, {.bytes = 8 * 64 * 4}};
  program.weights = {
      {.name = "fc.weight", .dtype = DType::kF32, .sizes = {32, 64}, .strides = {64, 1}},
      {.name = "fc.bias",
       .dtype = DType::kF32,
       .sizes = {32},
       .strides = {1},
       .storage_offset = 2,
       .storage = 1},
      {.name = "cache", .dtype = DType::kF32, .sizes = {8, 64}, .strides = {64, 1}, .storage = 2},
  };
  program.kernels = {row_kernel(),       scatter_kernel(), linear_kernel(), conv_kernel(),
                     attention_kernel(), scan_kernel(),    sort_kernel(),   fold_kernel()};
  program.plans = {make_plan()};
  program.locations = {{.file = "model.py",
                        .line = 12,
                        .function = "forward",
                        .code = "return self.fc(x)",
                        .module_path = "fc (Linear)",
                        .node = "linear"}};
  program.producer = "ingot test";
  return program;
}

std::vector<std::vector<std::byte>> make_test_storages(const Program& program) {
  std::vector<std::vector<std::byte>> storages;
  uint64_t state = 1;
  for (const Storage& storage : program.storages) {
    std::vector<std::byte> bytes(storage.bytes);
    for (std::byte& byte : bytes) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      byte = static_cast<std::byte>(state >> 56);
    }
    storages.push_back(std::move(bytes));
  }
  return storages;
}

std::string exercise_encoded(std::span<const std::byte> bytes) {
  const auto program = decode(bytes);
  if (!program.ok()) {
    const auto id = static_cast<Diag>(program.status().id());
    const bool refused = id == Diag::kBadPackage || id == Diag::kPackageVersion;
    return refused ? "" : "refused with another error: " + program.status().message();
  }
  const std::vector<std::byte> again = encode(*program);
  const auto twice = decode(again);
  if (!twice.ok()) return "what was encoded is refused: " + twice.status().message();
  if (encode(*twice) != again) return "decoding and encoding changes the bytes";
  if (print_all(*program) != print_all(*twice)) return "decoding changes the program";
  if (!validate(*program).ok()) return "";
  for (const Kernel& kernel : program->kernels) {
    const std::vector<int64_t> scalars(kernel.scalar_count, 3);
    const std::vector<int64_t> elements(kernel.buffers.size(), 1000);
    (void)body_access(kernel.body, {scalars, elements});
    (void)check_template_sizes(kernel, {scalars, elements});
  }
  return "";
}

}  // namespace ingot::program
