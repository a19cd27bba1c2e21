#include "passes/decompose.h"

#include <fmt/core.h>

#include "ops/op_def.h"
#include "passes/replacements.h"
#include "support/diagnostics.h"

namespace ingot::passes {

namespace {

// More rewrites of one call into another than any operator needs.
constexpr int kMaxDepth = 32;

bool is_composite(const ir::Node& node) {
  return node.op->def && node.op->def->kind == ops::OpKind::kComposite;
}

// The export recorded the dtype of every result (statistics in another precision than the data and
// the like); it wins over what a decomposition computes in.
void adopt_recorded_types(ir::Builder& b, const ir::Node& node, std::vector<ir::Value*>& values) {
  bool fits = values.size() == node.results.size();
  for (size_t i = 0; fits && i < values.size(); ++i) {
    values[i] = b.cast(values[i], node.results[i]->dtype());
    fits = values[i]->rank() == node.results[i]->rank();
  }
  INGOT_CHECK(fits, fmt::format("the decomposition of {} is not of its type", node.target()));
}

// Decomposes the composite nodes from `first` up to but excluding `last`.
bool decompose_range(ir::Graph& graph, ir::Node* first, const ir::Node* last,
                     Replacements& replaced, PassContext& context, int depth);

std::vector<ir::Value*> decompose_node(ir::Graph& graph, ir::Node* node, Replacements& replaced,
                                       PassContext& context, int depth) {
  INGOT_CHECK(depth < kMaxDepth, fmt::format("{} decomposes without end", node->target()));
  INGOT_CHECK(node->op->def->decompose, fmt::format("{} has no decomposition", node->target()));
  context.visit(*node);
  ir::Node* const before = node->prev();
  ir::Builder builder(graph, context.operators);
  builder.set_origin(node->loc, node->name);
  builder.set_insertion_point(node);
  std::vector<ir::Value*> values = node->op->def->decompose(builder, *node);
  adopt_recorded_types(builder, *node, values);
  builder.set_insertion_point(nullptr);
  ir::Node* const first = before ? before->next() : graph.nodes().front();
  decompose_range(graph, first, node, replaced, context, depth + 1);
  for (ir::Value*& value : values) value = replaced.resolve(value);
  return values;
}

bool decompose_range(ir::Graph& graph, ir::Node* first, const ir::Node* last,
                     Replacements& replaced, PassContext& context, int depth) {
  bool changed = false;
  for (ir::Node* node = first; node != last;) {
    replaced.apply(*node);
    ir::Node* const next = node->next();
    if (is_composite(*node)) {
      const std::vector<ir::Value*> values = decompose_node(graph, node, replaced, context, depth);
      for (size_t i = 0; i < values.size(); ++i) replaced.add(node->results[i], values[i]);
      graph.erase_node(node);
      changed = true;
    }
    node = next;
  }
  return changed;
}

}  // namespace

std::vector<ir::Value*> decompose_call(ir::Graph& graph, ir::Node* node, PassContext& context) {
  if (!is_composite(*node)) return node->results;
  Replacements replaced;
  return decompose_node(graph, node, replaced, context, 0);
}

bool decompose(ir::Model& model, PassContext& context) {
  ir::Graph& graph = model.graph;
  Replacements replaced;
  const bool changed = decompose_range(graph, graph.nodes().front(), nullptr, replaced, context, 0);
  replaced.apply_to_outputs(graph);
  return changed;
}

}  // namespace ingot::passes
