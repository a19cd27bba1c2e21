// Attention with any leading dimensions, grouped queries, and boolean, additive or causal masks.
#include <cmath>

#include "ops/broadcast.h"
#include "ops/op_def.h"
#include "ops/reference_view.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kSchemas[] = {
    "aten::scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, "
    "Tensor? attn_mask=None, float dropout_p=0., bool is_causal=False, *, float? scale=None, "
    "bool enable_gqa=False) -> Tensor"};

// The leading dimensions without the heads, broadcast over the operands.
Sizes batch_sizes(const Node& node) {
  Sizes batch;
  for (const char* name : {"query", "key", "value"}) {
    const Sizes& sizes = node.tensor(name)->type.sizes;
    if (sizes.size() < 2) {
      throw CompileError(Diag::kShapeMismatch, "attention of " + sizes_text(sizes));
    }
    const size_t kept = sizes.size() >= 3 ? sizes.size() - 3 : 0;
    batch = broadcast_sizes(batch, Sizes(sizes.begin(), sizes.begin() + static_cast<long>(kept)));
  }
  return batch;
}

sym::Expr heads_of(const Value* value) {
  return value->rank() >= 3 ? value->size(value->rank() - 3) : sym::Expr(1);
}

std::vector<TensorType> infer(const Node& node) {
  const Value* query = node.tensor("query");
  const Value* value = node.tensor("value");
  TensorType type{query->dtype(), batch_sizes(node)};
  if (query->rank() >= 3) {
    const sym::Expr heads = heads_of(query);
    type.sizes.push_back(heads.is_const(1) ? heads_of(value) : heads);
  }
  type.sizes.push_back(query->size(query->rank() - 2));
  type.sizes.push_back(value->type.sizes.back());
  return {type};
}

// [batch, heads, rows, width] with the leading dimensions merged.
Value* to_rank_four(ir::Builder& b, Value* value, const Sizes& batch) {
  const int64_t rank = value->rank();
  const sym::Expr heads = heads_of(value);
  const sym::Expr rows = value->size(rank - 2);
  const sym::Expr width = value->size(rank - 1);
  Sizes expanded = batch;
  expanded.insert(expanded.end(), {heads, rows, width});
  return b.reshape(b.expand(value, expanded), {sym::product(batch), heads, rows, width});
}

// The mask as [batch or 1, heads or 1, queries or 1, keys or 1].
Value* mask_to_rank_four(ir::Builder& b, Value* mask, const Sizes& batch) {
  const int64_t rank = mask->rank();
  Sizes sizes = mask->type.sizes;
  while (sizes.size() < 4) sizes.insert(sizes.begin(), sym::Expr(1));
  if (rank <= 4) return b.reshape(mask, sizes);
  Sizes expanded = batch;
  expanded.insert(expanded.end(), sizes.end() - 3, sizes.end());
  return b.reshape(b.expand(mask, expanded), {sym::product(batch), sizes[sizes.size() - 3],
                                              sizes[sizes.size() - 2], sizes.back()});
}

double scale_of(const ir::Arg& given, const std::optional<int64_t>& width) {
  if (const auto* scale = std::get_if<double>(&given)) return *scale;
  if (!width) {
    throw CompileError(Diag::kUnsupportedCase,
                       "attention over heads of dynamic size without scale");
  }
  return 1.0 / std::sqrt(static_cast<double>(*width));
}

std::vector<Value*> decompose(ir::Builder& b, const Node& node) {
  if (node.number("dropout_p") != 0) {
    throw CompileError(Diag::kUnsupportedCase, "attention with dropout");
  }
  const Sizes batch = batch_sizes(node);
  Value* query = to_rank_four(b, node.tensor("query"), batch);
  Value* key = to_rank_four(b, node.tensor("key"), batch);
  Value* value = to_rank_four(b, node.tensor("value"), batch);
  Value* mask = node.tensor_or_null("attn_mask");
  ir::Arg mask_arg;
  if (mask) mask_arg = mask_to_rank_four(b, mask, batch);
  const ir::Arg& given = node.arg("scale");
  const double scale = scale_of(given, query->size(3).as_const());
  Value* wide =
      b.call("ingot.attention.default", {query, key, value, mask_arg, node.flag("is_causal"), scale,
                                         false, compute_type(query->dtype())});
  return {b.reshape(b.cast(wide, query->dtype()), infer(node)[0].sizes)};
}

double at(const RefTensor& tensor, const std::vector<int64_t>& index) {
  std::vector<int64_t> own(index.end() - static_cast<long>(tensor.sizes.size()), index.end());
  for (size_t i = 0; i < own.size(); ++i) {
    if (tensor.sizes[i] == 1) own[i] = 0;
  }
  return tensor.data[static_cast<size_t>(tensor.offset(own))];
}

std::vector<RefTensor> reference(const RefArgs& args) {
  const RefTensor& query = args.tensor("query");
  const RefTensor& key = args.tensor("key");
  const RefTensor& value = args.tensor("value");
  const int64_t keys = key.sizes[key.sizes.size() - 2];
  const int64_t width = key.sizes.back();
  const double scale =
      args.has("scale") ? args.number("scale") : 1 / std::sqrt(static_cast<double>(width));
  RefTensor result;
  result.dtype = args.result_dtype;
  result.sizes = args.result_sizes[0];
  const size_t rank = result.sizes.size();
  const int64_t repeat = args.flag("enable_gqa") ? query.sizes[rank - 3] / key.sizes[rank - 3] : 1;
  for_each_index(result.sizes, [&](const std::vector<int64_t>& index) {
    std::vector<double> scores;
    double largest = -INFINITY;
    std::vector<int64_t> other = index;
    if (rank >= 3) other[rank - 3] /= repeat;
    for (int64_t k = 0; k < keys; ++k) {
      std::vector<int64_t> q = index;
      double score = 0;
      other[rank - 2] = k;
      for (int64_t e = 0; e < width; ++e) {
        q[rank - 1] = other[rank - 1] = e;
        score += at(query, q) * at(key, other);
      }
      score *= scale;
      q[rank - 1] = k;
      if (args.has("attn_mask")) {
        const RefTensor& mask = args.tensor("attn_mask");
        if (mask.dtype != DType::kBool) score += at(mask, q);
        if (mask.dtype == DType::kBool && at(mask, q) == 0) score = -INFINITY;
      }
      if (args.flag("is_causal") && k > index[rank - 2]) score = -INFINITY;
      largest = std::max(largest, score);
      scores.push_back(score);
    }
    double total = 0;
    double sum = 0;
    for (int64_t k = 0; k < keys && largest > -INFINITY; ++k) {
      const double weight = std::exp(scores[static_cast<size_t>(k)] - largest);
      other[rank - 2] = k;
      other[rank - 1] = index[rank - 1];
      total += weight;
      sum += weight * at(value, other);
    }
    result.data.push_back(total > 0 ? sum / total : 0);
  });
  return {result};
}

std::vector<Case> cases() {
  const auto make = [](std::vector<int64_t> q, std::vector<int64_t> kv, CaseArg mask, bool causal,
                       CaseArg scale, bool gqa) {
    Case made{.schema = "aten.scaled_dot_product_attention.default",
              .args = {TensorArg{q, Fill::kUnit}, TensorArg{kv, Fill::kUnit},
                       TensorArg{kv, Fill::kUnit}, mask, 0.0, causal, scale, gqa}};
    made.dtypes = {DType::kF32, DType::kF16, DType::kBF16};
    made.dynamic = mask.index() == 0 && scale.index() != 0;
    return made;
  };
  const TensorArg bool_mask{{2, 1, 5, 7}, Fill::kBools, true, DType::kBool};
  return {make({2, 4, 5, 8}, {2, 4, 7, 8}, NoneArg{}, false, NoneArg{}, false),
          make({2, 4, 5, 8}, {2, 2, 7, 8}, bool_mask, false, NoneArg{}, true),
          make({3, 6, 8}, {3, 6, 8}, NoneArg{}, true, 0.5, false),
          make({5, 8}, {7, 8}, TensorArg{{5, 7}}, false, NoneArg{}, false),
          make({2, 3, 2, 5, 8}, {2, 3, 2, 7, 8}, NoneArg{}, false, NoneArg{}, false)};
}

}  // namespace

extern constexpr OpDef k_scaled_dot_product_attention{.name = "scaled_dot_product_attention",
                                                      .schemas = kSchemas,
                                                      .kind = OpKind::kComposite,
                                                      .infer = infer,
                                                      .decompose = decompose,
                                                      .reference = reference,
                                                      .cases = cases};

}  // namespace ingot::ops
