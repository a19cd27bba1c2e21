// Every field of a program in the order of the format, written down once: the encoder and the
// decoder both are an `Io` that these functions are run with.
//
// Fields that an instruction, step or template of some kind does not use are not part of the
// format: what decodes is always in canonical form.
#pragma once

#include "program/program.h"

namespace ingot::program {

template <typename Io, typename T>
using FieldRef = typename Io::template Ref<T>;

template <typename Io>
void dtype_field(Io& io, FieldRef<Io, DType> dtype) {
  io.choice(dtype, kDTypeCount);
}

template <typename Io>
void expr_list(Io& io, FieldRef<Io, std::vector<sym::Expr>> exprs) {
  io.list(exprs, [&io](auto& expr) { io.expr(expr); });
}

template <typename Io>
void integer_list(Io& io, FieldRef<Io, std::vector<int64_t>> values) {
  io.list(values, [&io](auto& value) { io.i64(value); });
}

// How many of Inst::args the instruction has.
inline int argument_count(const Inst& inst) {
  switch (inst.kind) {
    case InstKind::kCompute:
      return operand_count(inst.op);
    case InstKind::kCast:
    case InstKind::kBitcast:
    case InstKind::kReduce:
    case InstKind::kStore:
    case InstKind::kCheckIndex:
      return 1;
    default:
      return 0;
  }
}

inline bool has_index(InstKind kind) {
  return kind == InstKind::kIndex || kind == InstKind::kLoad || kind == InstKind::kStore ||
         kind == InstKind::kCheckIndex;
}

template <typename Io>
void inst_fields(Io& io, FieldRef<Io, Inst> inst) {
  io.choice(inst.kind, kInstKindCount);
  dtype_field(io, inst.dtype);
  const bool access = inst.kind == InstKind::kLoad || inst.kind == InstKind::kStore;
  if (inst.kind == InstKind::kConst) {
    if (is_int(inst.dtype)) {
      io.i64(inst.int_constant);
    } else {
      io.f64(inst.constant);
    }
  }
  if (inst.kind == InstKind::kCompute) io.choice(inst.op, kScalarOpCount);
  if (inst.kind == InstKind::kReduce) io.choice(inst.reduce, kReduceOpCount);
  if (inst.kind == InstKind::kStore) io.choice(inst.store_mode, kStoreModeCount);
  if (access) io.u32(inst.buffer);
  for (int i = 0; i < argument_count(inst); ++i) io.u32(inst.args[i]);
  if (access) io.u32(inst.predicate);
  if (has_index(inst.kind)) io.expr(inst.index);
}

template <typename Io>
void body_fields(Io& io, FieldRef<Io, Body> body) {
  io.list(body.axes, [&io](auto& axis) {
    io.expr(axis.extent);
    io.flag(axis.inner);
  });
  io.list(body.insts, [&io](auto& inst) { inst_fields(io, inst); });
  io.list(body.stages, [&io](auto& stage) {
    io.u32(stage.first);
    io.u32(stage.last);
    io.flag(stage.inner);
  });
}

template <typename Io>
void template_fields(Io& io, FieldRef<Io, MatmulTemplate> matmul) {
  expr_list(io, matmul.batch);
  io.expr(matmul.m);
  io.expr(matmul.n);
  io.expr(matmul.k);
}

template <typename Io>
void template_fields(Io& io, FieldRef<Io, ConvTemplate> conv) {
  io.expr(conv.batch);
  io.expr(conv.in_channels);
  io.expr(conv.out_channels);
  expr_list(io, conv.in_sizes);
  expr_list(io, conv.out_sizes);
  integer_list(io, conv.window);
  integer_list(io, conv.stride);
  integer_list(io, conv.padding);
  integer_list(io, conv.dilation);
  io.i64(conv.groups);
  io.flag(conv.transposed);
}

template <typename Io>
void template_fields(Io& io, FieldRef<Io, AttentionTemplate> attention) {
  io.expr(attention.batch);
  io.expr(attention.heads);
  io.expr(attention.kv_heads);
  io.expr(attention.queries);
  io.expr(attention.keys);
  io.expr(attention.key_size);
  io.expr(attention.value_size);
  io.f64(attention.scale);
  io.flag(attention.causal);
  io.flag(attention.masked_row_is_nan);
  body_fields(io, attention.score_body);
}

template <typename Io>
void template_fields(Io& io, FieldRef<Io, ScanTemplate> scan) {
  io.choice(scan.op, kReduceOpCount);
  io.flag(scan.log_sum_exp);
  expr_list(io, scan.rows);
  io.expr(scan.extent);
}

template <typename Io>
void template_fields(Io& io, FieldRef<Io, SortTemplate> sort) {
  io.flag(sort.descending);
  expr_list(io, sort.rows);
  io.expr(sort.extent);
  io.expr(sort.keep);
}

// All but the name.
template <typename Io>
void kernel_fields(Io& io, FieldRef<Io, Kernel> kernel) {
  io.choice(kernel.kind, kKernelKindCount);
  io.list(kernel.buffers, [&io](auto& buffer) {
    dtype_field(io, buffer.dtype);
    io.choice(buffer.access, kAccessCount);
  });
  io.u32(kernel.scalar_count);
  body_fields(io, kernel.body);
  if (kernel.kind == KernelKind::kLoop) return;
  io.list(kernel.operands, [&io](auto& operand) {
    io.u32(operand.buffer);
    io.expr(operand.offset);
    expr_list(io, operand.strides);
  });
  dtype_field(io, kernel.accumulator);
  if (kernel.kind == KernelKind::kMatmul) template_fields<Io>(io, kernel.matmul);
  if (kernel.kind == KernelKind::kConv) template_fields<Io>(io, kernel.conv);
  if (kernel.kind == KernelKind::kAttention) template_fields<Io>(io, kernel.attention);
  if (kernel.kind == KernelKind::kScan) template_fields<Io>(io, kernel.scan);
  if (kernel.kind == KernelKind::kSort) template_fields<Io>(io, kernel.sort);
}

template <typename Io>
void buffer_fields(Io& io, FieldRef<Io, Buffer> buffer) {
  io.text(buffer.name);
  io.choice(buffer.kind, kBufferKindCount);
  dtype_field(io, buffer.dtype);
  io.expr(buffer.elements);
  if (in_arena(buffer.kind)) {
    io.expr(buffer.arena_offset);
  } else {
    io.u32(buffer.source);
  }
}

template <typename Io>
void step_fields(Io& io, FieldRef<Io, Step> step) {
  io.choice(step.kind, kStepKindCount);
  if (step.kind != StepKind::kAssert) {
    io.list(step.buffers, [&io](auto& arg) {
      io.u32(arg.buffer);
      io.expr(arg.offset);
    });
  }
  switch (step.kind) {
    case StepKind::kLaunch:
      io.u32(step.kernel);
      expr_list(io, step.scalars);
      break;
    case StepKind::kCopy:
      io.expr(step.bytes);
      break;
    case StepKind::kFill:
      io.expr(step.bytes);
      io.u8(step.fill);
      break;
    case StepKind::kAssert:
      io.expr(step.condition);
      io.text(step.message);
      break;
    case StepKind::kHostRead:
      io.text(step.symbol);
      break;
  }
  io.u32(step.loc);
}

template <typename Io>
void plan_fields(Io& io, FieldRef<Io, Plan> plan) {
  io.text(plan.target);
  io.list(plan.buffers, [&io](auto& buffer) { buffer_fields(io, buffer); });
  io.list(plan.init, [&io](auto& step) { step_fields(io, step); });
  io.list(plan.steps, [&io](auto& step) { step_fields(io, step); });
  io.expr(plan.arena_bytes);
  io.expr(plan.derived_bytes);
}

template <typename Io>
void weight_fields(Io& io, FieldRef<Io, Weight> weight) {
  io.text(weight.name);
  dtype_field(io, weight.dtype);
  integer_list(io, weight.sizes);
  integer_list(io, weight.strides);
  io.i64(weight.storage_offset);
  io.u32(weight.storage);
}

template <typename Io>
void literal_fields(Io& io, FieldRef<Io, Literal> literal) {
  io.choice(literal.kind, kLiteralKindCount);
  switch (literal.kind) {
    case Literal::Kind::kNone:
      break;
    case Literal::Kind::kBool:
    case Literal::Kind::kInt:
      io.i64(literal.int_value);
      break;
    case Literal::Kind::kFloat:
      io.f64(literal.float_value);
      break;
    case Literal::Kind::kString:
      io.text(literal.string_value);
      break;
  }
}

template <typename Io>
void input_fields(Io& io, FieldRef<Io, Input> input) {
  io.text(input.name);
  io.choice(input.kind, kInputKindCount);
  switch (input.kind) {
    case InputKind::kTensor:
      dtype_field(io, input.dtype);
      expr_list(io, input.sizes);
      io.flag(input.mutated);
      break;
    case InputKind::kScalar:
      io.text(input.symbol);
      break;
    case InputKind::kBurnedIn:
      literal_fields(io, input.literal);
      break;
  }
}

template <typename Io>
void output_fields(Io& io, FieldRef<Io, Output> output) {
  io.text(output.name);
  io.choice(output.kind, kOutputKindCount);
  switch (output.kind) {
    case OutputKind::kTensor:
      dtype_field(io, output.dtype);
      expr_list(io, output.sizes);
      break;
    case OutputKind::kLiteral:
      literal_fields(io, output.literal);
      break;
    case OutputKind::kScalar:
      io.expr(output.scalar);
      break;
    case OutputKind::kInput:
      io.u32(output.input);
      break;
  }
}

template <typename Io>
void location_fields(Io& io, FieldRef<Io, Location> location) {
  io.text(location.file);
  io.u32(location.line);
  io.text(location.function);
  io.text(location.code);
  io.text(location.module_path);
  io.text(location.node);
}

// All but the locations, which are encoded apart.
template <typename Io>
void program_fields(Io& io, FieldRef<Io, Program> program) {
  io.text(program.producer);
  io.list(program.symbols, [&io](auto& symbol) {
    io.text(symbol.name);
    io.i64(symbol.range.lo);
    io.i64(symbol.range.hi);
  });
  io.list(program.inputs, [&io](auto& input) { input_fields(io, input); });
  io.list(program.outputs, [&io](auto& output) { output_fields(io, output); });
  io.list(program.guards, [&io](auto& guard) {
    io.expr(guard.condition);
    io.text(guard.text);
  });
  io.list(program.weights, [&io](auto& weight) { weight_fields(io, weight); });
  io.list(program.storages, [&io](auto& storage) {
    io.u64(storage.offset);
    io.u64(storage.bytes);
    io.u64(storage.checksum);
  });
  io.list(program.kernels, [&io](auto& kernel) {
    io.text(kernel.name);
    kernel_fields(io, kernel);
  });
  io.list(program.plans, [&io](auto& plan) { plan_fields(io, plan); });
}

}  // namespace ingot::program
