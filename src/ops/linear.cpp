// input @ weight.T + bias over the last dimension.
#include "ops/broadcast.h"
#include "ops/contraction.h"
#include "ops/op_def.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kSchemas[] = {
    "aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor"};

std::vector<TensorType> infer(const Node& node) {
  const Value* input = node.tensor("input");
  const Value* weight = node.tensor("weight");
  if (input->rank() < 1 || weight->rank() != 2 ||
      provably_differ(input->type.sizes.back(), weight->size(1))) {
    throw CompileError(Diag::kShapeMismatch, "linear of " + sizes_text(input->type.sizes) +
                                                 " with weight " + sizes_text(weight->type.sizes));
  }
  TensorType type = input->type;
  type.sizes.back() = weight->size(0);
  return {type};
}

std::vector<Value*> decompose(ir::Builder& b, const Node& node) {
  Value* input = node.tensor("input");
  Value* weight = node.tensor("weight");
  const sym::Expr depth = input->type.sizes.back();
  const Sizes leading(input->type.sizes.begin(), input->type.sizes.end() - 1);
  Sizes sizes = leading;
  sizes.push_back(weight->size(0));
  Value* rows = b.reshape(input, {sym::product(leading), depth});
  Value* result = b.reshape(wide_matmul(b, rows, b.transpose(weight, 0, 1)), sizes);
  if (Value* bias = node.tensor_or_null("bias")) {
    result = b.add(result, b.cast(bias, result->dtype()));
  }
  return {b.cast(result, input->dtype())};
}

std::vector<RefTensor> reference(const RefArgs& args) {
  const RefTensor& input = args.tensor("input");
  const RefTensor& weight = args.tensor("weight");
  RefTensor result;
  result.dtype = args.result_dtype;
  result.sizes = args.result_sizes[0];
  const int64_t depth = weight.sizes[1];
  const int64_t rows = depth == 0 ? 0 : input.elements() / depth;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t n = 0; n < weight.sizes[0]; ++n) {
      double sum = args.has("bias") ? args.tensor("bias").data[static_cast<size_t>(n)] : 0;
      for (int64_t k = 0; k < depth; ++k) {
        sum += input.data[static_cast<size_t>(row * depth + k)] *
               weight.data[static_cast<size_t>(n * depth + k)];
      }
      result.data.push_back(sum);
    }
  }
  return {result};
}

std::vector<Case> cases() {
  const auto make = [](std::vector<int64_t> input, std::vector<int64_t> weight, CaseArg bias) {
    return Case{.schema = "aten.linear.default",
                .args = {TensorArg{input, Fill::kUnit}, TensorArg{weight, Fill::kUnit}, bias},
                .dtypes = {DType::kF32, DType::kF16, DType::kBF16, DType::kF64},
                .dynamic = true};
  };
  return {make({3, 5}, {7, 5}, TensorArg{{7}}), make({2, 3, 40}, {17, 40}, NoneArg{}),
          make({9}, {4, 9}, TensorArg{{4}}), make({1, 1, 64}, {128, 64}, TensorArg{{128}})};
}

}  // namespace

extern constexpr OpDef k_linear{.name = "linear",
                                .schemas = kSchemas,
                                .kind = OpKind::kComposite,
                                .infer = infer,
                                .decompose = decompose,
                                .reference = reference,
                                .cases = cases};

}  // namespace ingot::ops
