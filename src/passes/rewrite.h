// The loop of passes that replace single nodes.
#pragma once

#include "passes/pass.h"
#include "passes/replacements.h"

namespace ingot::passes {

// Calls rule(builder, node) for each node in order, with the builder's origin at the node and its
// insertion point before it. If the rule returns a value, that replaces the node's only result; the
// nodes that the rule has built are visited next. Returns whether any rule did.
template <typename Rule>
bool rewrite_nodes(ir::Model& model, PassContext& context, Rule rule) {
  ir::Graph& graph = model.graph;
  ir::Builder builder(graph, context.operators);
  Replacements replaced;
  bool changed = false;
  for (ir::Node* node = graph.nodes().front(); node;) {
    replaced.apply(*node);
    context.visit(*node);
    builder.set_origin(node->loc, node->name);
    builder.set_insertion_point(node);
    ir::Node* const before = node->prev();
    ir::Node* next = node->next();
    if (ir::Value* value = rule(builder, static_cast<const ir::Node&>(*node))) {
      replaced.add(node->results[0], value);
      if (node->prev() != before) next = before ? before->next() : graph.nodes().front();
      graph.erase_node(node);
      changed = true;
    }
    node = next;
  }
  builder.set_insertion_point(nullptr);
  replaced.apply_to_outputs(graph);
  return changed;
}

}  // namespace ingot::passes
