// Group and root-mean-square normalisation.
#include <cmath>

#include "ops/broadcast.h"
#include "ops/op_def.h"
#include "ops/reference_view.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kGroupSchemas[] = {
    "aten::group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float "
    "eps=1e-05, bool cudnn_enabled=True) -> Tensor",
    "aten::native_group_norm(Tensor input, Tensor? weight, Tensor? bias, SymInt N, SymInt C, "
    "SymInt HxW, int group, float eps) -> (Tensor, Tensor, Tensor)"};
constexpr std::string_view kRmsSchemas[] = {
    "aten::rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) "
    "-> Tensor"};

int64_t groups_of(const Node& node) {
  return node.constant(node.has_param("group") ? "group" : "num_groups");
}

std::vector<TensorType> infer_group(const Node& node) {
  const Value* input = node.tensor("input");
  if (node.op->schema.returns.size() == 1) return {input->type};
  const TensorType statistics{input->dtype(), {input->size(0), groups_of(node)}};
  return {input->type, statistics, statistics};
}

// Normalises rows of [n, groups, everything else], then scales per channel.
std::vector<Value*> decompose_group(ir::Builder& b, const Node& node) {
  Value* input = node.tensor("input");
  const DType wide = compute_type(input->dtype());
  const int64_t groups = groups_of(node);
  const sym::Expr count = sym::floor_div(
      sym::product(Sizes(input->type.sizes.begin() + 1, input->type.sizes.end())), groups);
  Value* rows = b.reshape(b.cast(input, wide), {input->size(0), groups, count});
  const int64_t dims[] = {2};
  const auto mean_of = [&](Value* value) {
    return b.call("aten.div.Scalar", {b.sum(value, dims, true), count});
  };
  Value* mean = mean_of(rows);
  Value* centred = b.sub(rows, mean);
  Value* variance = mean_of(b.mul(centred, centred));
  Value* scale = b.call("aten.rsqrt.default", {b.add(variance, node.number("eps"))});
  Value* result = b.reshape(b.mul(centred, scale), input->type.sizes);
  Sizes channel(static_cast<size_t>(input->rank()), sym::Expr(1));
  channel[1] = input->size(1);
  if (Value* weight = node.tensor_or_null("weight")) {
    result = b.mul(result, b.reshape(b.cast(weight, wide), channel));
  }
  if (Value* bias = node.tensor_or_null("bias")) {
    result = b.add(result, b.reshape(b.cast(bias, wide), channel));
  }
  result = b.cast(result, input->dtype());
  if (node.op->schema.returns.size() == 1) return {result};
  const Sizes statistics = {input->size(0), groups};
  return {result, b.reshape(mean, statistics), b.reshape(scale, statistics)};
}

std::vector<RefTensor> group_reference(const RefArgs& args) {
  const RefTensor& input = args.tensor("input");
  const bool native = args.result_sizes.size() == 3;
  const int64_t groups = args.integer(native ? "group" : "num_groups");
  RefTensor result = input;
  const int64_t rows = input.sizes[0] * groups;
  const auto length = static_cast<size_t>(input.elements() / rows);
  int64_t plane = 1;
  for (size_t i = 2; i < input.sizes.size(); ++i) plane *= input.sizes[i];
  RefTensor means{input.dtype, {input.sizes[0], groups}, {}};
  RefTensor scales = means;
  for (int64_t row = 0; row < rows; ++row) {
    const size_t start = static_cast<size_t>(row) * length;
    double mean = 0;
    for (size_t i = 0; i < length; ++i) mean += input.data[start + i] / static_cast<double>(length);
    double variance = 0;
    for (size_t i = 0; i < length; ++i) {
      variance += std::pow(input.data[start + i] - mean, 2) / static_cast<double>(length);
    }
    const double scale = 1 / std::sqrt(variance + args.number("eps"));
    means.data.push_back(mean);
    scales.data.push_back(scale);
    for (size_t i = 0; i < length; ++i) {
      const auto c =
          static_cast<size_t>((static_cast<int64_t>(start + i) / plane) % input.sizes[1]);
      double& y = result.data[start + i];
      y = (y - mean) * scale;
      if (args.has("weight")) y *= args.tensor("weight").data[c];
      if (args.has("bias")) y += args.tensor("bias").data[c];
    }
  }
  if (native) return {result, means, scales};
  return {result};
}

std::vector<Value*> decompose_rms(ir::Builder& b, const Node& node) {
  Value* input = node.tensor("input");
  const DType wide = compute_type(input->dtype());
  const auto count = static_cast<int64_t>(node.integers("normalized_shape").size());
  std::vector<int64_t> dims;
  for (int64_t dim = input->rank() - count; dim < input->rank(); ++dim) dims.push_back(dim);
  Value* x = b.cast(input, wide);
  Value* mean = b.call("aten.div.Scalar", {b.sum(b.mul(x, x), dims, true),
                                           sym::product(node.integers("normalized_shape"))});
  // Left out, eps is the spacing of the computing type at 1.
  const double spacing = wide == DType::kF64 ? 0x1p-52 : 0x1p-23;
  const double eps = ir::is_none(node.arg("eps")) ? spacing : node.number("eps");
  Value* result = b.mul(x, b.call("aten.rsqrt.default", {b.add(mean, eps)}));
  if (Value* weight = node.tensor_or_null("weight")) result = b.mul(result, b.cast(weight, wide));
  return {b.cast(result, input->dtype())};
}

std::vector<RefTensor> rms_reference(const RefArgs& args) {
  RefTensor result = args.tensor("input");
  size_t length = 1;
  for (const int64_t size : args.integers("normalized_shape")) length *= static_cast<size_t>(size);
  const double spacing = result.dtype == DType::kF64 ? 0x1p-52 : 0x1p-23;
  const double eps = args.has("eps") ? args.number("eps") : spacing;
  for (size_t start = 0; start < result.data.size(); start += length) {
    double squares = 0;
    for (size_t i = 0; i < length; ++i) squares += std::pow(result.data[start + i], 2);
    const double scale = 1 / std::sqrt(squares / static_cast<double>(length) + eps);
    for (size_t i = 0; i < length; ++i) {
      result.data[start + i] *= scale;
      if (args.has("weight")) result.data[start + i] *= args.tensor("weight").data[i];
    }
  }
  return {result};
}

std::vector<Case> group_cases() {
  const std::vector<DType> dtypes = {DType::kF32, DType::kF16, DType::kBF16};
  return first_dynamic(
      {{.schema = "aten.group_norm.default",
        .args = {TensorArg{{2, 6, 4, 5}}, int64_t{3}, TensorArg{{6}}, TensorArg{{6}}},
        .dtypes = dtypes},
       {.schema = "aten.native_group_norm.default",
        .args = {TensorArg{{2, 4, 7}}, NoneArg{}, TensorArg{{4}}, int64_t{2}, int64_t{4},
                 int64_t{7}, int64_t{2}, 1e-5},
        .dtypes = {DType::kF32}}});
}

std::vector<Case> rms_cases() {
  return {{.schema = "aten.rms_norm.default",
           .args = {TensorArg{{3, 70}}, std::vector<int64_t>{70}, TensorArg{{70}}, 1e-6},
           .dtypes = {DType::kF32, DType::kF16, DType::kBF16},
           .dynamic = true},
          {.schema = "aten.rms_norm.default",
           .args = {TensorArg{{2, 4, 5}}, std::vector<int64_t>{4, 5}},
           .dtypes = {DType::kF32}}};
}

constexpr OpDef kDefs[] = {
    {.name = "group_norm",
     .schemas = kGroupSchemas,
     .kind = OpKind::kComposite,
     .infer = infer_group,
     .decompose = decompose_group,
     .reference = group_reference,
     .cases = group_cases},
    {.name = "rms_norm",
     .schemas = kRmsSchemas,
     .kind = OpKind::kComposite,
     .infer = [](const Node& node) -> std::vector<TensorType> {
       return {node.tensor("input")->type};
     },
     .decompose = decompose_rms,
     .reference = rms_reference,
     .cases = rms_cases},
};

}  // namespace

extern constexpr OpFamily k_group_norm{kDefs};

}  // namespace ingot::ops
