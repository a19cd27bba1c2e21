#include "passes/fold_channel_affine.h"

#include <algorithm>
#include <optional>

#include "passes/match.h"
#include "passes/rewrite.h"

namespace ingot::passes {

namespace {

using ir::Node;
using ir::Value;

// y * scale + shift, both constants per channel in the computing type, or null for 1 and 0.
struct Affine {
  Value* scale = nullptr;
  Value* shift = nullptr;
};

// A chain from the product or convolution to the last operator that is affine per channel.
struct Chain {
  const Node* root = nullptr;
  std::vector<const Node*> steps;  // in order of execution: casts, add, sub, mul, div
};

class ChannelAffineFolder {
 public:
  ChannelAffineFolder(const ir::Model& model)
      : users_(model.graph), is_constant_(constant_values(model)) {}

  // The folded result of the chain that ends in `node`, or null.
  Value* fold(ir::Builder& b, const Node& node) const {
    if (!is_step(node) || continues(node)) return nullptr;
    const std::optional<Chain> chain = chain_to(node);
    if (!chain) return nullptr;
    // A folded weight would be rounded once more; the epilogue keeps 16-bit models exact.
    if (is_half(chain->root->tensor(weight_name(*chain->root))->dtype())) return nullptr;
    if (!scales(*chain)) return nullptr;
    const Affine affine = compose(b, *chain);
    const Value* end = node.results[0];
    Value* result = scaled_root(b, *chain->root, affine.scale);
    const DType wide = affine.scale->dtype();
    if (affine.shift) result = b.add(b.cast(result, wide), affine.shift);
    return b.cast(result, end->dtype());
  }

 private:
  bool is_constant(const Value* value) const {
    return value->id < is_constant_.size() && is_constant_[value->id];
  }

  static bool is_root(const Node& node) {
    if (node.target() == "ingot.conv.default") return !node.flag("transposed");
    return node.target() == "ingot.matmul.default" && node.tensor("b")->rank() == 2;
  }
  static const char* weight_name(const Node& root) {
    return root.has_param("weight") ? "weight" : "b";
  }
  // Counted from the end of the result's dimensions.
  static int64_t channel_from_end(const Node& root) {
    return root.has_param("weight") ? root.results[0]->rank() - 1 : 1;
  }

  // The operand that the affine function is applied to: the one that is no constant.
  Value* variable_operand(const Node& node) const {
    if (node.target() == "ingot.cast.default") return node.tensor("self");
    Value* left = tensor_in(node.args[0]);
    Value* right = tensor_in(node.args[1]);
    if (left && !is_constant(left) && (!right || is_constant(right))) return left;
    const bool commutes = node.op->schema.base == "add" || node.op->schema.base == "mul";
    return commutes && right && !is_constant(right) && left && is_constant(left) ? right : nullptr;
  }

  // Whether the node is an affine function per channel of one operand, by its form alone.
  bool is_step(const Node& node) const {
    if (node.results.size() != 1 || !is_float(node.results[0]->dtype())) return false;
    if (node.target() == "ingot.cast.default") return is_float(node.tensor("self")->dtype());
    const std::string& base = node.op->schema.base;
    if (base != "add" && base != "sub" && base != "mul" && base != "div") return false;
    if (node.has_param("alpha") && uniform_number(node.arg("alpha")) != 1.0) return false;
    if (node.has_param("rounding_mode") || node.args.size() < 2) return false;
    const Value* variable = variable_operand(node);
    return variable && variable->type.sizes == node.results[0]->type.sizes;
  }

  // Whether the only reader goes on with the chain, so that a later node is its end.
  bool continues(const Node& node) const {
    if (!users_.is_single(node.results[0])) return false;
    const Node* user = users_.of(node.results[0])[0];
    return is_step(*user) && variable_operand(*user) == node.results[0] && fits_channel(*user);
  }

  // Follows the operands back to the root; each value on the way must have no other reader.
  std::optional<Chain> chain_to(const Node& end) const {
    Chain chain;
    for (const Node* node = &end;;) {
      chain.steps.insert(chain.steps.begin(), node);
      const Value* variable = variable_operand(*node);
      if (!variable->producer || !users_.is_single(variable)) return std::nullopt;
      node = variable->producer;
      if (is_root(*node)) {
        chain.root = node;
        break;
      }
      if (!is_step(*node)) return std::nullopt;
    }
    if (!is_constant(chain.root->tensor(weight_name(*chain.root)))) return std::nullopt;
    for (const Node* step : chain.steps) {
      if (!is_along_channel(*step, *chain.root)) return std::nullopt;
    }
    return chain;
  }

  // The constant operand of a step; none for a cast.
  ir::Arg constant_operand(const Node& step) const {
    if (step.target() == "ingot.cast.default") return {};
    return tensor_in(step.args[0]) == variable_operand(step) ? step.args[1] : step.args[0];
  }

  // Whether a tensor varies along one dimension alone, counted from the end.
  static bool varies_only_along(const Value* value, int64_t dim_from_end) {
    for (int64_t i = 0; i < value->rank(); ++i) {
      if (value->rank() - i != dim_from_end && !value->size(i).is_const(1)) return false;
    }
    return true;
  }

  bool is_along_channel(const Node& step, const Node& root) const {
    const ir::Arg operand = constant_operand(step);
    const Value* tensor = tensor_in(operand);
    if (!tensor) return ir::is_none(operand) || uniform_number(operand).has_value();
    return varies_only_along(tensor, channel_from_end(root));
  }

  // The same without knowing the root: the operand varies along at most one dimension.
  bool fits_channel(const Node& step) const {
    const Value* variable = variable_operand(step);
    const Node* root = variable->producer;
    while (root && !is_root(*root) && is_step(*root)) root = variable_operand(*root)->producer;
    return root && is_root(*root) && is_along_channel(step, *root);
  }

  // A constant operand in the computing type.
  Value* operand_value(ir::Builder& b, const Node& step, DType wide) const {
    const ir::Arg operand = constant_operand(step);
    if (Value* tensor = tensor_in(operand)) return b.cast(tensor, wide);
    return b.full({}, *uniform_number(operand), wide);
  }

  static bool scales(const Chain& chain) {
    return std::any_of(chain.steps.begin(), chain.steps.end(), [](const Node* step) {
      return step->op->schema.base == "mul" || step->op->schema.base == "div";
    });
  }

  Affine compose(ir::Builder& b, const Chain& chain) const {
    Affine affine;
    const DType wide = compute_type(chain.root->results[0]->dtype());
    for (const Node* step : chain.steps) {
      if (step->target() == "ingot.cast.default") continue;
      Value* operand = operand_value(b, *step, wide);
      const std::string& base = step->op->schema.base;
      if (base == "add") {
        affine.shift = affine.shift ? b.add(affine.shift, operand) : operand;
      } else if (base == "sub") {
        affine.shift =
            affine.shift ? b.sub(affine.shift, operand) : b.call("aten.neg.default", {operand});
      } else if (base == "mul") {
        affine.scale = affine.scale ? b.mul(affine.scale, operand) : operand;
        if (affine.shift) affine.shift = b.mul(affine.shift, operand);
      } else {
        affine.scale = affine.scale ? b.div(affine.scale, operand)
                                    : b.call("aten.reciprocal.default", {operand});
        if (affine.shift) affine.shift = b.div(affine.shift, operand);
      }
    }
    return affine;
  }

  // The root with its weights multiplied by `scale` per output channel.
  static Value* scaled_root(ir::Builder& b, const Node& root, Value* scale) {
    const char* const name = weight_name(root);
    Value* weight = root.tensor(name);
    const size_t channel = root.has_param("weight") ? 0 : 1;  // of the weight's dimensions
    std::vector<sym::Expr> sizes(weight->type.sizes.size(), sym::Expr(1));
    if (!scale->type.elements().is_const(1)) sizes[channel] = weight->type.sizes[channel];
    Value* scaled = b.mul(b.cast(weight, scale->dtype()), b.reshape(scale, sizes));
    std::vector<ir::Arg> args = root.args;
    args[static_cast<size_t>(root.op->schema.find_param(name))] = b.cast(scaled, weight->dtype());
    return b.call(root.target(), std::move(args));
  }

  Users users_;
  std::vector<bool> is_constant_;  // by Value::id
};

}  // namespace

bool fold_channel_affine(ir::Model& model, PassContext& context) {
  const ChannelAffineFolder folder(model);
  return rewrite_nodes(model, context,
                       [&](ir::Builder& b, const Node& node) { return folder.fold(b, node); });
}

}  // namespace ingot::passes
