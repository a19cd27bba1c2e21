// Rounding to a number of decimals, half to even.
#include <cmath>

#include "ops/operand.h"
#include "ops/pointwise.h"
#include "ops/promotion.h"
#include "ops/term.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kSchemas[] = {
    "aten::round.decimals(Tensor self, *, int decimals) -> Tensor",
    "aten::special_round(Tensor self, *, int decimals=0) -> Tensor",
};

Scalar element(ElementBuilder& e, const Node& node, uint32_t, const Index& index) {
  const DType dtype = result_type(node, {"self"});
  const Term x(e, wide_operand(e, node, "self", index, dtype));
  if (!is_float(dtype)) return x;
  const int64_t decimals = node.constant("decimals");
  if (decimals == 0) return e.cast(round(x), dtype);
  // A power of ten on the side where it is exact.
  const double scale = std::pow(10.0, static_cast<double>(std::abs(decimals)));
  return e.cast(decimals > 0 ? round(x * scale) / scale : round(x / scale) * scale, dtype);
}

std::vector<RefTensor> reference(const RefArgs& args) {
  RefTensor result = args.tensor("self");
  if (!is_float(result.dtype)) return {result};
  const double scale = std::pow(10.0, static_cast<double>(args.integer("decimals")));
  for (double& x : result.data) x = std::nearbyint(x * scale) / scale;
  return {result};
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (int64_t decimals : {0, 1}) {
    for (std::string_view schema : kSchemas) {
      for (Case& one : unary_cases(schema, Fill::kNormal, {DType::kF32, DType::kF64, DType::kI64},
                                   {decimals})) {
        all.push_back(std::move(one));
      }
    }
  }
  all.push_back({"aten.round.decimals",
                 {TensorArg{{40}, Fill::kLarge}, int64_t{-1}},
                 {DType::kF32, DType::kF64},
                 "tens"});
  return all;
}

}  // namespace

extern constexpr OpDef k_round_decimals{
    .name = "round_decimals",
    .schemas = kSchemas,
    .kind = OpKind::kPointwise,
    .infer = infer_same,
    .element = element,
    .reference = reference,
    .cases = cases,
};

}  // namespace ingot::ops
