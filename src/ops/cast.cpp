// Conversion to a dtype: what every form of `to` comes down to.
#include <cmath>

#include "ops/operand.h"
#include "ops/pointwise.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kSchemas[] = {
    "ingot::cast(Tensor self, ScalarType dtype) -> Tensor",
    "prims::convert_element_type(Tensor a, ScalarType dtype) -> Tensor",
};

std::string_view operand_name(const Node& node) { return node.has_param("a") ? "a" : "self"; }

std::vector<TensorType> infer(const Node& node) {
  const Value* input = node.tensor(operand_name(node));
  return {{node.dtype_or("dtype", input->dtype()), input->type.sizes}};
}

Scalar element(ElementBuilder& e, const Node& node, uint32_t, const Index& index) {
  const Value* input = node.tensor(operand_name(node));
  return e.cast(e.load(input, index), node.dtype_or("dtype", input->dtype()));
}

std::vector<RefTensor> reference(const RefArgs& args) {
  const RefTensor& input = args.has("a") ? args.tensor("a") : args.tensor("self");
  if (is_float(args.result_dtype)) return {map_reference(args, input, [](double x) { return x; })};
  if (args.result_dtype == DType::kBool) {
    return {map_reference(args, input, [](double x) { return double(x != 0); })};
  }
  return {map_reference(args, input, [](double x) { return std::trunc(x); })};
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (DType to : computable_dtypes()) {
    for (const char* schema : {"ingot.cast.default", "prims.convert_element_type.default"}) {
      all.push_back({.schema = schema,
                     .args = {TensorArg{{4, 7}, Fill::kLarge}, to},
                     .dtypes = computable_dtypes(),
                     .name = "to_" + std::string(to_string(to)),
                     .dynamic = true});
    }
  }
  // NaN and infinity between the float types, and to bool.
  for (DType to : {DType::kF32, DType::kF16, DType::kBF16, DType::kF64, DType::kBool}) {
    all.push_back({.schema = "ingot.cast.default",
                   .args = {TensorArg{{64}, Fill::kSpecial}, to},
                   .dtypes = all_float_dtypes(),
                   .name = "special_to_" + std::string(to_string(to))});
  }
  return all;
}

}  // namespace

extern constexpr OpDef k_cast{
    .name = "cast",
    .schemas = kSchemas,
    .kind = OpKind::kPointwise,
    .infer = infer,
    .element = element,
    .reference = reference,
    .cases = cases,
};

}  // namespace ingot::ops
