// The attention template on query[b, h, q, e], key[b, hk, k, e], value[b, hk, k, d]; the mask is
// bool (true: attend) or added to the scores, and broadcasts to [b, h, q, k].
#include <cmath>

#include "ops/broadcast.h"
#include "ops/index_space.h"
#include "ops/op_def.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kSchemas[] = {
    "ingot::attention(Tensor query, Tensor key, Tensor value, Tensor? mask, bool is_causal, "
    "float scale, bool masked_row_is_nan, ScalarType? dtype=None) -> Tensor"};

std::vector<TensorType> infer(const Node& node) {
  const Value* query = node.tensor("query");
  const Value* key = node.tensor("key");
  const Value* value = node.tensor("value");
  if (query->rank() != 4 || key->rank() != 4 || value->rank() != 4 ||
      provably_differ(query->size(3), key->size(3)) ||
      provably_differ(key->size(2), value->size(2)) ||
      provably_differ(key->size(1), value->size(1))) {
    throw CompileError(Diag::kShapeMismatch, "attention of query " + sizes_text(query->type.sizes) +
                                                 ", key " + sizes_text(key->type.sizes) +
                                                 ", value " + sizes_text(value->type.sizes));
  }
  return {{node.dtype_or("dtype", query->dtype()),
           {query->size(0), query->size(1), query->size(2), value->size(3)}}};
}

double at(const RefTensor& tensor, std::vector<int64_t> index) {
  for (size_t i = 0; i < index.size(); ++i) {
    if (tensor.sizes[i] == 1) index[i] = 0;
  }
  return tensor.data[static_cast<size_t>(tensor.offset(index))];
}

// The scores of one query against all keys.
std::vector<double> scores_of(const RefArgs& args, const std::vector<int64_t>& row,
                              int64_t kv_head) {
  const RefTensor& query = args.tensor("query");
  const RefTensor& key = args.tensor("key");
  std::vector<double> scores;
  for (int64_t k = 0; k < key.sizes[2]; ++k) {
    double score = 0;
    for (int64_t e = 0; e < key.sizes[3]; ++e) {
      score += at(query, {row[0], row[1], row[2], e}) * at(key, {row[0], kv_head, k, e});
    }
    score *= args.number("scale");
    if (args.has("mask")) {
      const RefTensor& mask = args.tensor("mask");
      const double element = at(mask, {row[0], row[1], row[2], k});
      if (mask.dtype != DType::kBool) score += element;
      if (mask.dtype == DType::kBool && element == 0) score = -INFINITY;
    }
    if (args.flag("is_causal") && k > row[2]) score = -INFINITY;
    scores.push_back(score);
  }
  return scores;
}

std::vector<RefTensor> reference(const RefArgs& args) {
  const RefTensor& query = args.tensor("query");
  const RefTensor& value = args.tensor("value");
  const int64_t heads_per_kv = query.sizes[1] / value.sizes[1];
  RefTensor result;
  result.dtype = args.result_dtype;
  result.sizes = args.result_sizes[0];
  for_each_index({query.sizes[0], query.sizes[1], query.sizes[2]},
                 [&](const std::vector<int64_t>& row) {
                   const int64_t kv_head = row[1] / heads_per_kv;
                   const std::vector<double> scores = scores_of(args, row, kv_head);
                   double largest = -INFINITY;
                   for (const double score : scores) largest = std::max(largest, score);
                   double total = 0;
                   for (const double score : scores) total += std::exp(score - largest);
                   const bool masked = std::isinf(largest) && largest < 0;
                   for (int64_t d = 0; d < value.sizes[3]; ++d) {
                     double sum = 0;
                     for (size_t k = 0; k < scores.size() && !masked; ++k) {
                       sum += std::exp(scores[k] - largest) / total *
                              at(value, {row[0], kv_head, static_cast<int64_t>(k), d});
                     }
                     result.data.push_back(masked && args.flag("masked_row_is_nan") ? NAN : sum);
                   }
                 });
  return {result};
}

std::vector<Case> cases() {
  const auto make = [](std::vector<int64_t> q, std::vector<int64_t> k, std::vector<int64_t> v,
                       CaseArg mask, bool causal) {
    Case made{.schema = "ingot.attention.default",
              .args = {TensorArg{q, Fill::kUnit}, TensorArg{k, Fill::kUnit},
                       TensorArg{v, Fill::kUnit}, mask, causal, 0.25, false},
              .dtypes = {DType::kF32, DType::kF16, DType::kBF16}};
    return made;
  };
  const TensorArg bool_mask{{2, 1, 5, 7}, Fill::kBools, true, DType::kBool};
  const TensorArg float_mask{{1, 4, 5, 7}};
  return first_dynamic({make({2, 4, 5, 8}, {2, 4, 7, 8}, {2, 4, 7, 6}, NoneArg{}, false),
                        make({2, 4, 5, 8}, {2, 2, 7, 8}, {2, 2, 7, 8}, bool_mask, false),
                        make({1, 4, 5, 8}, {1, 1, 7, 8}, {1, 1, 7, 8}, float_mask, false),
                        make({1, 2, 70, 16}, {1, 2, 70, 16}, {1, 2, 70, 16}, NoneArg{}, true),
                        make({1, 8, 1, 32}, {1, 2, 130, 32}, {1, 2, 130, 32}, NoneArg{}, false)});
}

}  // namespace

extern constexpr OpDef k_ingot_attention{.name = "ingot_attention",
                                         .schemas = kSchemas,
                                         .kind = OpKind::kTemplate,
                                         .infer = infer,
                                         .reference = reference,
                                         .cases = cases};

}  // namespace ingot::ops
