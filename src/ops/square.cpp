// A number times itself.
#include "ops/pointwise.h"
#include "ops/promotion.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kSchemas[] = {"aten::square(Tensor self) -> Tensor"};

// pow(self, 2) promotes bools to integers.
std::vector<TensorType> infer(const Node& node) {
  const DType dtype = result_type(node, {"self"});
  return {{dtype == DType::kBool ? DType::kI64 : dtype, node.tensor("self")->type.sizes}};
}

std::vector<Value*> decompose(ir::Builder& b, const Node& node) {
  return {b.call("aten.pow.Tensor_Scalar", {node.arg("self"), sym::Expr(2)})};
}

std::vector<RefTensor> reference(const RefArgs& args) {
  return {map_reference(args, args.tensor("self"), [](double x) { return x * x; })};
}

std::vector<Case> cases() { return unary_cases(kSchemas[0], Fill::kNormal, computable_dtypes()); }

}  // namespace

extern constexpr OpDef k_square{
    .name = "square",
    .schemas = kSchemas,
    .kind = OpKind::kComposite,
    .infer = infer,
    .decompose = decompose,
    .reference = reference,
    .cases = cases,
};

}  // namespace ingot::ops
