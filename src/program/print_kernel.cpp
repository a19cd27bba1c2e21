#include <fmt/core.h>

#include <algorithm>

#include "program/fields.h"
#include "program/print.h"
#include "program/template_shape.h"

namespace ingot::program {
namespace {

std::string list(std::span<const sym::Expr> exprs) {
  std::string text;
  for (const sym::Expr& expr : exprs) text += (text.empty() ? "" : ", ") + sym::to_string(expr);
  return "[" + text + "]";
}

std::string list(std::span<const int64_t> values) {
  const std::vector<sym::Expr> exprs(values.begin(), values.end());
  return list(exprs);
}

std::string_view to_string(Access access) {
  constexpr std::string_view kNames[] = {"read", "write", "read-write"};
  return kNames[static_cast<size_t>(access)];
}

std::string operands(const Inst& inst) {
  std::string text;
  for (int i = 0; i < argument_count(inst); ++i) {
    text += fmt::format("{}%{}", i == 0 ? "" : ", ", inst.args[i]);
  }
  return text;
}

std::string constant(const Inst& inst) {
  if (is_int(inst.dtype)) return fmt::format("{}", inst.int_constant);
  if (inst.dtype == DType::kBool) return inst.constant != 0 ? "true" : "false";
  return fmt::format("{}", inst.constant);
}

std::string element(const Inst& inst) {
  return fmt::format("b{}[{}]", inst.buffer, sym::to_string(inst.index));
}

std::string condition(const Inst& inst) {
  return inst.predicate == kNoInst ? "" : fmt::format(" if %{}", inst.predicate);
}

void print_body(const Body& body, std::string& text) {
  if (!body.axes.empty()) text += "  axes";
  for (size_t i = 0; i < body.axes.size(); ++i) {
    const Axis& axis = body.axes[i];
    text += fmt::format("{} {}a{} < {}", i == 0 ? "" : ",", axis.inner ? "inner " : "", i,
                        sym::to_string(axis.extent));
  }
  if (!body.axes.empty()) text += "\n";
  for (const Stage& stage : body.stages) {
    text += stage.inner ? "  inner:\n" : "  row:\n";
    const size_t last = std::min<size_t>(stage.last, body.insts.size());
    for (InstId id = stage.first; id < last; ++id) {
      text += "    " + to_string(body.insts[id], id) + "\n";
    }
  }
}

std::string template_line(const Kernel& kernel) {
  const auto str = [](const sym::Expr& expr) { return sym::to_string(expr); };
  switch (kernel.kind) {
    case KernelKind::kLoop:
      break;
    case KernelKind::kMatmul: {
      const MatmulTemplate& m = kernel.matmul;
      return fmt::format("batch {} m {} n {} k {}", list(m.batch), str(m.m), str(m.n), str(m.k));
    }
    case KernelKind::kConv: {
      const ConvTemplate& c = kernel.conv;
      return fmt::format(
          "batch {} channels {} -> {} sizes {} -> {} window {} stride {} padding {} dilation {} "
          "groups {}{}",
          str(c.batch), str(c.in_channels), str(c.out_channels), list(c.in_sizes),
          list(c.out_sizes), list(c.window), list(c.stride), list(c.padding), list(c.dilation),
          c.groups, c.transposed ? " transposed" : "");
    }
    case KernelKind::kAttention: {
      const AttentionTemplate& a = kernel.attention;
      return fmt::format(
          "batch {} heads {} kv_heads {} queries {} keys {} key_size {} value_size {} scale {}{}{}",
          str(a.batch), str(a.heads), str(a.kv_heads), str(a.queries), str(a.keys), str(a.key_size),
          str(a.value_size), a.scale, a.causal ? " causal" : "",
          a.masked_row_is_nan ? " masked_row_is_nan" : "");
    }
    case KernelKind::kScan: {
      const ScanTemplate& s = kernel.scan;
      return fmt::format("{}{} rows {} extent {}", to_string(s.op),
                         s.log_sum_exp ? " log_sum_exp" : "", list(s.rows), str(s.extent));
    }
    case KernelKind::kSort: {
      const SortTemplate& s = kernel.sort;
      return fmt::format("{} rows {} extent {} keep {}", s.descending ? "descending" : "ascending",
                         list(s.rows), str(s.extent), str(s.keep));
    }
  }
  return {};
}

void print_template(const Kernel& kernel, std::string& text) {
  text += fmt::format("  {} accumulate {}\n", template_line(kernel), to_string(kernel.accumulator));
  for (size_t i = 0; i < kernel.operands.size(); ++i) {
    const Operand& operand = kernel.operands[i];
    text += fmt::format("  operand {}: b{}[{}] strides {}\n", i, operand.buffer,
                        sym::to_string(operand.offset), list(operand.strides));
  }
  if (kernel.kind == KernelKind::kAttention && !kernel.attention.score_body.insts.empty()) {
    text += "  score:\n";
    print_body(kernel.attention.score_body, text);
    text += "  epilogue:\n";
  }
}

}  // namespace

std::string to_string(const Inst& inst, InstId id) {
  const std::string_view dtype = to_string(inst.dtype);
  switch (inst.kind) {
    case InstKind::kConst:
      return fmt::format("%{} = const {} {}", id, dtype, constant(inst));
    case InstKind::kIndex:
      return fmt::format("%{} = index {} {}", id, dtype, sym::to_string(inst.index));
    case InstKind::kLoad:
      return fmt::format("%{} = load {} {}{}", id, dtype, element(inst), condition(inst));
    case InstKind::kCompute:
      return fmt::format("%{} = {} {} {}", id, to_string(inst.op), dtype, operands(inst));
    case InstKind::kReduce:
      return fmt::format("%{} = reduce {} {} {}", id, to_string(inst.reduce), dtype,
                         operands(inst));
    case InstKind::kStore: {
      const bool combines = inst.store_mode != StoreMode::kSet;
      return fmt::format("store {}{}{} {} = {}{}", combines ? to_string(inst.store_mode) : "",
                         combines ? " " : "", dtype, element(inst), operands(inst),
                         condition(inst));
    }
    case InstKind::kCheckIndex:
      return fmt::format("%{} = check_index {} {} in {}", id, dtype, operands(inst),
                         sym::to_string(inst.index));
    case InstKind::kCast:
    case InstKind::kBitcast:
      return fmt::format("%{} = {} {} {}", id, to_string(inst.kind), dtype, operands(inst));
    case InstKind::kAccumulator:
      return fmt::format("%{} = accumulator {}", id, dtype);
  }
  return {};
}

std::string print_kernel(const Kernel& kernel) {
  std::string text = fmt::format("kernel {} {}", kernel_symbol(kernel), to_string(kernel.kind));
  if (kernel.scalar_count > 0) text += fmt::format(" scalars {}", kernel.scalar_count);
  text += "\n";
  for (size_t i = 0; i < kernel.buffers.size(); ++i) {
    const BufferParam& buffer = kernel.buffers[i];
    text += fmt::format("  b{}: {} {}\n", i, to_string(buffer.dtype), to_string(buffer.access));
  }
  if (kernel.kind != KernelKind::kLoop) print_template(kernel, text);
  print_body(kernel.body, text);
  return text;
}

}  // namespace ingot::program
