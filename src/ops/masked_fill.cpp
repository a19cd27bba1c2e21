// A number wherever a mask is set.
#include <cmath>

#include "ops/broadcast.h"
#include "ops/operand.h"
#include "ops/pointwise.h"
#include "ops/promotion.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kSchemas[] = {
    "aten::masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor",
    "aten::masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor",
};

std::vector<TensorType> infer(const Node& node) {
  return {{result_type(node, {"self"}), broadcast_sizes(node, {"self", "mask"})}};
}

Scalar element(ElementBuilder& e, const Node& node, uint32_t, const Index& index) {
  const DType dtype = result_type(node, {"self"});
  const Scalar mask = operand(e, node, "mask", index, DType::kBool);
  return e.select(mask, operand(e, node, "value", index, dtype),
                  operand(e, node, "self", index, dtype));
}

std::vector<RefTensor> reference(const RefArgs& args) {
  return {zip3_reference(
      args, args.tensor_or_number("self"), args.tensor("mask"), args.tensor_or_number("value"),
      [](double a, double mask, double value) { return mask != 0 ? value : a; })};
}

std::vector<Case> cases() {
  const TensorArg a{{3, 4}};
  const TensorArg mask{{3, 4}, Fill::kBools};
  return {
      {"aten.masked_fill.Scalar", {a, mask, int64_t{1}}, computable_dtypes(), "", true},
      {"aten.masked_fill.Scalar", {a, mask, -INFINITY}, all_float_dtypes(), "infinity"},
      {"aten.masked_fill.Scalar",
       {TensorArg{{2, 1, 4}}, TensorArg{{3, 1}, Fill::kBools}, 0.5},
       all_float_dtypes(),
       "broadcast",
       true},
      {"aten.masked_fill.Scalar",
       {TensorArg{{0}}, TensorArg{{1}, Fill::kBools}, 0.5},
       float32_dtypes(),
       "empty"},
      {"aten.masked_fill.Tensor", {a, mask, TensorArg{{}}}, computable_dtypes()},
  };
}

}  // namespace

extern constexpr OpDef k_masked_fill{
    .name = "masked_fill",
    .schemas = kSchemas,
    .kind = OpKind::kPointwise,
    .infer = infer,
    .element = element,
    .reference = reference,
    .cases = cases,
};

}  // namespace ingot::ops
