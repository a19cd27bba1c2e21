// A tensor of one number.
#include "ops/operand.h"
#include "ops/pointwise.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kSchemas[] = {
    "aten::full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, "
    "Device? device=None, bool? pin_memory=None) -> Tensor",
};

// What PyTorch makes of a number without a dtype.
DType dtype_of(const ir::Arg& number) {
  if (std::holds_alternative<bool>(number)) return DType::kBool;
  return std::holds_alternative<double>(number) ? DType::kF32 : DType::kI64;
}

DType result_dtype(const Node& node) {
  return node.dtype_or("dtype", dtype_of(node.arg("fill_value")));
}

std::vector<TensorType> infer(const Node& node) {
  return {{result_dtype(node), node.integers("size")}};
}

Scalar element(ElementBuilder& e, const Node& node, uint32_t, const Index&) {
  return number_operand(e, node, "fill_value", result_dtype(node));
}

std::vector<RefTensor> reference(const RefArgs& args) {
  return {expanded(args.tensor_or_number("fill_value"), args.integers("size"))};
}

std::vector<Case> cases() {
  using Sizes = std::vector<int64_t>;
  std::vector<Case> all = {
      {"aten.full.default", {Sizes{2, 3}, 0.1}, {DType::kF32}},
      {"aten.full.default", {Sizes{2, 3}, int64_t{7}}, {DType::kI64}, "int", true, {"size"}},
      {"aten.full.default", {Sizes{}, true}, {DType::kBool}, "bool"},
      {"aten.full.default", {Sizes{0, 3}, 1.0}, {DType::kF32}, "empty"},
  };
  for (DType dtype : number_dtypes()) {
    all.push_back({"aten.full.default", {Sizes{3}, int64_t{5}, dtype}, {dtype}, "to_dtype"});
  }
  return all;
}

}  // namespace

extern constexpr OpDef k_full{
    .name = "full",
    .schemas = kSchemas,
    .kind = OpKind::kPointwise,
    .infer = infer,
    .element = element,
    .reference = reference,
    .cases = cases,
};

}  // namespace ingot::ops
