// A given number of evenly spaced numbers, both ends included.
#include "ops/operand.h"
#include "ops/pointwise.h"
#include "ops/term.h"

namespace ingot::ops {
namespace {

#define INGOT_OPTIONS \
  "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None"

constexpr std::string_view kSchemas[] = {
    "aten::linspace(Scalar start, Scalar end, int steps, *, " INGOT_OPTIONS ") -> Tensor",
    "aten::linspace.Tensor_Tensor(Tensor start, Tensor end, int steps, *, " INGOT_OPTIONS
    ") -> Tensor",
    "aten::linspace.Tensor_Scalar(Tensor start, Scalar end, int steps, *, " INGOT_OPTIONS
    ") -> Tensor",
    "aten::linspace.Scalar_Tensor(Scalar start, Tensor end, int steps, *, " INGOT_OPTIONS
    ") -> Tensor",
};

std::vector<TensorType> infer(const Node& node) {
  return {{node.dtype_or("dtype", DType::kF32), {node.integer("steps")}}};
}

// Counted from the nearer end, as PyTorch does: symmetric, and exact at both.
Scalar element(ElementBuilder& e, const Node& node, uint32_t, const Index& index) {
  const DType dtype = node.dtype_or("dtype", DType::kF32);
  const DType wide = is_float(dtype) ? compute_type(dtype) : DType::kF64;
  const sym::Expr steps = node.integer("steps");
  const Term start(e, operand(e, node, "start", {}, wide));
  const Term end(e, operand(e, node, "end", {}, wide));
  if (steps.is_const(1)) return e.cast(start, dtype);
  const auto number = [&](const sym::Expr& expr) {
    return Term(e, e.index_value(expr)).cast(wide);
  };
  const Term step = (end - start) / number(steps - 1);
  const Term first_half(e, e.condition(sym::lt(index[0], sym::floor_div(steps, 2))));
  return e.cast(
      first_half.select(start + step * number(index[0]), end - step * number(steps - 1 - index[0])),
      dtype);
}

std::vector<RefTensor> reference(const RefArgs& args) {
  const double start = args.tensor_or_number("start").data[0];
  const double end = args.tensor_or_number("end").data[0];
  const int64_t steps = args.integer("steps");
  RefTensor result{args.result_dtype, {steps}, {}};
  for (int64_t i = 0; i < steps; ++i) {
    const double part = steps == 1 ? 0 : static_cast<double>(i) / static_cast<double>(steps - 1);
    result.data.push_back(start + (end - start) * part);
  }
  return {result};
}

std::vector<Case> cases() {
  const TensorArg number{{}};
  const int64_t steps = 7;
  const std::vector<DType> any = float32_dtypes();
  return {
      {"aten.linspace.default", {0.0, 1.0, steps}, any, "", true, {"steps"}},
      {"aten.linspace.default", {int64_t{-4}, int64_t{8}, steps, DType::kI64}, any, "int"},
      {"aten.linspace.default", {3.0, -2.0, int64_t{1}}, any, "one"},
      {"aten.linspace.default", {3.0, -2.0, int64_t{0}}, any, "empty"},
      {"aten.linspace.default", {0.0, 1.0, steps, DType::kF16}, any, "half"},
      {"aten.linspace.Tensor_Tensor", {number, number, steps}, any},
      {"aten.linspace.Tensor_Scalar", {number, 1.0, steps}, any},
      {"aten.linspace.Scalar_Tensor", {-1.0, number, steps}, any},
  };
}

}  // namespace

extern constexpr OpDef k_linspace{
    .name = "linspace",
    .schemas = kSchemas,
    .kind = OpKind::kPointwise,
    .infer = infer,
    .element = element,
    .reference = reference,
    .cases = cases,
};

}  // namespace ingot::ops
