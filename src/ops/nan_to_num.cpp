// Finite numbers instead of NaN and the infinities.
#include <cmath>
#include <limits>

#include "ops/operand.h"
#include "ops/pointwise.h"
#include "ops/promotion.h"
#include "ops/term.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kSchemas[] = {
    "aten::nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> "
    "Tensor",
};

double largest(DType dtype) {
  switch (dtype) {
    case DType::kF16:
      return 65504;
    case DType::kBF16:
      return 0x1.fep127;
    case DType::kF64:
      return std::numeric_limits<double>::max();
    default:
      return std::numeric_limits<float>::max();
  }
}

Scalar element(ElementBuilder& e, const Node& node, uint32_t, const Index& index) {
  const DType dtype = result_type(node, {"self"});
  const Term x(e, operand(e, node, "self", index, dtype));
  if (!is_float(dtype)) return x;
  const auto number = [&](std::string_view param, double otherwise) {
    return x.number(ir::is_none(node.arg(param)) ? otherwise : node.number(param));
  };
  const Term finite = (x == INFINITY)
                          .select(number("posinf", largest(dtype)),
                                  (x == -INFINITY).select(number("neginf", -largest(dtype)), x));
  return isnan(x).select(number("nan", 0), finite);
}

std::vector<RefTensor> reference(const RefArgs& args) {
  RefTensor result = args.tensor("self");
  const double most = largest(result.dtype);
  for (double& x : result.data) {
    if (std::isnan(x)) {
      x = args.has("nan") ? args.number("nan") : 0;
    } else if (std::isinf(x)) {
      const char* param = x > 0 ? "posinf" : "neginf";
      x = args.has(param) ? args.number(param) : std::copysign(most, x);
    }
  }
  return {result};
}

std::vector<Case> cases() {
  std::vector<Case> all = unary_cases(kSchemas[0], Fill::kNormal, computable_dtypes());
  for (Case& one : unary_cases(kSchemas[0], Fill::kNormal, all_float_dtypes(), {1.0, 2.0, -3.0})) {
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

extern constexpr OpDef k_nan_to_num{
    .name = "nan_to_num",
    .schemas = kSchemas,
    .kind = OpKind::kPointwise,
    .infer = infer_same,
    .element = element,
    .reference = reference,
    .cases = cases,
};

}  // namespace ingot::ops
