#include "passes/eliminate_dead_code.h"

#include <algorithm>

#include "ops/op_def.h"

namespace ingot::passes {

namespace {

// Asserts what the types of the graph say already.
bool is_redundant_assert(const ir::Node& node) {
  return node.op->schema.base == "_assert_tensor_metadata" ||
         node.op->schema.base == "sym_constrain_range" ||
         node.op->schema.base == "sym_constrain_range_for_size";
}

bool has_effect(const ir::Node& node) {
  return node.op->def && node.op->def->kind == ops::OpKind::kEffect && !is_redundant_assert(node);
}

}  // namespace

bool eliminate_dead_code(ir::Model& model, PassContext&) {
  ir::Graph& graph = model.graph;
  std::vector<uint32_t> uses = ir::use_counts(graph);
  const size_t before = graph.nodes().size();
  for (ir::Node* node = graph.nodes().back(); node;) {
    ir::Node* const previous = node->prev();
    const bool is_read = std::any_of(node->results.begin(), node->results.end(),
                                     [&](const ir::Value* value) { return uses[value->id] > 0; });
    if (!is_read && !has_effect(*node)) {
      for (const ir::Value* value : ir::operands(*node)) --uses[value->id];
      graph.erase_node(node);
    }
    node = previous;
  }
  return graph.nodes().size() != before;
}

}  // namespace ingot::passes
