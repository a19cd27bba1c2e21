#include "passes/expand_attention.h"

#include <array>
#include <limits>

#include "passes/rewrite.h"

namespace ingot::passes {

namespace {

using ir::Node;
using ir::Value;

// Keys or values of fewer heads than the queries have, repeated for each group of query heads.
Value* repeat_heads(ir::Builder& b, Value* value, const sym::Expr& heads) {
  if (value->size(1) == heads) return value;
  const sym::Expr repeats = sym::floor_div(heads, value->size(1));
  Value* grouped = b.unsqueeze(value, 2);
  std::vector<sym::Expr> sizes = grouped->type.sizes;
  sizes[2] = repeats;
  return b.reshape(b.expand(grouped, sizes),
                   {value->size(0), heads, value->size(2), value->size(3)});
}

// True where key k may be seen by query q: k <= q.
Value* causal_mask(ir::Builder& b, const sym::Expr& queries, const sym::Expr& keys) {
  const auto positions = [&](const sym::Expr& count) {
    return b.call("aten.arange.start_step", {sym::Expr(0), count, sym::Expr(1), DType::kI64});
  };
  return b.call("aten.le.Tensor", {b.reshape(positions(keys), {1, keys}),
                                   b.reshape(positions(queries), {queries, 1})});
}

Value* masked(ir::Builder& b, Value* scores, Value* mask) {
  if (mask->dtype() != DType::kBool) return b.add(scores, b.cast(mask, scores->dtype()));
  Value* hidden = b.full({}, -std::numeric_limits<double>::infinity(), scores->dtype());
  return b.call("aten.where.self", {mask, scores, hidden});
}

// softmax over the last dimension; rows without a finite score become 0 unless asked to be NaN.
Value* softmax(ir::Builder& b, Value* scores, bool masked_row_is_nan) {
  constexpr std::array<int64_t, 1> kLast = {3};
  Value* largest = b.amax(scores, kLast, true);
  Value* exponential = b.call("aten.exp.default", {b.sub(scores, largest)});
  Value* result = b.div(exponential, b.sum(exponential, kLast, true));
  if (masked_row_is_nan) return result;
  Value* is_empty = b.call("aten.eq.Scalar", {largest, -std::numeric_limits<double>::infinity()});
  return b.call("aten.where.self", {is_empty, b.full({}, 0, result->dtype()), result});
}

Value* expand(ir::Builder& b, const Node& node) {
  Value* query = node.tensor("query");
  const sym::Expr heads = query->size(1);
  Value* key = repeat_heads(b, node.tensor("key"), heads);
  Value* value = repeat_heads(b, node.tensor("value"), heads);
  const DType wide = compute_type(query->dtype());
  Value* scores = b.mul(b.call("ingot.matmul.default", {query, b.transpose(key, 2, 3), wide}),
                        node.number("scale"));
  if (Value* mask = node.tensor_or_null("mask")) scores = masked(b, scores, mask);
  if (node.flag("is_causal")) {
    scores = masked(b, scores, causal_mask(b, query->size(2), key->size(2)));
  }
  Value* weights = softmax(b, scores, node.flag("masked_row_is_nan"));
  return b.call("ingot.matmul.default",
                {b.cast(weights, value->dtype()), value, node.results[0]->dtype()});
}

}  // namespace

bool expand_attention(ir::Model& model, PassContext& context) {
  if (context.fused_attention != FusedAttention::kOff) return false;
  return rewrite_nodes(model, context, [](ir::Builder& b, const Node& node) -> Value* {
    return node.target() == "ingot.attention.default" ? expand(b, node) : nullptr;
  });
}

}  // namespace ingot::passes
