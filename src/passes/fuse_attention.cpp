#include "passes/fuse_attention.h"

#include <algorithm>

#include "passes/attention_pattern.h"
#include "passes/match.h"
#include "passes/rewrite.h"

namespace ingot::passes {

namespace {

using ir::Node;
using ir::Value;
using Exprs = std::vector<sym::Expr>;

// Batch and heads of the scores, as attention wants them.
struct Heads {
  sym::Expr batch = 1;
  sym::Expr heads = 1;
};

Value* to_rank_four(ir::Builder& b, Value* value, const Heads& heads) {
  const int64_t rank = value->rank();
  return b.reshape(value, {heads.batch, heads.heads, value->size(rank - 2), value->size(rank - 1)});
}

// Whether the dimensions before the last two are, in all, batch × heads: no broadcast among them.
bool has_all_heads(const Value* value, const Heads& heads) {
  if (value->rank() < 2) return false;
  const Exprs& sizes = value->type.sizes;
  return sym::product(std::span(sizes).first(sizes.size() - 2)) == heads.batch * heads.heads;
}

// The last two dimensions swapped, without a second swap of what was swapped.
Value* transposed(ir::Builder& b, Value* value) {
  const int64_t rank = value->rank();
  if (const Node* permute = made_by(value, "aten.permute.default")) {
    std::vector<int64_t> dims = permute->constants("dims");
    std::swap(dims[dims.size() - 2], dims.back());
    if (std::is_sorted(dims.begin(), dims.end())) return permute->tensor("self");
  }
  return b.transpose(value, rank - 2, rank - 1);
}

// The mask as the operator takes it: true where a key is visible, or added to the scores.
ir::Arg mask_arg(ir::Builder& b, const AttentionPattern& found) {
  if (!found.mask) return {};
  Value* mask = found.mask;
  Exprs sizes = mask->type.sizes;
  while (sizes.size() < 4) sizes.insert(sizes.begin(), sym::Expr(1));
  mask = b.reshape(mask, sizes);
  if (found.mask_hides) mask = b.call("aten.logical_not.default", {mask});
  if (found.hidden == 0) return mask;
  return b.call("aten.where.self",
                {mask, b.full({}, 0, DType::kF32), b.full({}, found.hidden, DType::kF32)});
}

// Attention in place of the product of weights and values, or null.
Value* fuse_product(const Users& users, ir::Builder& b, const Node& node) {
  Value* value = node.tensor("b");
  if (!is_float(value->dtype())) return nullptr;
  const std::optional<AttentionPattern> match = match_attention(users, node);
  if (!match || match->dtype != value->dtype()) return nullptr;
  const AttentionPattern& found = *match;
  const size_t rank = found.scores.size();
  if (rank < 2 || rank > 4 || (found.mask && found.mask->rank() > 4)) return nullptr;
  Heads heads;
  if (rank >= 3) heads.heads = found.scores[rank - 3];
  if (rank == 4) heads.batch = found.scores[0];
  if (!has_all_heads(found.query, heads) || !has_all_heads(found.key, heads) ||
      !has_all_heads(value, heads)) {
    return nullptr;
  }
  Value* fused = b.call("ingot.attention.default",
                        {b.cast(to_rank_four(b, found.query, heads), found.dtype),
                         b.cast(to_rank_four(b, transposed(b, found.key), heads), found.dtype),
                         to_rank_four(b, value, heads), mask_arg(b, found), found.is_causal,
                         found.scale, found.masked_row_is_nan, node.results[0]->dtype()});
  return b.reshape(fused, node.results[0]->type.sizes);
}

}  // namespace

bool fuse_attention(ir::Model& model, PassContext& context) {
  if (context.fused_attention == FusedAttention::kOff) return false;
  const Users users(model.graph);
  return rewrite_nodes(model, context, [&](ir::Builder& b, const Node& node) -> Value* {
    return node.target() == "ingot.matmul.default" ? fuse_product(users, b, node) : nullptr;
  });
}

}  // namespace ingot::passes
