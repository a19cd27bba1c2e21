#include <fmt/core.h>

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "ir/text.h"

namespace ingot::ir {

namespace {

template <typename Range, typename Print>
std::string joined(const Range& range, Print print) {
  std::string text;
  bool first = true;
  for (const auto& element : range) {
    if (!first) text += ", ";
    first = false;
    text += print(element);
  }
  return text;
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string printed(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string printed_bound(int64_t bound) {
  if (bound == INT64_MIN) return "-inf";
  if (bound == INT64_MAX) return "inf";
  return std::to_string(bound);
}

// A name made of the characters that the parser takes.
std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '_' || c == '.';
    plain += is_plain ? c : '_';
  }
  return plain.empty() ? "_" : plain;
}

class GraphPrinter {
 public:
  explicit GraphPrinter(std::string indent, bool unique_names = true)
      : indent_(std::move(indent)), unique_names_(unique_names) {}

  // The name of a value, made unique when it is first met.
  const std::string& name(const Value* value) {
    if (!unique_names_) return value->name;
    auto [it, is_new] = names_.try_emplace(value->id);
    if (!is_new) return it->second;
    std::string name = plain_name(value->name);
    if (taken_.contains(name)) {
      const std::string stem = name + "_";
      int& next = next_suffix_[name];
      do {
        name = stem + std::to_string(++next);
      } while (taken_.contains(name));
    }
    taken_.insert(name);
    return it->second = name;
  }

  std::string declaration(const Value* value) {
    return fmt::format("%{}: {}", name(value), to_string(value->type));
  }

  std::string node(const Node& node) {
    std::string text = joined(node.results, [&](const Value* v) { return declaration(v); });
    if (!text.empty()) text += " = ";
    return text + node.target() + "(" +
           joined(node.args, [&](const Arg& arg) { return argument(arg); }) + ")";
  }

  // The nodes and the return statement, in braces.
  std::string body(const Graph& graph, const std::vector<std::string>& marks = {}) {
    std::string text = " {\n";
    for (const Node* each : graph.nodes()) text += indent_ + "  " + node(*each) + "\n";
    text += indent_ + "  return";
    for (size_t i = 0; i < graph.outputs().size(); ++i) {
      text += i == 0 ? " " : ", ";
      if (i < marks.size()) text += marks[i];
      text += "%" + name(graph.outputs()[i]);
    }
    return text + "\n" + indent_ + "}";
  }

 private:
  std::string argument(const Arg& arg) {
    return std::visit([&](const auto& value) { return argument_of(value); }, arg);
  }
  std::string argument_of(std::monostate) { return "none"; }
  std::string argument_of(const Value* value) { return value ? "%" + name(value) : "none"; }
  std::string argument_of(const std::vector<Value*>& values) {
    return "[" + joined(values, [&](const Value* v) { return argument_of(v); }) + "]";
  }
  std::string argument_of(const sym::Expr& expr) { return sym::to_string(expr); }
  std::string argument_of(const std::vector<sym::Expr>& exprs) {
    return "[" + joined(exprs, [](const sym::Expr& e) { return sym::to_string(e); }) + "]";
  }
  std::string argument_of(double value) { return printed(value); }
  std::string argument_of(const std::vector<double>& values) {
    return "[" + joined(values, printed) + "]";
  }
  std::string argument_of(bool value) { return value ? "true" : "false"; }
  std::string argument_of(const std::vector<bool>& values) {
    return "[" + joined(values, [&](bool value) { return argument_of(value); }) + "]";
  }
  std::string argument_of(const std::string& text) { return quoted(text); }
  std::string argument_of(DType dtype) { return fmt::format("dtype {}", ingot::to_string(dtype)); }
  std::string argument_of(const std::shared_ptr<Graph>& graph) {
    GraphPrinter inner(indent_ + "  ");
    const std::string inputs =
        joined(graph->inputs(), [&](const Value* v) { return inner.declaration(v); });
    return "graph(" + inputs + ")" + inner.body(*graph);
  }

  std::string indent_;
  bool unique_names_;
  std::map<uint32_t, std::string> names_;  // by Value::id
  std::set<std::string, std::less<>> taken_;
  std::map<std::string, int> next_suffix_;
};

std::string printed_input(GraphPrinter& printer, const Model& model, size_t i) {
  const Value* value = model.graph.inputs()[i];
  const InputBinding& binding = model.inputs[i];
  if (binding.role == InputRole::kUser) return printer.declaration(value);
  return fmt::format("{} %{} {}: {}", binding.role == InputRole::kState ? "state" : "const",
                     printer.name(value), quoted(model.weights[binding.index].name),
                     to_string(value->type));
}

}  // namespace

std::string to_string(const TensorType& type) {
  return fmt::format("{}[{}]", ingot::to_string(type.dtype),
                     joined(type.sizes, [](const sym::Expr& e) { return sym::to_string(e); }));
}

std::string to_string(const Node& node) {
  return GraphPrinter("", /*unique_names=*/false).node(node);
}

std::string to_string(const Model& model) {
  std::string text;
  for (const program::Symbol& symbol : model.symbols) {
    text += fmt::format("symbol {} in [{}, {}]\n", symbol.name, printed_bound(symbol.range.lo),
                        printed_bound(symbol.range.hi));
  }
  GraphPrinter printer("");
  text += "graph main(";
  for (size_t i = 0; i < model.inputs.size(); ++i) {
    text += (i == 0 ? "" : ", ") + printed_input(printer, model, i);
  }
  std::vector<std::string> marks;
  for (const OutputBinding& output : model.outputs) {
    if (output.role == OutputRole::kUser) {
      marks.emplace_back();
      continue;
    }
    marks.push_back(fmt::format("{} %{} <- ",
                                output.role == OutputRole::kStateMutation ? "state" : "input",
                                printer.name(model.graph.inputs()[output.index])));
  }
  return text + ")" + printer.body(model.graph, marks) + "\n";
}

}  // namespace ingot::ir
