// relu with a learned slope for negative numbers, one per channel or one for all.
#include "ops/broadcast.h"
#include "ops/operand.h"
#include "ops/pointwise.h"
#include "ops/promotion.h"
#include "ops/term.h"
#include "support/diagnostics.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kSchemas[] = {
    "aten::prelu(Tensor self, Tensor weight) -> Tensor",
    "aten::_prelu_kernel(Tensor self, Tensor weight) -> Tensor",
};

std::vector<TensorType> infer(const Node& node) {
  const TensorType& self = node.tensor("self")->type;
  const TensorType& weight = node.tensor("weight")->type;
  const bool per_channel =
      node.op->schema.base == "prelu" && weight.rank() == 1 && !weight.sizes[0].is_const(1);
  if (per_channel && (self.rank() < 2 || provably_differ(weight.sizes[0], self.sizes[1]))) {
    throw CompileError(Diag::kShapeMismatch, "one weight per channel: " + sizes_text(self.sizes) +
                                                 " and " + sizes_text(weight.sizes));
  }
  return {self};
}

// Where the weight of an element is: along dimension 1 for prelu, broadcast for its kernel.
Scalar weight_of(ElementBuilder& e, const Node& node, const Index& index) {
  const Value* weight = node.tensor("weight");
  const bool per_channel = node.op->schema.base == "prelu" && weight->rank() == 1;
  if (!per_channel) return e.load(weight, broadcast_index(weight->type.sizes, index));
  return e.load(weight, {weight->size(0).is_const(1) ? sym::Expr(0) : index[1]});
}

Scalar element(ElementBuilder& e, const Node& node, uint32_t, const Index& index) {
  const DType dtype = node.tensor("self")->dtype();
  const Term x(e, wide_operand(e, node, "self", index, dtype));
  const Term weight = Term(e, weight_of(e, node, index)).cast(x.dtype());
  return e.cast((x > 0).select(x, weight * x), dtype);
}

std::vector<RefTensor> reference(const RefArgs& args) {
  const RefTensor& self = args.tensor("self");
  RefTensor weight = args.tensor("weight");
  if (weight.sizes.size() == 1 && self.sizes.size() > 1) {
    weight.sizes.resize(self.sizes.size() - 1, 1);  // (channels, 1, …)
  }
  return {zip_reference(args, self, weight, [](double x, double w) { return x > 0 ? x : w * x; })};
}

std::vector<Case> cases() {
  return {
      {"aten.prelu.default", {TensorArg{{2, 3, 4}}, TensorArg{{3}}}, all_float_dtypes(), "", true},
      {"aten.prelu.default", {TensorArg{{2, 3}}, TensorArg{{1}}}, all_float_dtypes(), "shared"},
      {"aten.prelu.default", {TensorArg{{5}}, TensorArg{{1}}}, float32_dtypes(), "vector"},
      {"aten.prelu.default", {TensorArg{{}}, TensorArg{{}}}, float32_dtypes(), "scalar"},
      {"aten.prelu.default", {TensorArg{{0, 3}}, TensorArg{{3}}}, float32_dtypes(), "empty"},
      {"aten.prelu.default",
       {TensorArg{{64}, Fill::kSpecial}, TensorArg{{1}}},
       all_float_dtypes(),
       "special"},
      {"aten._prelu_kernel.default",
       {TensorArg{{2, 3, 4}}, TensorArg{{1, 3, 1}}},
       all_float_dtypes(),
       "",
       true},
  };
}

}  // namespace

extern constexpr OpDef k_prelu{
    .name = "prelu",
    .schemas = kSchemas,
    .kind = OpKind::kPointwise,
    .infer = infer,
    .element = element,
    .reference = reference,
    .cases = cases,
};

}  // namespace ingot::ops
