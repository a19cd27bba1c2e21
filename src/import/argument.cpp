#include "import/argument.h"

#include <fmt/core.h>

#include "import/graph_importer.h"
#include "ir/builder.h"
#include "support/diagnostics.h"

namespace ingot::pt2 {
namespace {

using ir::Arg;
using ir::ArgKind;
using ir::Param;

[[noreturn]] void bad_graph(std::string message) {
  throw CompileError(Diag::kBadGraph, std::move(message));
}

[[noreturn]] void unsupported(std::string message) {
  throw CompileError(Diag::kUnsupportedCase, std::move(message));
}

// A value of the scope as an argument. What is unknown has been reported, so that anything will do.
Arg to_arg(const ScopeValue& value, const std::string& name) {
  if (std::holds_alternative<Unknown>(value)) return sym::Expr::symbol(name);
  if (const auto* tensor = std::get_if<ir::Value*>(&value)) return *tensor;
  if (const auto* expr = std::get_if<sym::Expr>(&value)) return *expr;
  if (const auto* number = std::get_if<double>(&value)) return *number;
  return std::get<bool>(value);
}

template <typename Number>
Arg named_or(const Scope& scope, const NamedOr<Number>& arg) {
  if (!arg.name.empty()) return to_arg(find_value(scope, arg.name), arg.name);
  if constexpr (std::is_same_v<Number, int64_t>) return sym::Expr(arg.value);
  return arg.value;
}

sym::Expr to_expr(const Arg& arg, const std::string& what) {
  if (const auto* expr = std::get_if<sym::Expr>(&arg)) return *expr;
  if (const auto* flag = std::get_if<bool>(&arg)) return sym::Expr(*flag ? 1 : 0);
  bad_graph(fmt::format("{} holds something that is no integer", what));
}

class Converter {
 public:
  Converter(GraphImporter& importer, const Scope& scope, const Param& param, std::string what)
      : importer_(importer), scope_(scope), param_(param), what_(std::move(what)) {}

  Arg operator()(const NoneArg&) const { return {}; }
  Arg operator()(const TensorArg& arg) const {
    return to_arg(find_value(scope_, arg.name), arg.name);
  }
  Arg operator()(const TensorListArg& arg) const {
    if (arg.names.empty()) return empty_list();
    if (param_.kind == ArgKind::kIntList) return integers_of_names(arg.names);
    std::vector<ir::Value*> values;
    for (const std::string& name : arg.names) {
      if (name.empty()) {
        values.push_back(nullptr);
        continue;
      }
      const ScopeValue& value = find_value(scope_, name);
      // Operands of sub-graphs may be sizes; the sub-graph knows them by their expressions.
      if (const auto* tensor = std::get_if<ir::Value*>(&value)) values.push_back(*tensor);
    }
    return values;
  }
  Arg operator()(int64_t value) const {
    if (param_.kind == ArgKind::kBool) return value != 0;
    if (is_list()) return integers(std::vector<int64_t>(spread_count(), value));
    if (param_.kind == ArgKind::kFloat) return static_cast<double>(value);
    return sym::Expr(value);
  }
  Arg operator()(const std::vector<int64_t>& values) const { return integers(values); }
  Arg operator()(double value) const {
    if (is_list()) return std::vector<double>(spread_count(), value);
    return value;
  }
  Arg operator()(const std::vector<double>& values) const { return values; }
  Arg operator()(bool value) const {
    if (param_.kind == ArgKind::kInt) return sym::Expr(value ? 1 : 0);
    if (param_.kind == ArgKind::kFloat) return value ? 1.0 : 0.0;
    return value;
  }
  Arg operator()(const std::vector<bool>& values) const { return values; }
  Arg operator()(const std::string& value) const { return value; }
  Arg operator()(const std::vector<std::string>&) const { wrong(); }
  Arg operator()(const SymIntArg& arg) const {
    Arg value = named_or(scope_, arg);
    if (!is_list()) return value;
    return std::vector<sym::Expr>(spread_count(), to_expr(value, what_));
  }
  Arg operator()(const std::vector<SymIntArg>& args) const {
    std::vector<sym::Expr> values;
    for (const SymIntArg& arg : args) values.push_back(to_expr(named_or(scope_, arg), what_));
    return values;
  }
  Arg operator()(const SymFloatArg& arg) const { return named_or(scope_, arg); }
  Arg operator()(const std::vector<SymFloatArg>& args) const {
    std::vector<double> values;
    for (const SymFloatArg& arg : args) {
      const Arg value = named_or(scope_, arg);
      if (const auto* number = std::get_if<double>(&value)) values.push_back(*number);
    }
    if (values.size() != args.size()) unsupported(what_ + " is a list of symbolic floats");
    return values;
  }
  Arg operator()(const SymBoolArg& arg) const { return named_or(scope_, arg); }
  Arg operator()(const std::vector<SymBoolArg>& args) const {
    std::vector<bool> values;
    for (const SymBoolArg& arg : args) {
      const Arg value = named_or(scope_, arg);
      if (const auto* flag = std::get_if<bool>(&value)) values.push_back(*flag);
    }
    if (values.size() != args.size()) unsupported(what_ + " is a list of symbolic conditions");
    return values;
  }
  Arg operator()(const DTypeArg& arg) const { return arg.dtype; }
  Arg operator()(const HardwareArg& arg) const {
    if (arg.kind == Hardware::kLayout && arg.value != 0 && arg.value != kStridedLayout) {
      unsupported(what_ + " asks for a sparse tensor");
    }
    return {};
  }
  Arg operator()(const GraphArg& arg) const {
    return importer_.import_subgraph(*arg.graph, scope_.in_autocast);
  }
  Arg operator()(const ComplexArg&) const { unsupported(what_ + " is a complex number"); }
  Arg operator()(const CustomObjectArg&) const { unsupported(what_ + " is a custom object"); }
  Arg operator()(const auto&) const { wrong(); }

 private:
  bool is_list() const {
    return param_.kind == ArgKind::kIntList || param_.kind == ArgKind::kFloatList ||
           param_.kind == ArgKind::kBoolList;
  }
  size_t spread_count() const {
    return param_.fixed_size > 0 ? static_cast<size_t>(param_.fixed_size) : 1;
  }
  // "[]" has no element type of its own.
  Arg empty_list() const {
    if (param_.kind == ArgKind::kIntList) return std::vector<sym::Expr>();
    if (param_.kind == ArgKind::kFloatList) return std::vector<double>();
    if (param_.kind == ArgKind::kBoolList) return std::vector<bool>();
    return std::vector<ir::Value*>();
  }
  Arg integers(const std::vector<int64_t>& values) const {
    if (param_.kind == ArgKind::kFloatList)
      return std::vector<double>(values.begin(), values.end());
    if (values.empty()) return empty_list();
    return ir::to_exprs(values);
  }
  Arg integers_of_names(const std::vector<std::string>& names) const {
    std::vector<sym::Expr> values;
    for (const std::string& name : names) {
      values.push_back(to_expr(to_arg(find_value(scope_, name), name), what_));
    }
    return values;
  }
  [[noreturn]] void wrong() const {
    bad_graph(fmt::format("{} is of a kind that the operator does not take", what_));
  }

  GraphImporter& importer_;
  const Scope& scope_;
  const Param& param_;
  std::string what_;
};

// The positions of the schema's parameters that the call's arguments are for: by name, or by
// position where an argument has none (operands of higher-order operators).
std::vector<const Argument*> match_params(const Node& node, const ir::Schema& schema) {
  std::vector<const Argument*> matched(schema.params.size(), nullptr);
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const NamedArgument& input = node.inputs[i];
    const int at = input.name.empty() ? static_cast<int>(i) : schema.find_param(input.name);
    if (at < 0 || at >= static_cast<int>(matched.size())) {
      bad_graph(fmt::format("{} has no parameter '{}'", schema.name, input.name));
    }
    if (matched[static_cast<size_t>(at)]) {
      bad_graph(fmt::format("{} is given '{}' twice", schema.name, input.name));
    }
    matched[static_cast<size_t>(at)] = &input.arg;
  }
  return matched;
}

}  // namespace

const ScopeValue& find_value(const Scope& scope, const std::string& name) {
  const auto it = scope.values.find(name);
  if (it == scope.values.end()) {
    bad_graph(fmt::format("%{} is used, but nothing before defines it", name));
  }
  return it->second;
}

std::optional<SymValue> to_number(const Scope& scope, const Argument& argument) {
  const auto named = [&](const auto& arg) -> std::optional<SymValue> {
    if (arg.name.empty()) {
      if constexpr (std::is_same_v<decltype(arg.value), int64_t>) return sym::Expr(arg.value);
      return SymValue(arg.value);
    }
    const ScopeValue& value = find_value(scope, arg.name);
    if (const auto* expr = std::get_if<sym::Expr>(&value)) return *expr;
    if (const auto* number = std::get_if<double>(&value)) return *number;
    if (const auto* flag = std::get_if<bool>(&value)) return *flag;
    return std::nullopt;
  };
  if (const auto* value = argument.get<int64_t>()) return sym::Expr(*value);
  if (const auto* value = argument.get<double>()) return *value;
  if (const auto* value = argument.get<bool>()) return *value;
  if (const auto* arg = argument.get<SymIntArg>()) return named(*arg);
  if (const auto* arg = argument.get<SymFloatArg>()) return named(*arg);
  if (const auto* arg = argument.get<SymBoolArg>()) return named(*arg);
  return std::nullopt;
}

std::vector<Arg> convert_arguments(GraphImporter& importer, const Scope& scope, const Node& node,
                                   const ir::Schema& schema) {
  const std::vector<const Argument*> matched = match_params(node, schema);
  std::vector<Arg> args;
  for (size_t i = 0; i < matched.size(); ++i) {
    const Param& param = schema.params[i];
    Arg arg;
    if (matched[i]) {
      const std::string what = fmt::format("argument '{}' of {}", param.name, schema.name);
      arg = std::visit(Converter(importer, scope, param, what), matched[i]->value);
      if (param.kind == ArgKind::kOther) arg = {};
      // None for a parameter that cannot be None stands for its default.
      if (ir::is_none(arg) && !param.is_optional && param.has_default) arg = param.default_value;
      if (!ir::fits(param, arg)) bad_graph(what + " is of a kind that the operator does not take");
    } else if (param.has_default) {
      arg = param.default_value;
    } else if (!param.is_optional && param.kind != ArgKind::kOther) {
      bad_graph(fmt::format("{} lacks its argument '{}'", schema.name, param.name));
    }
    args.push_back(std::move(arg));
  }
  return ir::complete_args(schema, std::move(args));
}

}  // namespace ingot::pt2
