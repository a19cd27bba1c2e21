#include "passes/fuse_attention.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "passes/match.h"
#include "passes/rewrite.h"

namespace ingot::passes {

namespace {

using ir::Node;
using ir::Value;
using Exprs = std::vector<sym::Expr>;

// What the steps between the two products come to.
struct Attention {
  Value* query = nullptr;     // […, q, e]
  Value* key = nullptr;       // […, e, k], as the first product reads it
  DType dtype = DType::kF32;  // of the factors of the first product
  Value* mask = nullptr;      // bool or additive, broadcast to the scores; or null
  bool mask_hides = false;    // a bool mask is true where a key is hidden
  double hidden = 0;          // not 0: the score that a bool mask gives to hidden keys, finite
  Exprs scores;               // sizes of the scores
  double scale = 1;
  bool is_causal = false;
  bool masked_row_is_nan = true;
};

bool is_minus_infinity(const ir::Arg& arg) {
  const std::optional<double> number = uniform_number(arg);
  return number && std::isinf(*number) && *number < 0;
}

// Through casts between floats: fused scores are not rounded between steps.
Value* without_casts(Value* value) {
  while (const Node* cast = made_by(value, "ingot.cast.default")) {
    if (!is_float(cast->tensor("self")->dtype()) || !is_float(value->dtype())) break;
    value = cast->tensor("self");
  }
  return value;
}

// Through reshapes that divide or merge the dimensions before the last two, and casts.
Value* without_batching(Value* value) {
  while (true) {
    value = without_casts(value);
    const Node* reshape = made_by(value, "ingot.reshape.default");
    if (!reshape) return value;
    Value* source = reshape->tensor("self");
    if (source->rank() < 2 || value->rank() < 2 ||
        source->size(source->rank() - 1) != value->size(value->rank() - 1) ||
        source->size(source->rank() - 2) != value->size(value->rank() - 2)) {
      return value;
    }
    value = source;
  }
}

// The argument of a softmax over the last dimension that makes `weights`, or null.
Value* softmax_argument(const Users& users, const Value* weights) {
  const Node* div = made_by(weights, "aten.div.Tensor");
  if (!div) return nullptr;
  const Value* exponential = tensor_in(div->arg("self"));
  const Value* total = tensor_in(div->arg("other"));
  if (!exponential || !total) return nullptr;
  const Node* sum = made_by(total, "ingot.sum.default");
  const Node* exp = made_by(exponential, "aten.exp.default");
  if (!sum || !exp || sum->tensor("self") != exponential) return nullptr;
  if (users.of(exponential).size() != 2) return nullptr;
  const Node* sub = made_by(exp->tensor("self"), "aten.sub.Tensor");
  if (!sub || uniform_number(sub->arg("alpha")) != 1.0) return nullptr;
  Value* scores = tensor_in(sub->arg("self"));
  const Value* largest = tensor_in(sub->arg("other"));
  if (!scores || !largest) return nullptr;
  const Node* amax = made_by(largest, "ingot.amax.default");
  if (!amax || amax->tensor("self") != scores) return nullptr;
  const std::vector<int64_t> last = {scores->rank() - 1};
  for (const Node* reduction : {sum, amax}) {
    std::vector<int64_t> dims = reduction->constants("dim");
    for (int64_t& dim : dims) dim += dim < 0 ? scores->rank() : 0;
    if (dims != last || !reduction->flag("keepdim")) return nullptr;
  }
  return scores;
}

// The weights inside where(not any(not (scores == -inf)), 0, weights), PyTorch's way to give rows
// without a visible key zeros; null if `value` is not that.
Value* without_safe_rows(const Value* value) {
  const Node* where = made_by(value, "aten.where.self");
  if (!where || uniform_number(where->arg("self")) != 0.0) return nullptr;
  const Value* condition = tensor_in(where->arg("condition"));
  const Node* none = condition ? made_by(condition, "aten.logical_not.default") : nullptr;
  const Node* any = none ? made_by(none->tensor("self"), "ingot.any.default") : nullptr;
  const Node* visible = any ? made_by(any->tensor("self"), "aten.logical_not.default") : nullptr;
  const Node* hidden = visible ? made_by(visible->tensor("self"), "aten.eq.Scalar") : nullptr;
  if (!hidden || !is_minus_infinity(hidden->arg("other"))) return nullptr;
  return tensor_in(where->arg("other"));
}

// Positions 0, 1, 2, … along one dimension of a tensor whose other dimensions are 1.
bool is_position(const Value* value, int64_t dim_from_end) {
  const int64_t dim = value->rank() - dim_from_end;
  if (dim < 0) return false;
  for (int64_t i = 0; i < value->rank(); ++i) {
    if (i != dim && !value->size(i).is_const(1)) return false;
  }
  if (const Node* reshape = made_by(value, "ingot.reshape.default"))
    value = reshape->tensor("self");
  const Node* arange = value->producer;
  if (!arange || arange->op->schema.base != "arange" || value->rank() != 1) return false;
  const ir::Arg start = arange->arg_or_none("start");
  const ir::Arg step = arange->arg_or_none("step");
  return (ir::is_none(start) || uniform_number(start) == 0.0) &&
         (ir::is_none(step) || uniform_number(step) == 1.0);
}

// Whether a bool mask says "key position <= query position".
bool is_causal_mask(const Value* mask) {
  const Node* node = mask->producer;
  if (!node || node->args.size() < 2) return false;
  const Value* left = tensor_in(node->args[0]);
  const Value* right = tensor_in(node->args[1]);
  if (!left) return false;
  if (node->target() == "aten.le.Scalar" && uniform_number(node->args[1]) == 0.0) {
    const Node* sub = made_by(left, "aten.sub.Tensor");
    if (!sub || uniform_number(sub->arg("alpha")) != 1.0) return false;
    left = tensor_in(sub->arg("self"));
    right = tensor_in(sub->arg("other"));
    return left && right && is_position(left, 1) && is_position(right, 2);
  }
  if (!right) return false;
  if (node->target() == "aten.le.Tensor") return is_position(left, 1) && is_position(right, 2);
  if (node->target() == "aten.ge.Tensor") return is_position(left, 2) && is_position(right, 1);
  return false;
}

// The bool mask that where(mask, 0, -inf) makes additive, or null.
Value* bool_mask_of(const Value* additive) {
  const Node* where = made_by(additive, "aten.where.self");
  if (!where || uniform_number(where->arg("self")) != 0.0 ||
      !is_minus_infinity(where->arg("other"))) {
    return nullptr;
  }
  return tensor_in(where->arg("condition"));
}

// A score so low that its weight is 0 unless all scores of the row are as low.
bool is_hiding(const ir::Arg& fill, Attention& found) {
  if (is_minus_infinity(fill)) return true;
  const std::optional<double> number = uniform_number(fill);
  if (!number || !(*number < -1e30)) return false;
  found.hidden = *number;
  return true;
}

// The scores inside scores + mask, where(mask, scores, -inf) or masked_fill(scores, mask, -inf), or
// null. Notes the mask as it finds it.
Value* masked_scores(const Node& node, Attention& found) {
  const std::string& base = node.op->schema.base;
  if (node.target() == "aten.where.self" && is_hiding(node.arg("other"), found)) {
    found.mask = tensor_in(node.arg("condition"));
    return tensor_in(node.arg("self"));
  }
  if (base == "masked_fill" && is_hiding(node.arg("value"), found)) {
    found.mask = tensor_in(node.arg("mask"));
    found.mask_hides = true;
    return tensor_in(node.arg("self"));
  }
  if (node.target() != "aten.add.Tensor" || uniform_number(node.arg("alpha")) != 1.0)
    return nullptr;
  Value* scores = tensor_in(node.arg("self"));
  Value* mask = tensor_in(node.arg("other"));
  if (!scores || !mask) return nullptr;
  // The scores are the operand that has their size.
  if (scores->type.sizes != node.results[0]->type.sizes) std::swap(scores, mask);
  Value* condition = bool_mask_of(without_casts(mask));
  found.mask = condition ? condition : mask;
  return scores;
}

// Takes the mask from the scores; null if there is none, or a second one.
Value* without_mask(Value* scores, Attention& found) {
  const Node* node = scores->producer;
  if (!node || found.mask || found.is_causal) return nullptr;
  Attention with_mask = found;
  Value* inner = masked_scores(*node, with_mask);
  if (!inner || !with_mask.mask || inner->type.sizes != scores->type.sizes) return nullptr;
  const bool is_bool = with_mask.mask->dtype() == DType::kBool;
  // A factor between mask and softmax scales the mask, too.
  if (found.scale != 1 && !(is_bool && with_mask.hidden == 0 && found.scale > 0)) return nullptr;
  if (is_bool && !with_mask.mask_hides && with_mask.hidden == 0 && is_causal_mask(with_mask.mask)) {
    with_mask.is_causal = true;
    with_mask.mask = nullptr;
  }
  found = with_mask;
  return inner;
}

// Takes one constant factor from a product's operand or from the scores.
Value* without_factor(Value* value, double& scale) {
  const Node* node = value->producer;
  if (!node || node->args.size() < 2) return nullptr;
  const bool is_mul = node->op->schema.base == "mul";
  const bool is_div = node->op->schema.base == "div" && !node->has_param("rounding_mode");
  Value* inner = tensor_in(node->args[0]);
  const std::optional<double> factor = uniform_number(node->args[1]);
  if (!(is_mul || is_div) || !inner || !factor || *factor == 0 || !std::isfinite(*factor) ||
      !is_float(inner->dtype()) || inner->type.sizes != value->type.sizes) {
    return nullptr;
  }
  scale = is_mul ? scale * *factor : scale / *factor;
  return inner;
}

// The factor of a product without its own constant factors, which may come before or after its
// batch dimensions are merged.
Value* product_operand(Value* value, double& scale) {
  while (true) {
    value = without_batching(value);
    Value* inner = without_factor(value, scale);
    if (!inner) return value;
    value = inner;
  }
}

// Follows the scores back to the product that made them.
bool match_scores(Value* scores, Attention& found) {
  found.scores = scores->type.sizes;
  while (true) {
    scores = without_casts(scores);
    if (Value* inner = without_mask(scores, found)) {
      scores = inner;
      continue;
    }
    if (Value* inner = without_factor(scores, found.scale)) {
      scores = inner;
      continue;
    }
    break;
  }
  const Node* product = made_by(without_batching(scores), "ingot.matmul.default");
  if (!product || !is_float(product->tensor("a")->dtype())) return false;
  found.dtype = product->tensor("a")->dtype();
  found.query = product_operand(product->tensor("a"), found.scale);
  found.key = product_operand(product->tensor("b"), found.scale);
  return true;
}

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
ir::Arg mask_arg(ir::Builder& b, const Attention& found) {
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

// Whether each value from the product's operand back to the softmax has one reader only: otherwise
// the weights are computed anyway.
bool is_read_once(const Users& users, const Value* from, const Value* softmax) {
  for (const Value* value = from;;) {
    if (!users.is_single(value)) return false;
    if (value == softmax) return true;
    const Node* node = value->producer;
    value = tensor_in(node->arg(node->has_param("condition") ? "other" : "self"));
  }
}

// Attention in place of the product of weights and values, or null.
Value* fuse_product(const Users& users, ir::Builder& b, const Node& node) {
  Value* value = node.tensor("b");
  if (!is_float(value->dtype())) return nullptr;
  Value* weights = without_batching(node.tensor("a"));
  Attention found;
  if (Value* inner = without_safe_rows(weights)) {
    found.masked_row_is_nan = false;
    weights = without_casts(inner);
  }
  Value* scores = softmax_argument(users, weights);
  if (!scores || !is_read_once(users, node.tensor("a"), weights)) return nullptr;
  if (!match_scores(scores, found) || found.dtype != value->dtype()) return nullptr;

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

// The keys or values whose heads `repeated` repeats for groups of query heads, or null.
Value* without_repeats(const Value* repeated) {
  const Node* merge = made_by(repeated, "ingot.reshape.default");
  const Node* expand = merge ? made_by(merge->tensor("self"), "ingot.expand.default") : nullptr;
  const Node* split = expand ? made_by(expand->tensor("self"), "ingot.reshape.default") : nullptr;
  if (!split) return nullptr;
  Value* source = split->tensor("self");
  if (source->rank() != 4) return nullptr;
  const Exprs& s = source->type.sizes;
  const Exprs& grouped = merge->tensor("self")->type.sizes;
  if (expand->tensor("self")->type.sizes != Exprs{s[0], s[1], 1, s[2], s[3]} ||
      grouped.size() != 5 || grouped[0] != s[0] || grouped[1] != s[1] || grouped[3] != s[2] ||
      grouped[4] != s[3] || repeated->type.sizes != Exprs{s[0], s[1] * grouped[2], s[2], s[3]}) {
    return nullptr;
  }
  return source;
}

// Attention that reads keys and values once per group of query heads, or null.
Value* share_heads(ir::Builder& b, const Node& node) {
  Value* key = without_repeats(node.tensor("key"));
  Value* value = without_repeats(node.tensor("value"));
  if (!key || !value || key->size(1) != value->size(1)) return nullptr;
  std::vector<ir::Arg> args = node.args;
  args[1] = key;
  args[2] = value;
  return b.call("ingot.attention.default", std::move(args));
}

}  // namespace

bool fuse_attention(ir::Model& model, PassContext& context) {
  if (context.fused_attention == FusedAttention::kOff) return false;
  const Users users(model.graph);
  return rewrite_nodes(model, context, [&](ir::Builder& b, const Node& node) -> Value* {
    if (node.target() == "ingot.attention.default") return share_heads(b, node);
    if (node.target() == "ingot.matmul.default") return fuse_product(users, b, node);
    return nullptr;
  });
}

}  // namespace ingot::passes
