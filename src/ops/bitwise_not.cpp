// Every bit inverted; of a bool, the other one.
#include "ops/operand.h"
#include "ops/pointwise.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kSchemas[] = {"aten::bitwise_not(Tensor self) -> Tensor"};

Scalar element(ElementBuilder& e, const Node& node, uint32_t, const Index& index) {
  const Value* self = node.tensor("self");
  return e.apply(ScalarOp::kNot, e.load(self, index));
}

std::vector<RefTensor> reference(const RefArgs& args) {
  const bool logical = args.result_dtype == DType::kBool;
  return {map_reference(
      args, args.tensor("self"),
      logical ? [](double x) { return double(x == 0); } : [](double x) { return -x - 1; })};
}

std::vector<Case> cases() {
  std::vector<DType> dtypes = int_dtypes();
  dtypes.push_back(DType::kBool);
  return unary_cases(kSchemas[0], Fill::kNormal, dtypes);
}

}  // namespace

extern constexpr OpDef k_bitwise_not{
    .name = "bitwise_not",
    .schemas = kSchemas,
    .kind = OpKind::kPointwise,
    .infer = infer_same,
    .element = element,
    .reference = reference,
    .cases = cases,
};

}  // namespace ingot::ops
