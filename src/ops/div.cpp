// Division: true, or rounded down or towards zero.
#include <cmath>

#include "ops/operand.h"
#include "ops/pointwise.h"
#include "ops/promotion.h"
#include "support/diagnostics.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kSchemas[] = {
    "aten::div.Tensor(Tensor self, Tensor other) -> Tensor",
    "aten::div.Scalar(Tensor self, Scalar other) -> Tensor",
    "aten::div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor",
    "aten::div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor",
};

enum class Rounding : uint8_t { kNone, kDown, kTowardsZero };

Rounding rounding_of(const Node& node) {
  const ir::Arg mode = node.arg_or_none("rounding_mode");
  if (ir::is_none(mode)) return Rounding::kNone;
  const std::string& name = std::get<std::string>(mode);
  if (name == "floor") return Rounding::kDown;
  if (name == "trunc") return Rounding::kTowardsZero;
  throw CompileError(Diag::kBadGraph, "unknown rounding mode '" + name + "'");
}

std::vector<TensorType> infer(const Node& node) {
  return rounding_of(node) == Rounding::kNone ? infer_binary_float(node) : infer_binary(node);
}

Scalar element(ElementBuilder& e, const Node& node, uint32_t, const Index& index) {
  const Rounding rounding = rounding_of(node);
  DType dtype = result_type(node, {"self", "other"});
  if (rounding == Rounding::kNone) dtype = to_float_type(dtype);
  const ScalarOp op = rounding == Rounding::kNone   ? ScalarOp::kDiv
                      : rounding == Rounding::kDown ? ScalarOp::kDivFloor
                                                    : ScalarOp::kDivTrunc;
  const Scalar a = wide_operand(e, node, "self", index, dtype);
  const Scalar b = exact_operand(e, node, "other", index, dtype);
  return e.cast(e.apply(op, a, b), dtype);
}

std::vector<RefTensor> reference(const RefArgs& args) {
  const std::string mode = args.has("rounding_mode") ? args.text("rounding_mode") : "";
  double (*divide)(double, double) = [](double a, double b) { return a / b; };
  if (mode == "floor") divide = floor_division;
  if (mode == "trunc") divide = [](double a, double b) { return std::trunc(a / b); };
  return {
      zip_reference(args, args.tensor_or_number("self"), args.tensor_or_number("other"), divide)};
}

std::vector<Case> cases() {
  const std::span<const std::string_view> all(kSchemas);
  std::vector<Case> list =
      binary_cases(all.first(2), Fill::kNormal, Fill::kPositive, computable_dtypes());
  for (CaseArg mode : {CaseArg(NoneArg{}), CaseArg("floor"), CaseArg("trunc")}) {
    for (Case& rounded :
         binary_cases(all.last(2), Fill::kNormal, Fill::kPositive, number_dtypes(), {mode})) {
      list.push_back(std::move(rounded));
    }
  }
  list.push_back(
      {.schema = "aten.div.Tensor_mode",
       .args = {TensorArg{{30}, Fill::kPositive}, TensorArg{{30}, Fill::kPositive}, "floor"},
       .dtypes = number_dtypes(),
       .name = "floor_positive"});
  return list;
}

}  // namespace

extern constexpr OpDef k_div{
    .name = "div",
    .schemas = kSchemas,
    .kind = OpKind::kPointwise,
    .infer = infer,
    .element = element,
    .reference = reference,
    .cases = cases,
};

}  // namespace ingot::ops
