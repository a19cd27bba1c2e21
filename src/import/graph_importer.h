// Imports the nodes of exported graphs: operator calls become nodes of the graph IR, computations
// with sizes become expressions, regions without meaning for inference are dissolved.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "import/import_context.h"

namespace ingot::pt2 {

// Whether calls of a target such as "torch.ops.aten.linear.default" can be imported: Ingot has the
// operator, or the importer evaluates or dissolves it.
bool is_importable(const std::string& target);

class GraphImporter {
 public:
  explicit GraphImporter(ImportContext& context) : context_(context) {}

  // Appends the nodes of scope.source to scope.target; its inputs must be in scope.values. What is
  // unsupported goes to the context's report. Throws CompileError (kBadGraph, …) with the node's
  // location for a graph that is inconsistent.
  void import_nodes(Scope& scope);

  // A graph for an operator that takes one. Its inputs and outputs are tensors; sizes among them
  // are known by their expressions.
  std::shared_ptr<ir::Graph> import_subgraph(const Graph& source, bool in_autocast);

 private:
  void import_node(Scope& scope, const Node& node, ir::LocId loc);
  bool import_assertion(Scope& scope, const Node& node);
  bool import_symbolic(Scope& scope, const Node& node, ir::LocId loc);
  void import_region(Scope& scope, const Node& node, size_t first_operand, bool in_autocast);
  void import_call(Scope& scope, const Node& node, ir::LocId loc);
  void import_unsupported(Scope& scope, const Node& node, const std::string& why, ir::LocId loc);
  void define_number(Scope& scope, const std::string& name, const SymValue& value);
  // Names the outputs of a call in order: tensors are visited as visit(name), numbers are defined.
  // False if an output is of a kind that calls do not have.
  bool define_outputs(Scope& scope, const Node& node, std::vector<std::string>& tensors);
  ir::Value* make_placeholder(Scope& scope, const std::string& name);
  std::string unique_name(const Scope& scope, const std::string& name);

  ImportContext& context_;
  std::set<std::pair<const ir::Graph*, std::string>> names_;
};

}  // namespace ingot::pt2
