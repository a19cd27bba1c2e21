// Whether two numbers are equal within a tolerance.
#include <cmath>

#include "ops/operand.h"
#include "ops/pointwise.h"
#include "ops/promotion.h"
#include "ops/term.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kSchemas[] = {
    "aten::isclose(Tensor self, Tensor other, float rtol=1.0000000000000001e-05, float "
    "atol=1e-08, bool equal_nan=False) -> Tensor"};

Scalar element(ElementBuilder& e, const Node& node, uint32_t, const Index& index) {
  const DType dtype = result_type(node, {"self", "other"});
  const Term a(e, operand(e, node, "self", index, dtype));
  const Term b(e, operand(e, node, "other", index, dtype));
  if (dtype == DType::kBool) return a == b;
  const Term x = a.cast(to_float_type(dtype));
  const Term y = b.cast(to_float_type(dtype));
  const Term allowed = abs(y * node.number("rtol")) + node.number("atol");
  const Term distance = abs(x - y);
  Term close = (a == b) | ((distance <= allowed) & !isinf(distance));
  if (node.flag("equal_nan") && is_float(dtype)) close = close | (isnan(a) & isnan(b));
  return close;
}

std::vector<RefTensor> reference(const RefArgs& args) {
  const double relative = args.number("rtol");
  const double absolute = args.number("atol");
  const bool equal_nan = args.flag("equal_nan");
  return {zip3_reference(args, args.tensor_or_number("self"), args.tensor_or_number("other"),
                         RefTensor{DType::kF64, {}, {0}}, [&](double a, double b, double) {
                           if (std::isnan(a) && std::isnan(b)) return double(equal_nan);
                           const double distance = std::abs(a - b);
                           return double(a == b || (std::isfinite(distance) &&
                                                    distance <= absolute + relative * std::abs(b)));
                         })};
}

std::vector<Case> cases() {
  std::vector<Case> all;
  // Tolerances far from any distance, so that rounding does not decide.
  for (const bool equal_nan : {false, true}) {
    for (Case& one : binary_cases(kSchemas, Fill::kNormal, Fill::kNormal,
                                  {DType::kF32, DType::kF64, DType::kI64, DType::kBool},
                                  {0.51, 0.013, equal_nan})) {
      all.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace

extern constexpr OpDef k_isclose{
    .name = "isclose",
    .schemas = kSchemas,
    .kind = OpKind::kPointwise,
    .infer = infer_binary_bool,
    .element = element,
    .reference = reference,
    .cases = cases,
};

}  // namespace ingot::ops
