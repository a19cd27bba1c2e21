// Dropout with its mask, in inference: everything is kept.
#include "ops/pointwise.h"
#include "support/diagnostics.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kSchemas[] = {
    "aten::native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)"};

std::vector<TensorType> infer(const Node& node) {
  const ir::Arg& train = node.arg("train");
  const bool trains = ir::is_none(train) || node.flag("train");
  if (trains && node.number("p") != 0) {
    throw CompileError(Diag::kUnsupportedCase,
                       "dropout in training mode: export the model in eval mode");
  }
  const TensorType& input = node.tensor("input")->type;
  return {input, {DType::kBool, input.sizes}};
}

std::vector<Value*> decompose(ir::Builder& b, const Node& node) {
  Value* input = node.tensor("input");
  return {input, b.full(input->type.sizes, 1, DType::kBool)};
}

std::vector<RefTensor> reference(const RefArgs& args) {
  RefTensor mask = args.tensor("input");
  mask.dtype = DType::kBool;
  for (double& x : mask.data) x = 1;
  return {args.tensor("input"), mask};
}

std::vector<Case> cases() {
  return {
      {"aten.native_dropout.default",
       {TensorArg{{3, 4}}, 0.5, false},
       all_float_dtypes(),
       "",
       true},
      {"aten.native_dropout.default", {TensorArg{{0}}, 0.0, true}, float32_dtypes(), "empty"},
  };
}

}  // namespace

extern constexpr OpDef k_native_dropout{
    .name = "native_dropout",
    .schemas = kSchemas,
    .kind = OpKind::kComposite,
    .infer = infer,
    .decompose = decompose,
    .reference = reference,
    .cases = cases,
};

}  // namespace ingot::ops
