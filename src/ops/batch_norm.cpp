// Batch normalisation. With given statistics it is a scale and a shift per channel, computed from
// constants alone, which later passes fold into the convolution before it.
#include <algorithm>
#include <cmath>

#include "ops/broadcast.h"
#include "ops/op_def.h"
#include "ops/reference_view.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kSchemas[] = {
    "aten::batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? "
    "running_var, bool training, float momentum, float eps, bool cudnn_enabled) -> Tensor",
    "aten::_native_batch_norm_legit_no_training(Tensor input, Tensor? weight, Tensor? bias, "
    "Tensor running_mean, Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, "
    "Tensor)",
    "aten::_native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, Tensor? bias, bool "
    "training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
    "aten::_native_batch_norm_legit_functional(Tensor input, Tensor? weight, Tensor? bias, Tensor "
    "running_mean, Tensor running_var, bool training, float momentum, float eps) -> (Tensor, "
    "Tensor, Tensor, Tensor running_mean_out, Tensor running_var_out)",
    "aten::instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, "
    "Tensor? running_var, bool use_input_stats, float momentum, float eps, bool cudnn_enabled) -> "
    "Tensor"};

bool is_training(const Node& node) {
  if (node.has_param("use_input_stats")) return node.flag("use_input_stats");
  return node.has_param("training") && node.flag("training");
}

std::vector<TensorType> infer(const Node& node) {
  const Value* input = node.tensor("input");
  const size_t results = node.op->schema.returns.size();
  std::vector<TensorType> types = {input->type};
  // The statistics that training saves; without training they are empty.
  const bool saves = is_training(node) || !node.has_param("running_mean");
  const TensorType saved{compute_type(input->dtype()), {saves ? input->size(1) : sym::Expr(0)}};
  if (results >= 3) types.insert(types.end(), {saved, saved});
  if (results == 5) {
    types.insert(types.end(),
                 {node.tensor("running_mean")->type, node.tensor("running_var")->type});
  }
  return types;
}

// A vector of channels as [1, c, 1, …].
Value* per_channel(ir::Builder& b, Value* vector, const Value* input) {
  Sizes sizes(static_cast<size_t>(input->rank()), sym::Expr(1));
  sizes[1] = vector->type.elements();
  return b.reshape(vector, sizes);
}

struct Statistics {
  Value* mean;      // [1 or n, c, 1, …]
  Value* variance;  // biased
  sym::Expr count;  // elements per channel
};

Statistics statistics_of(ir::Builder& b, Value* x, bool per_instance) {
  std::vector<int64_t> dims;
  Statistics result{nullptr, nullptr, 1};
  for (int64_t dim = 0; dim < x->rank(); ++dim) {
    if (dim == 1 || (per_instance && dim == 0)) continue;
    dims.push_back(dim);
    result.count *= x->size(dim);
  }
  result.mean = b.call("aten.div.Scalar", {b.sum(x, dims, true), result.count});
  Value* centred = b.sub(x, result.mean);
  result.variance =
      b.call("aten.div.Scalar", {b.sum(b.mul(centred, centred), dims, true), result.count});
  return result;
}

// (x - mean) / sqrt(variance + eps) * weight + bias, as one scale and shift when the statistics are
// given.
std::vector<Value*> decompose_inference(ir::Builder& b, const Node& node) {
  Value* input = node.tensor("input");
  const DType wide = compute_type(input->dtype());
  Value* variance = b.cast(node.tensor("running_var"), wide);
  Value* scale = b.call("aten.rsqrt.default", {b.add(variance, node.number("eps"))});
  if (Value* weight = node.tensor_or_null("weight")) scale = b.mul(scale, b.cast(weight, wide));
  Value* shift =
      b.call("aten.neg.default", {b.mul(b.cast(node.tensor("running_mean"), wide), scale)});
  if (Value* bias = node.tensor_or_null("bias")) shift = b.add(shift, b.cast(bias, wide));
  Value* result = b.mul(b.cast(input, wide), per_channel(b, scale, input));
  result = b.cast(b.add(result, per_channel(b, shift, input)), input->dtype());
  std::vector<Value*> results = {result};
  const size_t count = node.op->schema.returns.size();
  if (count >= 3) {
    Value* nothing = b.full({sym::Expr(0)}, 0, wide);
    results.insert(results.end(), {nothing, nothing});
  }
  if (count == 5) {
    results.insert(results.end(), {node.tensor("running_mean"), node.tensor("running_var")});
  }
  return results;
}

std::vector<Value*> decompose_training(ir::Builder& b, const Node& node) {
  Value* input = node.tensor("input");
  const DType wide = compute_type(input->dtype());
  Value* x = b.cast(input, wide);
  const Statistics s = statistics_of(b, x, node.has_param("use_input_stats"));
  Value* scale = b.call("aten.rsqrt.default", {b.add(s.variance, node.number("eps"))});
  Value* result = b.mul(b.sub(x, s.mean), scale);
  if (Value* weight = node.tensor_or_null("weight")) {
    result = b.mul(result, per_channel(b, b.cast(weight, wide), input));
  }
  if (Value* bias = node.tensor_or_null("bias")) {
    result = b.add(result, per_channel(b, b.cast(bias, wide), input));
  }
  std::vector<Value*> results = {b.cast(result, input->dtype())};
  const size_t count = node.op->schema.returns.size();
  if (count < 3) return results;
  Value* mean = b.reshape(s.mean, {input->size(1)});
  results.insert(results.end(), {mean, b.reshape(scale, {input->size(1)})});
  if (count < 5) return results;
  // running = (1 - momentum) * running + momentum * batch, the variance unbiased.
  const double momentum = node.number("momentum");
  Value* unbiased = b.call(
      "aten.div.Scalar",
      {b.call("aten.mul.Scalar", {b.reshape(s.variance, {input->size(1)}), s.count}), s.count - 1});
  const auto blended = [&](const char* name, Value* batch) {
    Value* running = node.tensor(name);
    Value* kept = b.mul(b.cast(running, wide), 1 - momentum);
    return b.cast(b.add(kept, b.mul(batch, momentum)), running->dtype());
  };
  results.insert(results.end(), {blended("running_mean", mean), blended("running_var", unbiased)});
  return results;
}

std::vector<Value*> decompose(ir::Builder& b, const Node& node) {
  const bool computes = is_training(node) || !node.has_param("running_mean");
  return computes ? decompose_training(b, node) : decompose_inference(b, node);
}

bool has_name(const RefArgs& args, std::string_view name) {
  return std::find(args.names.begin(), args.names.end(), name) != args.names.end();
}

// Mean and biased variance of each channel, or of each instance's.
struct RefStatistics {
  std::vector<double> mean, variance;
  double count = 0;
};
RefStatistics reference_statistics(const RefTensor& input, bool per_instance) {
  const auto channels = static_cast<size_t>(input.sizes[1]);
  const size_t rows = per_instance ? channels * static_cast<size_t>(input.sizes[0]) : channels;
  RefStatistics result{std::vector<double>(rows, 0), std::vector<double>(rows, 0), 0};
  result.count = static_cast<double>(input.elements()) / static_cast<double>(rows);
  const auto row_of = [&](const std::vector<int64_t>& index) {
    return static_cast<size_t>((per_instance ? index[0] * input.sizes[1] : 0) + index[1]);
  };
  size_t position = 0;
  for_each_index(input.sizes, [&](const std::vector<int64_t>& index) {
    result.mean[row_of(index)] += input.data[position++] / result.count;
  });
  position = 0;
  for_each_index(input.sizes, [&](const std::vector<int64_t>& index) {
    const double centred = input.data[position++] - result.mean[row_of(index)];
    result.variance[row_of(index)] += centred * centred / result.count;
  });
  return result;
}

std::vector<RefTensor> reference(const RefArgs& args) {
  const RefTensor& input = args.tensor("input");
  const bool per_instance = has_name(args, "use_input_stats");
  const bool computes = (per_instance && args.flag("use_input_stats")) ||
                        (has_name(args, "training") && args.flag("training")) ||
                        !has_name(args, "running_mean");
  RefStatistics s;
  if (computes) {
    s = reference_statistics(input, per_instance);
  } else {
    s.mean = args.tensor("running_mean").data;
    s.variance = args.tensor("running_var").data;
  }
  RefTensor result = input;
  result.dtype = args.result_dtype;
  size_t position = 0;
  for_each_index(input.sizes, [&](const std::vector<int64_t>& index) {
    const auto c = static_cast<size_t>(index[1]);
    const bool by_instance = computes && per_instance;
    const size_t row = by_instance ? static_cast<size_t>(index[0] * input.sizes[1]) + c : c;
    double y =
        (input.data[position] - s.mean[row]) / std::sqrt(s.variance[row] + args.number("eps"));
    if (args.has("weight")) y *= args.tensor("weight").data[c];
    if (args.has("bias")) y += args.tensor("bias").data[c];
    result.data[position++] = y;
  });
  std::vector<RefTensor> results = {result};
  if (args.result_sizes.size() >= 3) {
    RefTensor mean{compute_type(input.dtype), args.result_sizes[1], {}};
    RefTensor scale = mean;
    for (size_t c = 0; computes && c < s.mean.size(); ++c) {
      mean.data.push_back(s.mean[c]);
      scale.data.push_back(1 / std::sqrt(s.variance[c] + args.number("eps")));
    }
    results.insert(results.end(), {mean, scale});
  }
  if (args.result_sizes.size() == 5) {
    RefTensor mean = args.tensor("running_mean");
    RefTensor variance = args.tensor("running_var");
    const double momentum = args.number("momentum");
    for (size_t c = 0; computes && c < s.mean.size(); ++c) {
      mean.data[c] = (1 - momentum) * mean.data[c] + momentum * s.mean[c];
      variance.data[c] =
          (1 - momentum) * variance.data[c] + momentum * s.variance[c] * s.count / (s.count - 1);
    }
    results.insert(results.end(), {mean, variance});
  }
  return results;
}

std::vector<Case> cases() {
  const auto channels = [](Fill fill) { return TensorArg{{5}, fill}; };
  Case plain{.schema = "aten.batch_norm.default",
             .args = {TensorArg{{2, 5, 4, 3}}, channels(Fill::kNormal), channels(Fill::kNormal),
                      channels(Fill::kNormal), channels(Fill::kPositive), false, 0.1, 1e-3, false}};
  plain.dtypes = {DType::kF32, DType::kF16, DType::kBF16};
  Case core{.schema = "aten._native_batch_norm_legit_no_training.default",
            .args = {TensorArg{{2, 5, 7}}, NoneArg{}, NoneArg{}, channels(Fill::kNormal),
                     channels(Fill::kPositive), 0.1, 1e-5}};
  core.dtypes = {DType::kF32};
  plain.dynamic = true;
  const auto training = [&](std::string schema, std::vector<CaseArg> more) {
    Case made{.schema = std::move(schema),
              .args = {TensorArg{{2, 5, 4, 3}}, channels(Fill::kNormal), channels(Fill::kNormal)}};
    made.args.insert(made.args.end(), more.begin(), more.end());
    made.dtypes = {DType::kF32};
    return made;
  };
  return {plain, core, training("aten._native_batch_norm_legit.no_stats", {true, 0.1, 1e-5}),
          training("aten._native_batch_norm_legit_functional.default",
                   {channels(Fill::kNormal), channels(Fill::kPositive), true, 0.1, 1e-5}),
          training("aten.instance_norm.default", {NoneArg{}, NoneArg{}, true, 0.1, 1e-5, false})};
}

}  // namespace

extern constexpr OpDef k_batch_norm{.name = "batch_norm",
                                    .schemas = kSchemas,
                                    .kind = OpKind::kComposite,
                                    .infer = infer,
                                    .decompose = decompose,
                                    .reference = reference,
                                    .cases = cases};

}  // namespace ingot::ops
