// Powers. Small constant exponents are the operations that PyTorch uses for them, with its
// roundings.
#include <cmath>

#include "ops/broadcast.h"
#include "ops/operand.h"
#include "ops/pointwise.h"
#include "ops/promotion.h"
#include "ops/term.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kSchemas[] = {
    "aten::pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor",
    "aten::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor",
    "aten::pow.Scalar(Scalar self, Tensor exponent) -> Tensor",
};

std::vector<TensorType> infer(const Node& node) {
  return {{result_type(node, {"self", "exponent"}), broadcast_sizes(node, {"self", "exponent"})}};
}

// The value of a constant number argument.
std::optional<double> constant_number(const ir::Arg& arg) {
  if (const auto* real = std::get_if<double>(&arg)) return *real;
  if (const auto* flag = std::get_if<bool>(&arg)) return *flag;
  if (const auto* integer = std::get_if<sym::Expr>(&arg)) {
    if (const auto value = integer->as_const()) return static_cast<double>(*value);
  }
  return std::nullopt;
}

// x to the power of a constant where that is a few operations; each rounds to x's own dtype.
std::optional<Term> short_power(const Term& x, double exponent) {
  const bool real = is_float(x.dtype());
  if (exponent == 0) return x.number(1);
  if (exponent == 1) return x;
  if (exponent == 2) return x * x;
  if (exponent == 3) return x * x * x;
  if (!real) return std::nullopt;
  if (exponent == 0.5) return x.apply(ScalarOp::kSqrt);
  if (exponent == -0.5) return x.apply(ScalarOp::kRsqrt);
  if (exponent == -1) return x.apply(ScalarOp::kReciprocal);
  if (exponent == -2) return (x * x).apply(ScalarOp::kReciprocal);
  return std::nullopt;
}

Scalar element(ElementBuilder& e, const Node& node, uint32_t, const Index& index) {
  const DType dtype = result_type(node, {"self", "exponent"});
  const Term x(e, operand(e, node, "self", index, dtype));
  if (const auto exponent = constant_number(node.arg("exponent"))) {
    if (const auto power = short_power(x, *exponent)) return *power;
  }
  const Scalar exponent = operand(e, node, "exponent", index, dtype);
  return e.apply(ScalarOp::kPow, x, exponent);
}

// As PyTorch has it: a constant exponent of a half is a square root, also of -inf and -0.
double power(double a, double b) {
  if (b == 0.5) return std::sqrt(a);
  return b == -0.5 ? 1 / std::sqrt(a) : std::pow(a, b);
}

std::vector<RefTensor> reference(const RefArgs& args) {
  return {zip_reference(
      args, args.tensor_or_number("self"), args.tensor_or_number("exponent"),
      args.is_tensor("exponent") ? [](double a, double b) { return std::pow(a, b); } : power)};
}

std::vector<Case> cases() {
  std::vector<Case> list =
      binary_cases(kSchemas, Fill::kPositive, Fill::kPositive, all_float_dtypes());
  // Integer powers within 2^53, so that the reference is exact.
  for (Case& one : binary_cases(kSchemas, Fill::kNormal, Fill::kPositive, int_dtypes())) {
    if (one.name != "mixed") list.push_back(std::move(one));
  }
  for (double exponent : {-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 0.3}) {
    list.push_back({.schema = "aten.pow.Tensor_Scalar",
                    .args = {TensorArg{{40}, Fill::kSpecial}, exponent},
                    .dtypes = all_float_dtypes(),
                    .name = "special_exponent"});
  }
  for (int64_t exponent : {0, 1, 2, 3, 5}) {
    list.push_back({.schema = "aten.pow.Tensor_Scalar",
                    .args = {TensorArg{{40}}, exponent},
                    .dtypes = number_dtypes(),
                    .name = "integer_exponent"});
  }
  return list;
}

}  // namespace

extern constexpr OpDef k_pow{
    .name = "pow",
    .schemas = kSchemas,
    .kind = OpKind::kPointwise,
    .infer = infer,
    .element = element,
    .reference = reference,
    .cases = cases,
};

}  // namespace ingot::ops
