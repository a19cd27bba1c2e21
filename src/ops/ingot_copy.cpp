// A copy: the same elements in memory of their own.
#include "ops/op_def.h"
#include "ops/pointwise.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kSchemas[] = {"ingot::copy(Tensor self) -> Tensor"};

}  // namespace

extern constexpr OpDef k_ingot_copy{
    .name = "ingot_copy",
    .schemas = kSchemas,
    .kind = OpKind::kPointwise,
    .infer = [](const Node& node) -> std::vector<TensorType> {
      return {node.tensor("self")->type};
    },
    .element = [](ElementBuilder& e, const Node& node, uint32_t,
                  const Index& index) { return e.load(node.tensor("self"), index); },
    .reference = [](const RefArgs& args) -> std::vector<RefTensor> {
      return {args.tensor("self")};
    },
    .cases = [] { return unary_cases(kSchemas[0], Fill::kNormal, computable_dtypes()); },
};

}  // namespace ingot::ops
