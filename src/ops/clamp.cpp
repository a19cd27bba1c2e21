// Limits from below and above. NaN stays NaN; where the limits cross, the upper one wins.
#include <cmath>

#include "ops/broadcast.h"
#include "ops/operand.h"
#include "ops/pointwise.h"
#include "ops/promotion.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kSchemas[] = {
    "aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor",
    "aten::clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor",
    "aten::clamp_max(Tensor self, Scalar max) -> Tensor",
    "aten::clamp_max.Tensor(Tensor self, Tensor max) -> Tensor",
    "aten::clamp_min(Tensor self, Scalar min) -> Tensor",
    "aten::clamp_min.Tensor(Tensor self, Tensor min) -> Tensor",
};

bool has(const Node& node, std::string_view param) { return !ir::is_none(node.arg_or_none(param)); }

DType dtype_of(const Node& node) {
  Promotion promotion;
  promotion.add(node.arg("self")).add(node.arg_or_none("min")).add(node.arg_or_none("max"));
  return promotion.result();
}

std::vector<TensorType> infer(const Node& node) {
  Sizes sizes = node.tensor("self")->type.sizes;
  for (std::string_view limit : {"min", "max"}) {
    if (has(node, limit)) sizes = broadcast_sizes(sizes, broadcast_sizes(node, {limit}));
  }
  return {{dtype_of(node), std::move(sizes)}};
}

Scalar limited(ElementBuilder& e, ScalarOp op, Scalar x, Scalar limit) {
  if (x.dtype == DType::kBool) op = op == ScalarOp::kMax ? ScalarOp::kOr : ScalarOp::kAnd;
  return e.apply(op, x, limit);
}

Scalar element(ElementBuilder& e, const Node& node, uint32_t, const Index& index) {
  const DType dtype = dtype_of(node);
  Scalar x = operand(e, node, "self", index, dtype);
  if (has(node, "min")) x = limited(e, ScalarOp::kMax, x, operand(e, node, "min", index, dtype));
  if (has(node, "max")) x = limited(e, ScalarOp::kMin, x, operand(e, node, "max", index, dtype));
  return x;
}

double at_least(double x, double limit) {
  return std::isnan(x) || std::isnan(limit) ? NAN : x < limit ? limit : x;
}
double at_most(double x, double limit) {
  return std::isnan(x) || std::isnan(limit) ? NAN : x > limit ? limit : x;
}

std::vector<RefTensor> reference(const RefArgs& args) {
  RefTensor result = args.tensor("self");
  if (args.has("min")) result = zip_reference(args, result, args.tensor_or_number("min"), at_least);
  if (args.has("max")) result = zip_reference(args, result, args.tensor_or_number("max"), at_most);
  return {std::move(result)};
}

std::vector<Case> cases() {
  const TensorArg a{{3, 4}};
  const TensorArg special{{64}, Fill::kSpecial};
  const TensorArg limit{{4}};
  std::vector<Case> all = {
      {"aten.clamp.default", {a, int64_t{-1}, int64_t{1}}, signed_dtypes(), "", true},
      {"aten.clamp.default", {a, NoneArg{}, 0.5}, number_dtypes(), "only_max"},
      {"aten.clamp.default", {a, -0.25}, number_dtypes(), "only_min"},
      {"aten.clamp.default", {a, 1.0, -1.0}, all_float_dtypes(), "crossed"},
      {"aten.clamp.default", {special, -1.0, 1.0}, all_float_dtypes(), "special"},
      {"aten.clamp.default", {TensorArg{{0, 3}}, 0.0}, float32_dtypes(), "empty"},
      {"aten.clamp.Tensor", {a, limit, TensorArg{{3, 1}}}, number_dtypes(), "", true},
      {"aten.clamp.Tensor", {a, NoneArg{}, TensorArg{{}}}, computable_dtypes(), "only_max"},
      {"aten.clamp_min.Tensor", {special, special}, all_float_dtypes(), "special"},
  };
  for (const char* name : {"aten.clamp_min", "aten.clamp_max"}) {
    const std::string base = name;
    all.push_back({base + ".default", {a, int64_t{0}}, number_dtypes()});
    all.push_back({base + ".Tensor", {a, limit}, computable_dtypes(), "", true});
  }
  return all;
}

}  // namespace

extern constexpr OpDef k_clamp{
    .name = "clamp",
    .schemas = kSchemas,
    .kind = OpKind::kPointwise,
    .infer = infer,
    .element = element,
    .reference = reference,
    .cases = cases,
};

}  // namespace ingot::ops
