#include "ir/verify.h"

#include <fmt/core.h>

#include <set>
#include <string>

#include "ir/builder.h"
#include "support/diagnostics.h"

namespace ingot::ir {

namespace {

constexpr int kMaxDepth = 64;

class Verifier {
 public:
  explicit Verifier(const Model& model) : model_(model) {
    for (const program::Symbol& symbol : model.symbols) symbols_.insert(symbol.name);
  }

  void run() {
    check_bindings();
    check_graph(model_.graph, 0);
  }

 private:
  [[noreturn]] void fail(std::string message) const { throw Fault{std::move(message), kNoLoc}; }
  [[noreturn]] void fail(const Node& node, const std::string& message) const {
    throw Fault{fmt::format("%{} = {}: {}", node.name, node.op ? node.target() : "?", message),
                node.loc};
  }

  void check_bindings() const {
    const Graph& graph = model_.graph;
    if (model_.inputs.size() != graph.inputs().size()) {
      fail(fmt::format("{} inputs, but {} bindings", graph.inputs().size(), model_.inputs.size()));
    }
    if (model_.outputs.size() != graph.outputs().size()) {
      fail(fmt::format("{} outputs, but {} bindings", graph.outputs().size(),
                       model_.outputs.size()));
    }
    for (size_t i = 0; i < model_.inputs.size(); ++i) check_input(i);
    for (size_t i = 0; i < model_.outputs.size(); ++i) check_output(i);
    for (const Weight& weight : model_.weights) {
      if (weight.storage >= model_.storages.size()) {
        fail(fmt::format("weight {} lies in storage {} of {}", weight.name, weight.storage,
                         model_.storages.size()));
      }
    }
  }

  void check_input(size_t i) const {
    const InputBinding& binding = model_.inputs[i];
    const Value* value = model_.graph.inputs()[i];
    const bool is_user = binding.role == InputRole::kUser;
    if (binding.index >= (is_user ? model_.user_inputs.size() : model_.weights.size())) {
      fail(fmt::format("input %{} is bound to entry {}, which does not exist", value->name,
                       binding.index));
    }
    if (is_user) return;
    const Weight& weight = model_.weights[binding.index];
    if (weight.dtype != value->dtype() || to_exprs(weight.sizes) != value->type.sizes) {
      fail(fmt::format("input %{} is not of the type of its weight {}", value->name, weight.name));
    }
  }

  void check_output(size_t i) const {
    const OutputBinding& binding = model_.outputs[i];
    const Value* value = model_.graph.outputs()[i];
    if (!value) fail(fmt::format("output {} is missing", i));
    if (binding.role == OutputRole::kUser) {
      if (binding.index >= model_.user_outputs.size()) {
        fail(fmt::format("output %{} is bound to entry {}, which does not exist", value->name,
                         binding.index));
      }
      return;
    }
    if (binding.index >= model_.inputs.size()) {
      fail(fmt::format("output %{} updates input {}, which does not exist", value->name,
                       binding.index));
    }
    const InputRole wanted =
        binding.role == OutputRole::kStateMutation ? InputRole::kState : InputRole::kUser;
    if (model_.inputs[binding.index].role != wanted) {
      fail(fmt::format("output %{} updates an input of another role", value->name));
    }
    const Value* target = model_.graph.inputs()[binding.index];
    if (target->type != value->type) {
      fail(fmt::format("output %{} is not of the type of the input %{} that it updates",
                       value->name, target->name));
    }
  }

  void check_graph(const Graph& graph, int depth) const {
    if (depth > kMaxDepth) fail("sub-graphs are nested too deeply");
    std::vector<const Value*> defined(graph.value_count(), nullptr);
    const auto define = [&](const Value* value) {
      if (!value || value->id >= defined.size()) fail("a value of another graph is defined");
      if (defined[value->id]) fail(fmt::format("%{} is defined twice", value->name));
      defined[value->id] = value;
      for (const sym::Expr& size : value->type.sizes) check_symbols(size, value->name);
    };
    const auto is_defined = [&](const Value* value) {
      return value->id < defined.size() && defined[value->id] == value;
    };
    for (const Value* input : graph.inputs()) {
      if (input->producer) fail(fmt::format("input %{} has a producer", input->name));
      define(input);
    }
    for (const Node* node : graph.nodes()) {
      check_node(*node, depth);
      for (const Value* value : operands(*node)) {
        if (!is_defined(value)) {
          fail(*node, fmt::format("operand %{} is not defined before", value->name));
        }
      }
      for (size_t i = 0; i < node->results.size(); ++i) {
        const Value* value = node->results[i];
        define(value);
        if (value->producer != node || value->result != i) {
          fail(*node, fmt::format("result %{} points to another producer", value->name));
        }
      }
    }
    for (const Value* output : graph.outputs()) {
      if (!output || !is_defined(output)) fail("an output is not defined by its graph");
    }
  }

  void check_node(const Node& node, int depth) const {
    if (!node.op) fail(node, "calls no operator");
    if (node.loc >= model_.locations.size()) fail(node, "has no location");
    const std::vector<Param>& params = node.op->schema.params;
    if (node.args.size() != params.size()) {
      fail(node,
           fmt::format("has {} arguments for {} parameters", node.args.size(), params.size()));
    }
    for (size_t i = 0; i < params.size(); ++i) {
      if (!fits(params[i], node.args[i])) {
        fail(node, fmt::format("argument {} is of the wrong type", params[i].name));
      }
      check_arg(node, params[i], node.args[i], depth);
    }
    check_result_count(node);
  }

  void check_arg(const Node& node, const Param& param, const Arg& arg, int depth) const {
    if (const auto* expr = std::get_if<sym::Expr>(&arg)) check_symbols(*expr, node.name);
    if (const auto* exprs = std::get_if<std::vector<sym::Expr>>(&arg)) {
      for (const sym::Expr& expr : *exprs) check_symbols(expr, node.name);
    }
    if (const auto* graph = std::get_if<std::shared_ptr<Graph>>(&arg)) {
      if (!*graph) fail(node, fmt::format("argument {} is no graph", param.name));
      check_graph(**graph, depth + 1);
    }
  }

  void check_result_count(const Node& node) const {
    size_t tensors = 0;
    bool has_list = false;
    for (const Return& result : node.op->schema.returns) {
      if (result.kind == ArgKind::kTensor) ++tensors;
      if (result.kind == ArgKind::kTensorList) has_list = true;
    }
    if (has_list ? node.results.size() < tensors : node.results.size() != tensors) {
      fail(node, fmt::format("has {} results, but its schema {}", node.results.size(), tensors));
    }
  }

  void check_symbols(const sym::Expr& expr, std::string_view user) const {
    if (expr.is_const()) return;
    std::set<std::string, std::less<>> used;
    sym::collect_symbols(expr, used);
    for (const std::string& symbol : used) {
      if (!symbols_.contains(symbol)) {
        fail(fmt::format("%{} uses the symbol {}, which is not declared", user, symbol));
      }
    }
  }

  const Model& model_;
  std::set<std::string, std::less<>> symbols_;
};

}  // namespace

Fault find_fault(const Model& model) {
  try {
    Verifier(model).run();
  } catch (Fault& fault) {
    return std::move(fault);
  }
  return {};
}

void verify(const Model& model) {
  const Fault fault = find_fault(model);
  if (fault.message.empty()) return;
  InternalError error("the graph is ill-formed: " + fault.message);
  for (std::string& note : location_notes(model, fault.loc)) error.add_note(std::move(note));
  throw error;
}

}  // namespace ingot::ir
