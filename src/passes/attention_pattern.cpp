#include "passes/attention_pattern.h"

#include <cmath>
#include <utility>

namespace ingot::passes {

namespace {

using ir::Node;
using ir::Value;

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
bool is_hiding(const ir::Arg& fill, AttentionPattern& found) {
  if (is_minus_infinity(fill)) return true;
  const std::optional<double> number = uniform_number(fill);
  if (!number || !(*number < -1e30)) return false;
  found.hidden = *number;
  return true;
}

// The scores inside scores + mask, where(mask, scores, -inf) or masked_fill(scores, mask, -inf), or
// null. Notes the mask as it finds it.
Value* masked_scores(const Node& node, AttentionPattern& found) {
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
Value* without_mask(Value* scores, AttentionPattern& found) {
  const Node* node = scores->producer;
  if (!node || found.mask || found.is_causal) return nullptr;
  AttentionPattern with_mask = found;
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
bool match_scores(Value* scores, AttentionPattern& found) {
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

}  // namespace

std::optional<AttentionPattern> match_attention(const Users& users, const Node& product) {
  Value* weights = without_batching(product.tensor("a"));
  AttentionPattern found;
  if (Value* inner = without_safe_rows(weights)) {
    found.masked_row_is_nan = false;
    weights = without_casts(inner);
  }
  Value* scores = softmax_argument(users, weights);
  if (!scores || !is_read_once(users, product.tensor("a"), weights)) return std::nullopt;
  if (!match_scores(scores, found)) return std::nullopt;
  return found;
}

}  // namespace ingot::passes
