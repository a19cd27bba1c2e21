// Layer normalisation over the last dimensions: two passes in f32 (f64), rounded once.
#include <cmath>

#include "ops/index_space.h"
#include "ops/op_def.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kSchemas[] = {
    "aten::layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, "
    "Tensor? bias=None, float eps=1e-05, bool cudnn_enable=True) -> Tensor",
    "aten::native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, "
    "Tensor? bias, float eps) -> (Tensor, Tensor, Tensor)"};

bool is_native(const Node& node) { return node.op->schema.base == "native_layer_norm"; }

// The last dimensions, as many as normalized_shape has.
std::vector<int64_t> normalized_dims(const Node& node) {
  const int64_t rank = node.tensor("input")->rank();
  const auto count = static_cast<int64_t>(node.integers("normalized_shape").size());
  std::vector<int64_t> dims;
  for (int64_t dim = rank - count; dim < rank; ++dim) dims.push_back(dim);
  return dims;
}

std::vector<TensorType> infer(const Node& node) {
  const TensorType type = node.tensor("input")->type;
  if (!is_native(node)) return {type};
  TensorType statistics{compute_type(type.dtype), type.sizes};
  for (const int64_t dim : normalized_dims(node)) statistics.sizes[static_cast<size_t>(dim)] = 1;
  return {type, statistics, statistics};
}

std::vector<Value*> decompose(ir::Builder& b, const Node& node) {
  Value* input = node.tensor("input");
  const DType wide = compute_type(input->dtype());
  const std::vector<int64_t> dims = normalized_dims(node);
  Value* x = b.cast(input, wide);
  const sym::Expr count = sym::product(node.integers("normalized_shape"));
  const auto mean_of = [&](Value* value) {
    return b.call("aten.div.Scalar", {b.sum(value, dims, true), count});
  };
  Value* mean = mean_of(x);
  Value* centred = b.sub(x, mean);
  Value* variance = mean_of(b.mul(centred, centred));
  Value* scale = b.call("aten.rsqrt.default", {b.add(variance, node.number("eps"))});
  Value* result = b.mul(centred, scale);
  if (Value* weight = node.tensor_or_null("weight")) result = b.mul(result, b.cast(weight, wide));
  if (Value* bias = node.tensor_or_null("bias")) result = b.add(result, b.cast(bias, wide));
  result = b.cast(result, input->dtype());
  if (!is_native(node)) return {result};
  return {result, mean, scale};
}

std::vector<RefTensor> reference(const RefArgs& args) {
  const RefTensor& input = args.tensor("input");
  int64_t count = 1;
  for (const int64_t size : args.integers("normalized_shape")) count *= size;
  RefTensor result = input;
  RefTensor mean{compute_type(input.dtype), {}, {}};
  RefTensor scale = mean;
  for (size_t start = 0; start < input.data.size(); start += static_cast<size_t>(count)) {
    double sum = 0;
    for (int64_t i = 0; i < count; ++i) sum += input.data[start + static_cast<size_t>(i)];
    const double centre = sum / static_cast<double>(count);
    double squares = 0;
    for (int64_t i = 0; i < count; ++i) {
      squares += std::pow(input.data[start + static_cast<size_t>(i)] - centre, 2);
    }
    const double factor = 1 / std::sqrt(squares / static_cast<double>(count) + args.number("eps"));
    for (int64_t i = 0; i < count; ++i) {
      double y = (input.data[start + static_cast<size_t>(i)] - centre) * factor;
      if (args.has("weight")) y *= args.tensor("weight").data[static_cast<size_t>(i)];
      if (args.has("bias")) y += args.tensor("bias").data[static_cast<size_t>(i)];
      result.data[start + static_cast<size_t>(i)] = y;
    }
    mean.data.push_back(centre);
    scale.data.push_back(factor);
  }
  if (args.result_sizes.size() == 1) return {result};
  mean.sizes = args.result_sizes[1];
  scale.sizes = args.result_sizes[2];
  return {result, mean, scale};
}

std::vector<Case> cases() {
  const std::vector<DType> dtypes = {DType::kF32, DType::kF16, DType::kBF16, DType::kF64};
  return {{.schema = "aten.layer_norm.default",
           .args = {TensorArg{{3, 70}}, std::vector<int64_t>{70}, TensorArg{{70}}, TensorArg{{70}}},
           .dtypes = dtypes,
           .dynamic = true},
          {.schema = "aten.layer_norm.default",
           .args = {TensorArg{{2, 3, 4, 5}}, std::vector<int64_t>{4, 5}},
           .dtypes = dtypes},
          {.schema = "aten.native_layer_norm.default",
           .args = {TensorArg{{4, 33}}, std::vector<int64_t>{33}, TensorArg{{33}}, NoneArg{}, 1e-3},
           .dtypes = dtypes}};
}

}  // namespace

extern constexpr OpDef k_layer_norm{.name = "layer_norm",
                                    .schemas = kSchemas,
                                    .kind = OpKind::kComposite,
                                    .infer = infer,
                                    .decompose = decompose,
                                    .reference = reference,
                                    .cases = cases};

}  // namespace ingot::ops
