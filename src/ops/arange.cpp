// Evenly spaced numbers from a start by a step.
#include <cmath>

#include <fmt/core.h>

#include "ops/operand.h"
#include "ops/pointwise.h"
#include "ops/promotion.h"
#include "ops/term.h"
#include "support/diagnostics.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kSchemas[] = {
    "aten::arange(Scalar end, *, ScalarType? dtype=None, Layout? layout=None, "
    "Device? device=None, bool? pin_memory=None) -> Tensor",
    "aten::arange.start(Scalar start, Scalar end, *, ScalarType? dtype=None, "
    "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    "aten::arange.start_step(Scalar start, Scalar end, Scalar step=1, *, "
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=None) -> Tensor",
};

ir::Arg arg_or(const Node& node, std::string_view param, int64_t otherwise) {
  return node.has_param(param) ? node.arg(param) : ir::Arg(sym::Expr(otherwise));
}

bool is_integer(const ir::Arg& arg) { return !std::holds_alternative<double>(arg); }

sym::Expr integer_of(const ir::Arg& arg) {
  if (const auto* flag = std::get_if<bool>(&arg)) return *flag ? 1 : 0;
  return std::get<sym::Expr>(arg);
}

double number_of(const ir::Arg& arg) {
  if (const auto* real = std::get_if<double>(&arg)) return *real;
  const auto constant = integer_of(arg).as_const();
  if (!constant) {
    throw CompileError(Diag::kUnsupportedCase, "a dynamic bound together with a fractional one");
  }
  return static_cast<double>(*constant);
}

sym::Expr count_of(const ir::Arg& start, const ir::Arg& end, const ir::Arg& step) {
  if (is_integer(start) && is_integer(end) && is_integer(step)) {
    const sym::Expr by = integer_of(step);
    const sym::Expr length = integer_of(end) - integer_of(start);
    if (by.is_const(0)) throw CompileError(Diag::kUnsupportedCase, "the step is 0");
    const auto constant = by.as_const();
    const sym::Expr count =
        constant && *constant < 0 ? sym::ceil_div(-length, -by) : sym::ceil_div(length, by);
    return count.is_const() ? sym::max(count, 0) : count;
  }
  const double count = std::ceil((number_of(end) - number_of(start)) / number_of(step));
  if (!(count >= 0 && count < 0x1p53)) {
    throw CompileError(Diag::kUnsupportedCase, "the bounds are inconsistent with the step");
  }
  return static_cast<int64_t>(count);
}

std::vector<TensorType> infer(const Node& node) {
  const ir::Arg start = arg_or(node, "start", 0);
  const ir::Arg step = arg_or(node, "step", 1);
  const ir::Arg& end = node.arg("end");
  const bool integers = is_integer(start) && is_integer(end) && is_integer(step);
  const DType dtype = node.dtype_or("dtype", integers ? DType::kI64 : DType::kF32);
  return {{dtype, {count_of(start, end, step)}}};
}

Scalar element(ElementBuilder& e, const Node& node, uint32_t, const Index& index) {
  const ir::Arg start = arg_or(node, "start", 0);
  const ir::Arg step = arg_or(node, "step", 1);
  const DType dtype = node.results[0]->dtype();
  if (is_integer(start) && is_integer(step)) {
    return e.cast(e.index_value(integer_of(start) + index[0] * integer_of(step)), dtype);
  }
  // In double precision, as PyTorch's CPU kernels: errors do not grow with the index.
  const Term position = Term(e, e.index_value(index[0])).cast(DType::kF64);
  return e.cast(position * number_of(step) + number_of(start), dtype);
}

std::vector<RefTensor> reference(const RefArgs& args) {
  const double start = args.has("start") ? args.number("start") : 0;
  const double step = args.has("step") ? args.number("step") : 1;
  RefTensor result{args.result_dtype, args.result_sizes[0], {}};
  for (int64_t i = 0; i < result.elements(); ++i) {
    result.data.push_back(start + static_cast<double>(i) * step);
  }
  return {std::move(result)};
}

std::vector<Case> cases() {
  const std::vector<DType> any = {DType::kF32};
  return {
      {"aten.arange.default", {int64_t{5}}, any, "", true, {"end"}},
      {"aten.arange.default", {int64_t{0}}, any, "empty"},
      {"aten.arange.default", {4.5}, any, "fraction"},
      {"aten.arange.default", {int64_t{5}, DType::kF16}, any, "half"},
      {"aten.arange.start", {int64_t{-2}, int64_t{5}}, any, "", true, {"end"}},
      {"aten.arange.start", {int64_t{-2}, int64_t{5}, DType::kF32}, any, "float"},
      {"aten.arange.start_step", {int64_t{1}, int64_t{12}, int64_t{4}}, any, "", true, {"end"}},
      {"aten.arange.start_step", {int64_t{9}, int64_t{-4}, int64_t{-3}}, any, "down"},
      {"aten.arange.start_step", {0.5, 2.0, 0.3}, any, "fraction"},
      {"aten.arange.start_step", {0.0, 64.0, 2.0, DType::kI32}, any, "to_int"},
  };
}

}  // namespace

extern constexpr OpDef k_arange{
    .name = "arange",
    .schemas = kSchemas,
    .kind = OpKind::kPointwise,
    .infer = infer,
    .element = element,
    .reference = reference,
    .cases = cases,
};

}  // namespace ingot::ops
