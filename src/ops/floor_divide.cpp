// Division rounded down.
#include "ops/pointwise.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kSchemas[] = {
    "aten::floor_divide(Tensor self, Tensor other) -> Tensor",
    "aten::floor_divide.Scalar(Tensor self, Scalar other) -> Tensor",
};

std::vector<Value*> decompose(ir::Builder& b, const Node& node) {
  return {b.call("aten.div.Tensor_mode", {node.arg("self"), node.arg("other"), "floor"})};
}

std::vector<RefTensor> reference(const RefArgs& args) {
  return {zip_reference(args, args.tensor_or_number("self"), args.tensor_or_number("other"),
                        floor_division)};
}

std::vector<Case> cases() {
  return binary_cases(kSchemas, Fill::kNormal, Fill::kPositive, number_dtypes());
}

}  // namespace

extern constexpr OpDef k_floor_divide{
    .name = "floor_divide",
    .schemas = kSchemas,
    .kind = OpKind::kComposite,
    .infer = infer_binary,
    .decompose = decompose,
    .reference = reference,
    .cases = cases,
};

}  // namespace ingot::ops
