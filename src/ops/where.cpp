// Elements of one or the other operand.
#include <cmath>

#include "ops/broadcast.h"
#include "ops/operand.h"
#include "ops/pointwise.h"
#include "ops/promotion.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kSchemas[] = {
    "aten::where.self(Tensor condition, Tensor self, Tensor other) -> Tensor",
    "aten::where.ScalarSelf(Tensor condition, Scalar self, Tensor other) -> Tensor",
    "aten::where.ScalarOther(Tensor condition, Tensor self, Scalar other) -> Tensor",
    "aten::where.Scalar(Tensor condition, Scalar self, Scalar other) -> Tensor",
};

std::vector<TensorType> infer(const Node& node) {
  return {{result_type(node, {"self", "other"}),
           broadcast_sizes(node, {"condition", "self", "other"})}};
}

Scalar element(ElementBuilder& e, const Node& node, uint32_t, const Index& index) {
  const DType dtype = result_type(node, {"self", "other"});
  const Scalar condition = operand(e, node, "condition", index, DType::kBool);
  return e.select(condition, operand(e, node, "self", index, dtype),
                  operand(e, node, "other", index, dtype));
}

std::vector<RefTensor> reference(const RefArgs& args) {
  return {zip3_reference(args, args.tensor("condition"), args.tensor_or_number("self"),
                         args.tensor_or_number("other"),
                         [](double c, double a, double b) { return c != 0 ? a : b; })};
}

std::vector<Case> cases() {
  const TensorArg mask{{3, 4}, Fill::kBools};
  const TensorArg a{{3, 4}};
  const TensorArg special{{3, 4}, Fill::kSpecial};
  return {
      {"aten.where.self", {mask, a, a}, computable_dtypes(), "", true},
      {"aten.where.self",
       {TensorArg{{4}, Fill::kBools}, TensorArg{{2, 1, 1}}, TensorArg{{3, 1}}},
       computable_dtypes(),
       "broadcast",
       true},
      {"aten.where.self",
       {mask, a, TensorArg{{}, Fill::kNormal, true, DType::kF32}},
       computable_dtypes(),
       "mixed"},
      {"aten.where.self", {mask, a, 0.5}, computable_dtypes(), "number"},
      {"aten.where.self", {mask, special, special}, all_float_dtypes(), "special"},
      {"aten.where.self",
       {TensorArg{{0}, Fill::kBools}, TensorArg{{0}}, TensorArg{{1}}},
       float32_dtypes(),
       "empty"},
      {"aten.where.ScalarSelf", {mask, 0.5, a}, all_float_dtypes()},
      {"aten.where.ScalarOther", {mask, a, int64_t{2}}, computable_dtypes()},
      {"aten.where.ScalarOther", {mask, a, -INFINITY}, all_float_dtypes(), "infinity"},
      {"aten.where.Scalar", {mask, int64_t{1}, int64_t{0}}, float32_dtypes()},
      {"aten.where.Scalar", {mask, 1.0, int64_t{0}}, float32_dtypes(), "float"},
  };
}

}  // namespace

extern constexpr OpDef k_where{
    .name = "where",
    .schemas = kSchemas,
    .kind = OpKind::kPointwise,
    .infer = infer,
    .element = element,
    .reference = reference,
    .cases = cases,
};

}  // namespace ingot::ops
