#include "import/graph_importer.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "import/argument.h"
#include "import/autocast.h"
#include "ops/op_def.h"
#include "support/diagnostics.h"

namespace ingot::pt2 {
namespace {

constexpr std::string_view kNoGradRegion = "torch.ops.higher_order.wrap_with_set_grad_enabled";
constexpr std::string_view kAutocastRegion = "torch.ops.higher_order.wrap_with_autocast";
constexpr std::string_view kAssertScalar = "torch.ops.aten._assert_scalar.default";

// Calls that state what holds anyway: types that the graph records, gradients that are not taken,
// ranges that range_constraints repeat.
constexpr std::string_view kWithoutMeaning[] = {
    "aten._assert_tensor_metadata.default",
    "aten.sym_constrain_range.default",
    "aten.sym_constrain_range_for_size.default",
    "torch._C._set_grad_enabled",
};

// Functions of a tensor's shape, whose results the graph's tables give as expressions.
constexpr std::string_view kShapeQueries[] = {"aten.sym_size.int", "aten.sym_stride.int",
                                              "aten.sym_numel.default",
                                              "aten.sym_storage_offset.default"};

template <typename List>
bool is_in(const List& list, std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

// The name of a symbolic number; "" for constants and other arguments.
const std::string& symbolic_name(const Argument& argument) {
  static const std::string kNone;
  if (const auto* arg = argument.get<SymIntArg>()) return arg->name;
  if (const auto* arg = argument.get<SymFloatArg>()) return arg->name;
  if (const auto* arg = argument.get<SymBoolArg>()) return arg->name;
  return kNone;
}

[[noreturn]] void bad_region(const Node& node) {
  throw CompileError(Diag::kBadGraph,
                     fmt::format("{} is called with arguments that do not fit", node.target));
}

// What an operand of a dissolved region stands for outside.
ScopeValue outer_value(const Scope& scope, const Node& node, const Argument& operand) {
  if (const auto* tensor = operand.get<TensorArg>()) return find_value(scope, tensor->name);
  const std::optional<SymValue> number = to_number(scope, operand);
  if (!number) bad_region(node);
  return std::visit([](const auto& value) -> ScopeValue { return value; }, *number);
}

void check_result_count(const ir::Schema& schema, size_t count) {
  size_t tensors = 0;
  bool has_list = false;
  for (const ir::Return& result : schema.returns) {
    if (result.kind == ir::ArgKind::kTensor) ++tensors;
    if (result.kind == ir::ArgKind::kTensorList) has_list = true;
  }
  if (has_list ? count >= tensors : count == tensors) return;
  throw CompileError(Diag::kBadGraph, fmt::format("{} has {} results, but its schema {}",
                                                  schema.name, count, tensors));
}

}  // namespace

bool is_importable(const std::string& target) {
  const std::string name = operator_name(target);
  if (is_in(kWithoutMeaning, name) || is_in(kShapeQueries, name) || is_symbolic_operator(target) ||
      target == kAssertScalar || target == kNoGradRegion || target == kAutocastRegion) {
    return true;
  }
  const ir::Operator* op = ops::find_operator(name);
  return op && op->def;
}

void GraphImporter::import_nodes(Scope& scope) {
  for (const Node& node : scope.source.nodes) {
    const ir::LocId loc = context_.locations.add(locate(node));
    try {
      import_node(scope, node, loc);
    } catch (CompileError& error) {
      if (error.diagnostic().id == Diag::kUnsupportedCase) {
        import_unsupported(scope, node, error.diagnostic().message, loc);
        continue;
      }
      if (error.diagnostic().notes.empty()) {
        for (std::string& note : ir::location_notes(context_.model, loc)) error.add_note(note);
      }
      throw;
    }
  }
}

void GraphImporter::import_node(Scope& scope, const Node& node, ir::LocId loc) {
  const std::string name = operator_name(node.target);
  if (is_in(kWithoutMeaning, name)) return;
  if (import_assertion(scope, node)) return;
  if (node.target == kNoGradRegion) return import_region(scope, node, 2, scope.in_autocast);
  if (node.target == kAutocastRegion) {
    const bool* enabled = node.inputs.size() > 4 ? node.inputs[2].arg.get<bool>() : nullptr;
    if (!enabled) bad_region(node);
    return import_region(scope, node, 5, *enabled);
  }
  if (import_symbolic(scope, node, loc)) return;
  import_call(scope, node, loc);
}

// aten._assert_scalar(condition, message) becomes a guard of the model.
bool GraphImporter::import_assertion(Scope& scope, const Node& node) {
  if (node.target != kAssertScalar) return false;
  if (node.inputs.empty()) bad_region(node);
  const std::optional<SymValue> condition = to_number(scope, node.inputs[0].arg);
  if (!condition) return true;  // of an unknown number, which has been reported
  const auto* expr = std::get_if<sym::Expr>(&*condition);
  if (!expr || sym::provably(*expr, context_.model.ranges())) return true;
  const auto* text = node.inputs.size() > 1 ? node.inputs[1].arg.get<std::string>() : nullptr;
  context_.model.guards.push_back({*expr, text ? *text : sym::to_string(*expr)});
  return true;
}

void GraphImporter::define_number(Scope& scope, const std::string& name, const SymValue& value) {
  scope.values[name] = std::visit([](const auto& v) -> ScopeValue { return v; }, value);
}

// Calls that compute nothing but numbers: they vanish, their results are expressions.
bool GraphImporter::import_symbolic(Scope& scope, const Node& node, ir::LocId loc) {
  if (node.outputs.empty()) return false;
  for (const Argument& output : node.outputs) {
    if (symbolic_name(output).empty()) return false;
  }
  const std::string name = operator_name(node.target);
  const bool is_python = is_symbolic_operator(node.target);
  if (!is_python && !is_in(kShapeQueries, name)) {
    import_unsupported(scope, node, "", loc);
    return true;
  }
  std::vector<SymValue> args;
  for (const NamedArgument& input : node.inputs) {
    if (!is_python) break;
    const std::optional<SymValue> number = to_number(scope, input.arg);
    if (number) args.push_back(*number);
  }
  for (const Argument& output : node.outputs) {
    const std::string& result = symbolic_name(output);
    std::optional<SymValue> value = table_value(context_, scope.source, result);
    if (!value && is_python && args.size() == node.inputs.size()) {
      value = evaluate_operator(node.target, args);
    }
    if (value) {
      define_number(scope, result, *value);
      continue;
    }
    scope.values[result] = Unknown{};
    // An operand that is unknown itself has been reported where it was made.
    if (args.size() == node.inputs.size()) context_.unsupported.add_operator(name, "", loc);
  }
  return true;
}

// Imports a sub-graph's nodes in place of the call; operands follow the graph.
void GraphImporter::import_region(Scope& scope, const Node& node, size_t first_operand,
                                  bool in_autocast) {
  if (node.inputs.size() < first_operand) bad_region(node);
  const auto* body = node.inputs[first_operand - 1].arg.get<GraphArg>();
  if (!body || body->graph->inputs.size() != node.inputs.size() - first_operand) bad_region(node);
  Scope inner{*body->graph, scope.target, {}, in_autocast};
  for (size_t i = 0; i < inner.source.inputs.size(); ++i) {
    const Argument& input = inner.source.inputs[i];
    const auto* tensor = input.get<TensorArg>();
    const std::string& name = tensor ? tensor->name : symbolic_name(input);
    if (!name.empty()) {
      inner.values[name] = outer_value(scope, node, node.inputs[first_operand + i].arg);
    }
  }
  import_nodes(inner);

  std::vector<std::string> results;
  for (const Argument& output : node.outputs) {
    if (const auto* tensor = output.get<TensorArg>()) {
      results.push_back(tensor->name);
    } else if (const auto* list = output.get<TensorListArg>()) {  // the encoding of 2.6
      results.insert(results.end(), list->names.begin(), list->names.end());
    } else {
      results.push_back(symbolic_name(output));
    }
  }
  if (results.size() != inner.source.outputs.size()) bad_region(node);
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].empty()) continue;
    scope.values[results[i]] = outer_value(inner, node, inner.source.outputs[i]);
  }
}

std::string GraphImporter::unique_name(const Scope& scope, const std::string& name) {
  std::string unique = name;
  for (int i = 1; !names_.emplace(&scope.target, unique).second; ++i) {
    unique = fmt::format("{}.{}", name, i);
  }
  return unique;
}

ir::Value* GraphImporter::make_placeholder(Scope& scope, const std::string& name) {
  ir::TensorType type;
  try {
    type = context_.tensor_type(scope.source, name);
  } catch (const CompileError& error) {
    if (error.diagnostic().id != Diag::kUnsupportedCase) throw;
  }
  return context_.placeholders.add_input(name, std::move(type));
}

bool GraphImporter::define_outputs(Scope& scope, const Node& node,
                                   std::vector<std::string>& tensors) {
  for (const Argument& output : node.outputs) {
    if (const auto* tensor = output.get<TensorArg>()) {
      tensors.push_back(tensor->name);
    } else if (const auto* list = output.get<TensorListArg>()) {
      for (const std::string& name : list->names) {
        if (name.empty()) return false;
        tensors.push_back(name);
      }
    } else if (const std::string& name = symbolic_name(output); !name.empty()) {
      const std::optional<SymValue> value = table_value(context_, scope.source, name);
      if (!value) return false;
      define_number(scope, name, *value);
    } else {
      return false;
    }
  }
  return true;
}

void GraphImporter::import_unsupported(Scope& scope, const Node& node, const std::string& why,
                                       ir::LocId loc) {
  context_.unsupported.add_operator(operator_name(node.target), why, loc);
  for (const Argument& output : node.outputs) {
    if (const auto* tensor = output.get<TensorArg>()) {
      scope.values[tensor->name] = make_placeholder(scope, tensor->name);
    } else if (const auto* list = output.get<TensorListArg>()) {
      for (const std::string& name : list->names) {
        if (!name.empty()) scope.values[name] = make_placeholder(scope, name);
      }
    } else if (const auto* object = output.get<CustomObjectArg>()) {
      scope.values[object->name] = Unknown{};
    } else if (const std::string& name = symbolic_name(output); !name.empty()) {
      const std::optional<SymValue> value = table_value(context_, scope.source, name);
      if (value) {
        define_number(scope, name, *value);
      } else {
        scope.values[name] = Unknown{};
      }
    }
  }
}

std::shared_ptr<ir::Graph> GraphImporter::import_subgraph(const Graph& source, bool in_autocast) {
  auto graph = std::make_shared<ir::Graph>();
  Scope scope{source, *graph, {}, in_autocast};
  for (const Argument& input : source.inputs) {
    if (const auto* tensor = input.get<TensorArg>()) {
      ir::TensorType type = context_.tensor_type(source, tensor->name);
      scope.values[tensor->name] =
          graph->add_input(unique_name(scope, tensor->name), std::move(type));
      continue;
    }
    const std::string& name = symbolic_name(input);
    const std::optional<SymValue> value =
        name.empty() ? std::nullopt : table_value(context_, source, name);
    if (!value) {
      throw CompileError(Diag::kUnsupportedCase,
                         "a sub-graph takes a number that changes while it runs");
    }
    define_number(scope, name, *value);
  }
  import_nodes(scope);
  for (const Argument& output : source.outputs) {
    const auto* tensor = output.get<TensorArg>();
    const ScopeValue value = tensor ? find_value(scope, tensor->name) : Unknown{};
    const auto* result = std::get_if<ir::Value*>(&value);
    if (!result) {
      throw CompileError(Diag::kUnsupportedCase, "a sub-graph's result is no tensor");
    }
    graph->outputs().push_back(*result);
  }
  return graph;
}

void GraphImporter::import_call(Scope& scope, const Node& node, ir::LocId loc) {
  const ir::Operator* op = ops::find_operator(operator_name(node.target));
  if (!op || !op->def) {
    // Calls inside its sub-graphs are to be reported, too.
    for (const NamedArgument& input : node.inputs) {
      if (const auto* graph = input.arg.get<GraphArg>())
        import_subgraph(*graph->graph, scope.in_autocast);
    }
    return import_unsupported(scope, node, "", loc);
  }
  std::vector<ir::Arg> args = convert_arguments(*this, scope, node, op->schema);
  std::vector<std::string> results;
  if (!define_outputs(scope, node, results)) {
    return import_unsupported(scope, node, "with results that are no tensors", loc);
  }
  std::vector<ir::TensorType> types;
  for (const std::string& name : results) {
    types.push_back(context_.tensor_type(scope.source, name));
  }
  check_result_count(op->schema, results.size());
  if (scope.in_autocast && !apply_autocast(scope.target, *op, args, types, loc)) {
    return import_unsupported(scope, node, "with autocast", loc);
  }
  const std::string name = node.name.empty() && !results.empty() ? results.front() : node.name;
  ir::Node* call = scope.target.add_node(op, std::move(args), std::move(types), name, loc);
  for (size_t i = 0; i < results.size(); ++i) {
    ir::Value* value = call->results[i];
    value->name = unique_name(scope, results[i]);
    scope.values[results[i]] = value;
    if (!is_computable(value->dtype())) {
      context_.unsupported.add_dtype(std::string(torch_name(value->dtype())), results[i], loc);
    }
  }
}

}  // namespace ingot::pt2
