// Small programs written by hand, for the tests of the runtime and of its devices.
#pragma once

#include <cstring>
#include <vector>

#include "program/program.h"
#include "runtime/core/loaded_program.h"
#include "support/hash.h"

namespace ingot::runtime::testing {

// Builds the instructions of one stage that maps elements.
class BodyWriter {
 public:
  program::InstId load(uint32_t buffer, DType dtype, sym::Expr index) {
    program::Inst inst;
    inst.kind = program::InstKind::kLoad;
    inst.buffer = buffer;
    inst.dtype = dtype;
    inst.index = std::move(index);
    return add(inst);
  }
  program::InstId compute(program::ScalarOp op, DType dtype, program::InstId a, program::InstId b) {
    program::Inst inst;
    inst.kind = program::InstKind::kCompute;
    inst.op = op;
    inst.dtype = dtype;
    inst.args[0] = a;
    inst.args[1] = b;
    return add(inst);
  }
  program::InstId constant(DType dtype, double value) {
    program::Inst inst;
    inst.kind = program::InstKind::kConst;
    inst.dtype = dtype;
    inst.constant = value;
    inst.int_constant = static_cast<int64_t>(is_float(dtype) ? 0 : value);
    if (!is_float(dtype)) inst.constant = 0;
    return add(inst);
  }
  // The checked index as an expression.
  sym::Expr check_index(program::InstId value, sym::Expr extent) {
    program::Inst inst;
    inst.kind = program::InstKind::kCheckIndex;
    inst.dtype = DType::kI64;
    inst.args[0] = value;
    inst.index = std::move(extent);
    return sym::Expr::symbol("v" + std::to_string(add(inst)));
  }
  void store(uint32_t buffer, DType dtype, sym::Expr index, program::InstId value) {
    program::Inst inst;
    inst.kind = program::InstKind::kStore;
    inst.buffer = buffer;
    inst.dtype = dtype;
    inst.index = std::move(index);
    inst.args[0] = value;
    add(inst);
  }
  program::Body finish(std::vector<sym::Expr> extents) {
    program::Body body;
    for (const sym::Expr& extent : extents) body.axes.push_back({extent, false});
    body.stages.push_back({0, static_cast<uint32_t>(insts_.size()), false});
    body.insts = std::move(insts_);
    return body;
  }

 private:
  program::InstId add(program::Inst inst) {
    insts_.push_back(std::move(inst));
    return static_cast<program::InstId>(insts_.size() - 1);
  }
  std::vector<program::Inst> insts_;
};

inline sym::Expr axis(int i) { return sym::Expr::symbol("a" + std::to_string(i)); }
inline sym::Expr scalar(int i) { return sym::Expr::symbol("d" + std::to_string(i)); }

inline program::Buffer buffer(std::string name, program::BufferKind kind, sym::Expr elements,
                              uint32_t source, DType dtype = DType::kF32,
                              sym::Expr arena_offset = 0) {
  return {std::move(name), kind, dtype, std::move(elements), source, std::move(arena_offset)};
}

inline program::Step launch(program::KernelIndex kernel, std::vector<program::BufferIndex> buffers,
                            std::vector<sym::Expr> scalars) {
  program::Step step;
  step.kernel = kernel;
  for (const program::BufferIndex index : buffers) step.buffers.push_back({index, 0});
  step.scalars = std::move(scalars);
  return step;
}

// c[i] = a[i] (op) b[i mod period], for i < d0.
inline program::Kernel binary_kernel(std::string name, program::ScalarOp op, sym::Expr period) {
  program::Kernel kernel;
  kernel.name = std::move(name);
  kernel.buffers = {{DType::kF32, program::Access::kRead},
                    {DType::kF32, program::Access::kRead},
                    {DType::kF32, program::Access::kWrite}};
  kernel.scalar_count = 1;
  BodyWriter writer;
  const auto a = writer.load(0, DType::kF32, axis(0));
  const auto b = writer.load(1, DType::kF32, sym::mod(axis(0), period));
  writer.store(2, DType::kF32, axis(0), writer.compute(op, DType::kF32, a, b));
  kernel.body = writer.finish({scalar(0)});
  return kernel;
}

// a[i] += b[i mod period], for i < d0.
inline program::Kernel accumulate_kernel(std::string name, sym::Expr period) {
  program::Kernel kernel;
  kernel.name = std::move(name);
  kernel.buffers = {{DType::kF32, program::Access::kReadWrite},
                    {DType::kF32, program::Access::kRead}};
  kernel.scalar_count = 1;
  BodyWriter writer;
  const auto a = writer.load(0, DType::kF32, axis(0));
  const auto b = writer.load(1, DType::kF32, sym::mod(axis(0), period));
  writer.store(0, DType::kF32, axis(0), writer.compute(program::ScalarOp::kAdd, DType::kF32, a, b));
  kernel.body = writer.finish({scalar(0)});
  return kernel;
}

// The bytes of a program's storages, owned by the source's keep_alive.
inline void set_storages(ProgramSource& source, std::vector<std::vector<float>> storages) {
  auto owner = std::make_shared<std::vector<std::vector<float>>>(std::move(storages));
  uint64_t offset = 0;
  for (const std::vector<float>& values : *owner) {
    const auto bytes = std::as_bytes(std::span(values));
    source.storages.push_back(bytes);
    source.program.storages.push_back({offset, bytes.size(), xxh3(bytes)});
    offset += (bytes.size() + 63) / 64 * 64;
  }
  source.keep_alive = owner;
}

// A model of everything that the runtime binds, with the meaning
//   def forward(x, flag, step, mask):      # x: f32[s0, 4], 1 <= s0 <= 8, 2 * s0 != 10;
//     self.total += w[0] * 2               # flag: burned in True; step: int s1, 0 to 100
//     mask += bias                         # mask: f32[s0 + 1], mutated
//     return x * (w * 2) + bias, self.total.clone(), step * 2, mask, "done"
// where w is f32[4], bias is f32[1] and total f32[4], a column of a transposed storage.
inline ProgramSource affine_program() {
  using program::BufferKind;
  const sym::Expr s0 = sym::Expr::symbol("s0");
  const sym::Expr s1 = sym::Expr::symbol("s1");
  ProgramSource source;
  program::Program& p = source.program;
  p.producer = "test";
  p.symbols = {{"s0", {1, 8}}, {"s1", {0, 100}}};

  program::Input x{"x", program::InputKind::kTensor, DType::kF32, {s0, 4}, "", {}, false};
  program::Input flag{"flag", program::InputKind::kBurnedIn, DType::kF32, {}, "", {}, false};
  flag.literal.kind = program::Literal::Kind::kBool;
  flag.literal.int_value = 1;
  program::Input step{"step", program::InputKind::kScalar, DType::kI64, {}, "s1", {}, false};
  program::Input mask{"mask", program::InputKind::kTensor, DType::kF32, {s0 + 1}, "", {}, true};
  p.inputs = {x, flag, step, mask};

  program::Output y{"y", program::OutputKind::kTensor, DType::kF32, {s0, 4}, {}, 0, 0};
  program::Output total{"total", program::OutputKind::kTensor, DType::kF32, {4}, {}, 0, 0};
  program::Output doubled{"doubled", program::OutputKind::kScalar, DType::kI64, {}, {}, s1 * 2, 0};
  program::Output same{"same", program::OutputKind::kInput, DType::kF32, {}, {}, 0, 3};
  program::Output text{"text", program::OutputKind::kLiteral, DType::kF32, {}, {}, 0, 0};
  text.literal.kind = program::Literal::Kind::kString;
  text.literal.string_value = "done";
  p.outputs = {y, total, doubled, same, text};
  p.guards = {{sym::ne(s0 * 2, 10), "2 * x.size(0) != 10"}};

  // total starts as the second column of a 4 x 2 storage: 10, 20, 30, 40.
  set_storages(source, {{1, 2, 3, 4}, {0.5f}, {1, 10, 2, 20, 3, 30, 4, 40}});
  p.weights = {{"linear.weight", DType::kF32, {4}, {1}, 0, 0},
               {"linear.bias", DType::kF32, {1}, {1}, 0, 1},
               {"total", DType::kF32, {4}, {2}, 1, 2}};
  p.kernels = {binary_kernel("add_same", program::ScalarOp::kAdd, 4),
               binary_kernel("mul", program::ScalarOp::kMul, 4),
               binary_kernel("add_one", program::ScalarOp::kAdd, 1),
               accumulate_kernel("accumulate", 1)};
  p.locations = {{"model.py", 12, "forward", "y = x * (w * 2)", "linear (Linear)", "mul_1"}};

  program::Plan plan;
  plan.target = "cpu";
  plan.buffers = {buffer("x", BufferKind::kInput, s0 * 4, 0),
                  buffer("mask", BufferKind::kInput, s0 + 1, 3),
                  buffer("w", BufferKind::kConstant, 4, 0),
                  buffer("bias", BufferKind::kConstant, 1, 1),
                  buffer("w2", BufferKind::kDerived, 4, program::kNoIndex, DType::kF32, 64),
                  buffer("scaled", BufferKind::kTemporary, s0 * 4, program::kNoIndex, DType::kF32,
                         sym::align_up(s0 * 4, 64)),
                  buffer("total", BufferKind::kState, 4, 2),
                  buffer("y", BufferKind::kOutput, s0 * 4, 0),
                  buffer("total_out", BufferKind::kOutput, 4, 1)};
  plan.init = {launch(0, {2, 2, 4}, {4})};
  plan.steps = {launch(1, {0, 4, 5}, {s0 * 4}), launch(2, {5, 3, 7}, {s0 * 4}),
                launch(3, {6, 4}, {4}), launch(3, {1, 3}, {s0 + 1})};
  for (program::Step& each : plan.steps) each.loc = 0;
  program::Step copy;
  copy.kind = program::StepKind::kCopy;
  copy.buffers = {{6, 0}, {8, 0}};
  copy.bytes = 16;
  plan.steps.push_back(copy);
  plan.arena_bytes = sym::align_up(s0 * 4, 64) + s0 * 16;
  plan.derived_bytes = 128;
  p.plans = {plan};
  return source;
}

}  // namespace ingot::runtime::testing
