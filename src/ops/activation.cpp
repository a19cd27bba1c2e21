// Activation functions without parameters, and other formulas of one number.
#include <cmath>
#include <numbers>

#include "ops/family.h"
#include "ops/operand.h"
#include "ops/pointwise.h"
#include "ops/promotion.h"
#include "ops/term.h"

namespace ingot::ops {
namespace {

struct Row {
  std::string_view schema;
  bool takes_integers;  // computed in their dtype; otherwise integers become f32
  Term (*formula)(const Term& x);
  double (*reference)(double x);
};

constexpr double kSeluAlpha = 1.6732632423543772848170429916717;
constexpr double kSeluScale = 1.0507009873554804934193349852946;

double clamp_number(double x, double low, double high) {
  return std::isnan(x) ? x : std::min(std::max(x, low), high);
}
double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

constexpr Row kRows[] = {
    {"aten::deg2rad(Tensor self) -> Tensor", false,
     [](const Term& x) { return x * (std::numbers::pi / 180); },
     [](double x) { return x * (std::numbers::pi / 180); }},
    {"aten::hardsigmoid(Tensor self) -> Tensor", false,
     [](const Term& x) { return clamp(x + 3, 0, 6) / 6; },
     [](double x) { return clamp_number(x + 3, 0, 6) / 6; }},
    {"aten::hardswish(Tensor self) -> Tensor", false,
     [](const Term& x) { return x * clamp(x + 3, 0, 6) / 6; },
     [](double x) { return x * clamp_number(x + 3, 0, 6) / 6; }},
    {"aten::log_sigmoid(Tensor self) -> Tensor", false,
     [](const Term& x) { return min(x, 0) - log1p(exp(-abs(x))); },
     [](double x) {
       return std::isnan(x) ? x : std::min(x, 0.0) - std::log1p(std::exp(-std::abs(x)));
     }},
    {"aten::mish(Tensor self) -> Tensor", false,
     // softplus without overflow: log(1 + exp(x)) = max(x, 0) + log1p(exp(-|x|))
     [](const Term& x) { return x * tanh(max(x, 0) + log1p(exp(-abs(x)))); },
     [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }},
    {"aten::rad2deg(Tensor self) -> Tensor", false,
     [](const Term& x) { return x * (180 / std::numbers::pi); },
     [](double x) { return x * (180 / std::numbers::pi); }},
    {"aten::relu(Tensor self) -> Tensor", true, [](const Term& x) { return max(x, 0); },
     [](double x) { return x < 0 ? 0 : x; }},
    {"aten::relu6(Tensor self) -> Tensor", true, [](const Term& x) { return clamp(x, 0, 6); },
     [](double x) { return clamp_number(x, 0, 6); }},
    {"aten::selu(Tensor self) -> Tensor", false,
     [](const Term& x) {
       return (x <= 0).select(expm1(x) * (kSeluAlpha * kSeluScale), x * kSeluScale);
     },
     [](double x) { return kSeluScale * (x > 0 ? x : kSeluAlpha * std::expm1(x)); }},
    {"aten::sigmoid(Tensor self) -> Tensor", false, [](const Term& x) { return 1 / (exp(-x) + 1); },
     sigmoid_of},
    {"aten::silu(Tensor self) -> Tensor", false, [](const Term& x) { return x / (exp(-x) + 1); },
     [](double x) { return x / (1 + std::exp(-x)); }},
    {"aten::sinc(Tensor self) -> Tensor", false,
     [](const Term& x) {
       const Term angle = x * std::numbers::pi;
       return (x == 0).select(x.number(1), sin(angle) / angle);
     },
     [](double x) { return x == 0 ? 1 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x); }},
    {"aten::frac(Tensor self) -> Tensor", false, [](const Term& x) { return x - trunc(x); },
     [](double x) { return x - std::trunc(x); }},
};

Scalar element(const Row& row, ElementBuilder& e, const Node& node, const Index& index) {
  const DType dtype = node.tensor("self")->type.dtype;
  const DType result = row.takes_integers ? dtype : to_float_type(dtype);
  return e.cast(row.formula(Term(e, wide_operand(e, node, "self", index, result))), result);
}

struct Maker {
  template <size_t I>
  static constexpr OpDef def() {
    return {
        .name = schema_base(kRows[I].schema),
        .schemas = std::span(&kRows[I].schema, 1),
        .kind = OpKind::kPointwise,
        .infer = kRows[I].takes_integers ? infer_same : infer_float,
        .element = [](ElementBuilder& e, const Node& node, uint32_t,
                      const Index& index) { return element(kRows[I], e, node, index); },
        .reference = [](const RefArgs& args) -> std::vector<RefTensor> {
          return {map_reference(args, args.tensor("self"), kRows[I].reference)};
        },
        .cases =
            [] {
              return unary_cases(kRows[I].schema, Fill::kNormal,
                                 kRows[I].takes_integers ? number_dtypes() : all_float_dtypes());
            },
    };
  }
};
constexpr auto kDefs = make_family<Maker>(std::make_index_sequence<std::size(kRows)>{});

}  // namespace

extern constexpr OpFamily k_activation{kDefs};

}  // namespace ingot::ops
