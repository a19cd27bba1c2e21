#include "import/signature.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <unordered_set>

#include "import/argument.h"
#include "import/pytree.h"
#include "support/diagnostics.h"

namespace ingot::pt2 {
namespace {

using program::InputKind;
using program::Literal;
using program::OutputKind;

[[noreturn]] void bad_graph(std::string message) {
  throw CompileError(Diag::kBadGraph, std::move(message));
}

[[noreturn]] void unsupported(std::string message) {
  throw CompileError(Diag::kUnsupportedCase, std::move(message));
}

// A Python value; nothing if the argument is no constant.
std::optional<Literal> to_literal(const Argument& argument) {
  Literal literal;
  if (argument.get<NoneArg>()) return literal;
  if (const auto* flag = argument.get<bool>()) {
    literal.kind = Literal::Kind::kBool;
    literal.int_value = *flag ? 1 : 0;
  } else if (const auto* integer = argument.get<int64_t>()) {
    literal.kind = Literal::Kind::kInt;
    literal.int_value = *integer;
  } else if (const auto* number = argument.get<double>()) {
    literal.kind = Literal::Kind::kFloat;
    literal.float_value = *number;
  } else if (const auto* text = argument.get<std::string>()) {
    literal.kind = Literal::Kind::kString;
    literal.string_value = *text;
  } else {
    return std::nullopt;
  }
  return literal;
}

Literal to_literal(const SymValue& value) {
  Literal literal;
  if (const auto* flag = std::get_if<bool>(&value)) {
    literal = {Literal::Kind::kBool, *flag ? 1 : 0, 0, {}};
  } else if (const auto* number = std::get_if<double>(&value)) {
    literal = {Literal::Kind::kFloat, 0, *number, {}};
  } else {
    literal = {Literal::Kind::kInt, std::get<sym::Expr>(value).as_const().value_or(0), 0, {}};
  }
  return literal;
}

void collect_names(const Argument& argument, std::unordered_set<std::string>& names) {
  if (const auto* tensor = argument.get<TensorArg>()) names.insert(tensor->name);
  if (const auto* list = argument.get<TensorListArg>()) {
    names.insert(list->names.begin(), list->names.end());
  }
  if (const auto* nested = argument.get<NestedTensorsArg>()) {
    for (const auto& inner : nested->names) names.insert(inner.begin(), inner.end());
  }
  if (const auto* map = argument.get<StringMapArg>()) {
    for (const auto& [key, member] : map->members) collect_names(*member, names);
  }
}

// The names of tensors that the graph's nodes and outputs read.
std::unordered_set<std::string> used_names(const Graph& graph) {
  std::unordered_set<std::string> names;
  for (const Node& node : graph.nodes) {
    for (const NamedArgument& input : node.inputs) collect_names(input.arg, names);
  }
  for (const Argument& output : graph.outputs) collect_names(output, names);
  return names;
}

bool is_weight(InputSpecKind kind) {
  return kind == InputSpecKind::kParameter || kind == InputSpecKind::kBuffer ||
         kind == InputSpecKind::kTensorConstant;
}

}  // namespace

uint32_t SignatureImporter::add_storage(const std::string& record) {
  const auto [it, is_new] =
      storages_.try_emplace(record, static_cast<uint32_t>(context_.model.storages.size()));
  if (is_new) {
    const Record& found = archive_.get(record);
    context_.model.storages.push_back({found.bytes.data(), found.bytes.size()});
    records_.push_back(&found);
  }
  return it->second;
}

void SignatureImporter::import_weight(Scope& scope, const InputSpec& spec,
                                      const Payloads& payloads) {
  const auto* tensor = spec.arg.get<TensorArg>();
  if (!tensor) bad_graph(fmt::format("weight '{}' is no tensor", spec.name));
  const auto payload = payloads.find(spec.name);
  if (payload == payloads.end()) {
    throw CompileError(Diag::kArchiveWeight,
                       fmt::format("weight '{}' is not in the archive's tables", spec.name));
  }
  TensorLayout layout = check_payload(archive_, spec.name, payload->second);
  ir::TensorType type{payload->second.meta.dtype, ir::to_exprs(layout.sizes)};
  if (type != context_.tensor_type(scope.source, tensor->name)) {
    throw CompileError(Diag::kArchiveWeight,
                       fmt::format("weight '{}' has another element type or shape in the graph "
                                   "than in the archive's tables",
                                   spec.name));
  }
  if (!is_computable(type.dtype)) {
    context_.unsupported.add_dtype(std::string(torch_name(type.dtype)), tensor->name, ir::kNoLoc);
  }
  ir::Model& model = context_.model;
  const auto index = static_cast<uint32_t>(model.weights.size());
  model.weights.push_back({spec.name, type.dtype, std::move(layout.sizes),
                           std::move(layout.strides), layout.storage_offset,
                           add_storage(payload->second.record)});
  weight_inputs_[spec.name] = static_cast<uint32_t>(model.inputs.size());
  model.inputs.push_back({ir::InputRole::kConstant, index});
  scope.values[tensor->name] = model.graph.add_input(tensor->name, std::move(type));
}

// Other names of memory that the model uses: states are asked for by each of them.
void SignatureImporter::import_tied_names(const Payloads& payloads) {
  for (const auto& [name, payload] : payloads) {
    if (weight_inputs_.count(name) || !storages_.count(payload.record) || payload.is_pickled ||
        !payload.has_meta) {
      continue;
    }
    TensorLayout layout = check_payload(archive_, name, payload);
    context_.model.weights.push_back({name, payload.meta.dtype, std::move(layout.sizes),
                                      std::move(layout.strides), layout.storage_offset,
                                      storages_.at(payload.record)});
  }
}

// An integer that the caller gives: a symbol, or one value if the export specialised on it.
void SignatureImporter::import_number_input(Scope& scope, const SymIntArg& arg,
                                            program::Input input) {
  ir::Model& model = context_.model;
  input.dtype = DType::kI64;
  input.kind = InputKind::kBurnedIn;
  input.literal = {Literal::Kind::kInt, arg.value, 0, {}};
  if (!arg.name.empty()) {
    const auto it = scope.source.sym_int_values.find(arg.name);
    if (it == scope.source.sym_int_values.end()) {
      bad_graph(fmt::format("the graph does not say what the input %{} is", arg.name));
    }
    input.literal.int_value = it->second.value;
    scope.values[arg.name] = sym::Expr(it->second.value);
    if (it->second.is_expr()) {
      const std::optional<sym::Expr> expr = context_.symbols.parse(it->second.expr);
      if (!expr || !expr->is_symbol()) {
        unsupported(fmt::format("input '{}' is the expression {}", input.name, it->second.expr));
      }
      input.kind = InputKind::kScalar;
      input.literal = {};
      input.symbol = expr->symbol_name();
      scope.values[arg.name] = *expr;
    }
  }
  model.user_inputs.push_back(std::move(input));
}

void SignatureImporter::import_user_input(Scope& scope, const InputSpec& spec, std::string name) {
  ir::Model& model = context_.model;
  program::Input input;
  input.name = std::move(name);
  if (const auto* tensor = spec.arg.get<TensorArg>()) {
    ir::TensorType type = context_.tensor_type(scope.source, tensor->name);
    if (!is_computable(type.dtype)) {
      context_.unsupported.add_dtype(std::string(torch_name(type.dtype)), tensor->name, ir::kNoLoc);
    }
    input.dtype = type.dtype;
    input.sizes = type.sizes;
    user_inputs_[tensor->name] = static_cast<uint32_t>(model.inputs.size());
    model.inputs.push_back({ir::InputRole::kUser, static_cast<uint32_t>(model.user_inputs.size())});
    model.user_inputs.push_back(std::move(input));
    scope.values[tensor->name] = model.graph.add_input(tensor->name, std::move(type));
    return;
  }
  if (const auto* number = spec.arg.get<SymIntArg>()) {
    return import_number_input(scope, *number, std::move(input));
  }
  const std::optional<Literal> literal = to_literal(spec.arg);
  if (!literal) unsupported(fmt::format("input '{}' is neither a tensor nor an int", input.name));
  input.kind = InputKind::kBurnedIn;
  input.literal = *literal;
  model.user_inputs.push_back(std::move(input));
}

// Declares the symbols of the caller's inputs, and checks that a run can find their values: from a
// size that is the symbol alone, from an integer argument, or by solving a size that is linear in
// one symbol that is not known otherwise.
void SignatureImporter::bind_symbols() {
  ir::Model& model = context_.model;
  std::vector<std::string> order;
  std::set<std::string, std::less<>> seen;
  std::set<std::string, std::less<>> known;
  const auto declare = [&](const std::string& symbol) {
    if (seen.insert(symbol).second) order.push_back(symbol);
  };
  for (const program::Input& input : model.user_inputs) {
    if (input.kind == InputKind::kScalar) {
      declare(input.symbol);
      known.insert(input.symbol);
    }
    for (const sym::Expr& size : input.sizes) {
      std::set<std::string, std::less<>> used;
      sym::collect_symbols(size, used);
      for (const std::string& symbol : used) declare(symbol);
      if (size.is_symbol()) known.insert(size.symbol_name());
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const program::Input& input : model.user_inputs) {
      for (const sym::Expr& size : input.sizes) {
        std::set<std::string, std::less<>> unknown;
        sym::collect_symbols(size, unknown);
        std::erase_if(unknown, [&](const std::string& symbol) { return known.contains(symbol); });
        if (unknown.size() == 1 && sym::split_linear(size, *unknown.begin())) {
          known.insert(*unknown.begin());
          changed = true;
        }
      }
    }
  }
  for (const std::string& symbol : order) {
    if (!known.contains(symbol)) {
      unsupported(fmt::format("the size symbol {} cannot be told from the inputs' sizes", symbol));
    }
    const bool is_number = std::any_of(
        model.user_inputs.begin(), model.user_inputs.end(), [&](const program::Input& input) {
          return input.kind == InputKind::kScalar && input.symbol == symbol;
        });
    sym::Range range;
    if (!is_number) range.lo = 0;
    const auto it = context_.program.range_constraints.find(symbol);
    if (it != context_.program.range_constraints.end()) {
      if (it->second.min) range.lo = *it->second.min;
      if (it->second.max) range.hi = *it->second.max;
    }
    if (range.lo > range.hi) bad_graph(fmt::format("the range of {} is empty", symbol));
    model.symbols.push_back({symbol, range});
    context_.symbols.bind(symbol);
  }
}

void SignatureImporter::import_inputs(Scope& scope) {
  const ExportedProgram& program = context_.program;
  const Payloads payloads = read_payloads(archive_, program.model);
  std::unordered_set<std::string> used = used_names(program.graph);
  std::set<std::string> mutated;
  for (const OutputSpec& output : program.outputs) {
    if (output.kind != OutputSpecKind::kUserOutput) mutated.insert(output.name);
  }
  std::vector<std::string> names = input_names(program);
  size_t leaf = 0;
  for (const InputSpec& spec : program.inputs) {
    if (is_weight(spec.kind)) {
      const auto* tensor = spec.arg.get<TensorArg>();
      const bool is_used = tensor && used.contains(tensor->name);
      if (is_used || mutated.contains(spec.name)) import_weight(scope, spec, payloads);
    } else if (is_call_leaf(spec)) {
      import_user_input(scope, spec, std::move(names[leaf++]));
    } else if (const auto* tensor = spec.arg.get<TensorArg>()) {
      scope.values[tensor->name] = Unknown{};  // a token: what takes it is reported
    } else if (const auto* object = spec.arg.get<CustomObjectArg>()) {
      scope.values[object->name] = Unknown{};
    }
  }
  import_tied_names(payloads);
  bind_symbols();
}

void SignatureImporter::import_mutation(Scope& scope, const OutputSpec& spec) {
  const bool is_state = spec.kind != OutputSpecKind::kUserInputMutation;
  const auto& inputs = is_state ? weight_inputs_ : user_inputs_;
  const auto target = inputs.find(spec.name);
  const auto* tensor = spec.arg.get<TensorArg>();
  if (target == inputs.end() || !tensor) {
    bad_graph(fmt::format("the signature updates '{}', which is no input", spec.name));
  }
  const ScopeValue& value = find_value(scope, tensor->name);
  auto* const* result = std::get_if<ir::Value*>(&value);
  if (!result) return;  // unknown: reported
  ir::Model& model = context_.model;
  ir::Value* input = model.graph.inputs()[target->second];
  if ((*result)->type != input->type) {
    bad_graph(fmt::format("the new contents of '{}' are of another type or shape", spec.name));
  }
  if (*result == input) return;
  ir::InputBinding& binding = model.inputs[target->second];
  if (is_state) {
    binding.role = ir::InputRole::kState;
  } else {
    model.user_inputs[binding.index].mutated = true;
  }
  model.graph.outputs().push_back(*result);
  model.outputs.push_back(
      {is_state ? ir::OutputRole::kStateMutation : ir::OutputRole::kInputMutation, target->second});
}

void SignatureImporter::import_user_output(Scope& scope, const Argument& arg, std::string name) {
  ir::Model& model = context_.model;
  program::Output output;
  const auto index = static_cast<uint32_t>(model.user_outputs.size());
  output.name = std::move(name);
  if (const auto* tensor = arg.get<TensorArg>()) {
    const ScopeValue& value = find_value(scope, tensor->name);
    if (auto* const* result = std::get_if<ir::Value*>(&value)) {
      output.dtype = (*result)->dtype();
      output.sizes = (*result)->type.sizes;
      const auto input = user_inputs_.find(tensor->name);
      if (input != user_inputs_.end()) {
        output.kind = OutputKind::kInput;
        output.input = model.inputs[input->second].index;
      } else {
        model.graph.outputs().push_back(*result);
        model.outputs.push_back({ir::OutputRole::kUser, index});
      }
    }
  } else if (const std::optional<Literal> literal = to_literal(arg)) {
    output.kind = OutputKind::kLiteral;
    output.literal = *literal;
  } else if (arg.get<SymIntArg>() || arg.get<SymBoolArg>() || arg.get<SymFloatArg>()) {
    const std::optional<SymValue> number = to_number(scope, arg);
    const auto* expr = number ? std::get_if<sym::Expr>(&*number) : nullptr;
    if (expr && !expr->is_const()) {
      output.kind = OutputKind::kScalar;
      output.scalar = *expr;
    } else {
      output.kind = OutputKind::kLiteral;
      if (number) output.literal = to_literal(*number);
    }
  } else {
    unsupported(fmt::format("output '{}' is neither a tensor nor a number", output.name));
  }
  model.user_outputs.push_back(std::move(output));
}

void SignatureImporter::import_output(Scope& scope, const OutputSpec& spec, std::string name) {
  switch (spec.kind) {
    case OutputSpecKind::kUserOutput:
    case OutputSpecKind::kLoss:
      return import_user_output(scope, spec.arg, std::move(name));
    case OutputSpecKind::kBufferMutation:
    case OutputSpecKind::kParameterMutation:
    case OutputSpecKind::kUserInputMutation:
      return import_mutation(scope, spec);
    case OutputSpecKind::kGradient:
      unsupported("the program computes gradients: it is a training step, not an inference");
    case OutputSpecKind::kToken:
      return;  // what makes it is reported
  }
}

void SignatureImporter::import_outputs(Scope& scope) {
  const ExportedProgram& program = context_.program;
  std::vector<std::string> names = output_names(program);
  size_t leaf = 0;
  for (const OutputSpec& spec : program.outputs) {
    import_output(scope, spec, is_call_leaf(spec) ? std::move(names[leaf++]) : std::string());
  }
}

}  // namespace ingot::pt2
