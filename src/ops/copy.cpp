// The values of one tensor in the type and sizes of another: functional copy_ and fill_.
#include "ops/broadcast.h"
#include "ops/operand.h"
#include "ops/pointwise.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kCopySchemas[] = {
    "aten::copy(Tensor self, Tensor src, bool non_blocking=False) -> Tensor",
};
constexpr std::string_view kFillSchemas[] = {
    "aten::fill.Tensor(Tensor self, Tensor value) -> Tensor",
};

std::vector<TensorType> infer(const Node& node) { return {node.tensor("self")->type}; }

Scalar element(ElementBuilder& e, const Node& node, uint32_t, const Index& index) {
  return operand(e, node, node.op->schema.params[1].name, index, node.tensor("self")->dtype());
}

std::vector<RefTensor> reference(const RefArgs& args) {
  const std::string source = args.has("src") ? "src" : "value";
  return {expanded(args.tensor_or_number(source), args.result_sizes[0])};
}

std::vector<Case> copy_cases() {
  const TensorArg self{{2, 3}};
  return {
      {"aten.copy.default", {self, self}, computable_dtypes(), "", true},
      {"aten.copy.default", {self, TensorArg{{3}}}, computable_dtypes(), "broadcast", true},
      {"aten.copy.default",
       {self, TensorArg{{}, Fill::kNormal, true, DType::kI32}},
       signed_dtypes(),
       "cast"},
      {"aten.copy.default", {self, 2.0}, number_dtypes(), "number"},
      {"aten.copy.default", {TensorArg{{0}}, TensorArg{{0}}}, float32_dtypes(), "empty"},
  };
}

std::vector<Case> fill_cases() {
  return {
      {"aten.fill.Tensor", {TensorArg{{2, 3}}, TensorArg{{}}}, computable_dtypes(), "", true},
      {"aten.fill.Tensor", {TensorArg{{0}}, TensorArg{{}}}, float32_dtypes(), "empty"},
  };
}

constexpr OpDef kDefs[] = {
    {
        .name = "copy",
        .schemas = kCopySchemas,
        .kind = OpKind::kPointwise,
        .infer = infer,
        .element = element,
        .reference = reference,
        .cases = copy_cases,
    },
    {
        .name = "fill_tensor",
        .schemas = kFillSchemas,
        .kind = OpKind::kPointwise,
        .infer = infer,
        .element = element,
        .reference = reference,
        .cases = fill_cases,
    },
};

}  // namespace

extern constexpr OpFamily k_copy{kDefs};

}  // namespace ingot::ops
