// gelu: x times the normal distribution function of x, or its tanh approximation.
#include <cmath>
#include <numbers>

#include "ops/operand.h"
#include "ops/pointwise.h"
#include "ops/term.h"
#include "support/diagnostics.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kSchemas[] = {
    "aten::gelu(Tensor self, *, str approximate=\"none\") -> Tensor",
};

constexpr double kCubic = 0.044715;
constexpr double kSqrt2OverPi = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;

bool uses_tanh(const std::string& approximate) {
  if (approximate != "none" && approximate != "tanh") {
    throw CompileError(Diag::kBadGraph, "unknown approximation '" + approximate + "'");
  }
  return approximate == "tanh";
}

std::vector<TensorType> infer(const Node& node) {
  uses_tanh(node.text("approximate"));
  return infer_same(node);
}

Scalar element(ElementBuilder& e, const Node& node, uint32_t, const Index& index) {
  const DType dtype = node.tensor("self")->type.dtype;
  const Term x(e, wide_operand(e, node, "self", index, dtype));
  const Term inner = uses_tanh(node.text("approximate"))
                         ? tanh((x + x * x * x * kCubic) * kSqrt2OverPi)
                         : erf(x * (1 / std::numbers::sqrt2));
  return e.cast(x * 0.5 * (inner + 1), dtype);
}

std::vector<RefTensor> reference(const RefArgs& args) {
  if (args.text("approximate") == "tanh") {
    return {map_reference(args, args.tensor("self"), [](double x) {
      return 0.5 * x * (1 + std::tanh(kSqrt2OverPi * (x + kCubic * x * x * x)));
    })};
  }
  return {map_reference(args, args.tensor("self"),
                        [](double x) { return x * std::erfc(-x / std::numbers::sqrt2) / 2; })};
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* approximate : {"none", "tanh"}) {
    for (Case& one : unary_cases(kSchemas[0], Fill::kNormal, all_float_dtypes(), {approximate})) {
      all.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace

extern constexpr OpDef k_gelu{
    .name = "gelu",
    .schemas = kSchemas,
    .kind = OpKind::kPointwise,
    .infer = infer,
    .element = element,
    .reference = reference,
    .cases = cases,
};

}  // namespace ingot::ops
