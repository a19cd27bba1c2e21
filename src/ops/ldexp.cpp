// A number times a power of two.
#include <cmath>

#include "ops/broadcast.h"
#include "ops/pointwise.h"
#include "ops/promotion.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kSchemas[] = {"aten::ldexp.Tensor(Tensor self, Tensor other) -> Tensor"};

std::vector<TensorType> infer(const Node& node) {
  Promotion promotion;
  promotion.add(node.arg("self"));
  if (const auto* exponent = std::get_if<Value*>(&node.arg("other"))) {
    // An integer exponent makes a float power.
    promotion.add(TensorType{to_float_type((*exponent)->dtype()), (*exponent)->type.sizes});
  }
  return {{promotion.add_number(DType::kF32).result(), broadcast_sizes(node, {"self", "other"})}};
}

// As PyTorch does it, with the power rounded on the way.
std::vector<Value*> decompose(ir::Builder& b, const Node& node) {
  const auto* exponent = std::get_if<Value*>(&node.arg("other"));
  const ir::Arg power = exponent ? ir::Arg(b.call("aten.pow.Scalar", {2.0, *exponent}))
                                 : ir::Arg(std::exp2(node.number("other")));
  return {b.call("aten.mul.Tensor", {node.arg("self"), power})};
}

std::vector<RefTensor> reference(const RefArgs& args) {
  return {zip_reference(args, args.tensor_or_number("self"), args.tensor_or_number("other"),
                        [](double a, double b) { return a * std::exp2(b); })};
}

std::vector<Case> cases() {
  return binary_cases(kSchemas, Fill::kNormal, Fill::kUnit, all_float_dtypes());
}

}  // namespace

extern constexpr OpDef k_ldexp{
    .name = "ldexp",
    .schemas = kSchemas,
    .kind = OpKind::kComposite,
    .infer = infer,
    .decompose = decompose,
    .reference = reference,
    .cases = cases,
};

}  // namespace ingot::ops
