#include "passes/share_attention_heads.h"

#include "passes/match.h"
#include "passes/rewrite.h"

namespace ingot::passes {

namespace {

using ir::Node;
using ir::Value;
using Exprs = std::vector<sym::Expr>;

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

bool share_attention_heads(ir::Model& model, PassContext& context) {
  return rewrite_nodes(model, context, [](ir::Builder& b, const Node& node) -> Value* {
    return node.target() == "ingot.attention.default" ? share_heads(b, node) : nullptr;
  });
}

}  // namespace ingot::passes
