#include <fmt/core.h>

#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "ir/builder.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "support/diagnostics.h"

namespace ingot::ir {

namespace {

constexpr int kMaxGraphDepth = 16;
constexpr int kMaxParens = 64;  // in one expression
constexpr size_t kMaxExprChars = 4096;
constexpr size_t kMaxRank = 64;
constexpr int64_t kMaxWeightBytes = int64_t{1} << 48;

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.';
}

// A position in the text that knows its line and skips spaces and comments.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  uint32_t line() const { return line_; }
  [[noreturn]] void fail(const std::string& message) const {
    throw CompileError(Diag::kBadIr, fmt::format("line {}: {}", line_, message));
  }
  [[noreturn]] void fail_expected(std::string_view what) {
    skip_spaces();
    if (pos_ == text_.size()) fail(fmt::format("expected {}, but the text ends", what));
    size_t end = pos_ + 1;
    while (end < text_.size() && end < pos_ + 20 && is_name_char(text_[end])) ++end;
    fail(fmt::format("expected {} before '{}'", what, text_.substr(pos_, end - pos_)));
  }

  void skip_spaces() {
    for (; pos_ < text_.size(); ++pos_) {
      const char c = text_[pos_];
      if (c == '#') {
        pos_ = std::min(text_.find('\n', pos_), text_.size()) - 1;
      } else if (c == '\n') {
        ++line_;
      } else if (c != ' ' && c != '\t' && c != '\r') {
        return;
      }
    }
  }
  bool at_end() {
    skip_spaces();
    return pos_ == text_.size();
  }
  bool at(std::string_view token) {
    skip_spaces();
    return text_.substr(pos_).starts_with(token);
  }
  bool accept(std::string_view token) {
    if (!at(token)) return false;
    pos_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) fail_expected(fmt::format("'{}'", token));
  }
  // A whole word, not the start of a longer one.
  bool at_word(std::string_view word) {
    if (!at(word)) return false;
    const size_t end = pos_ + word.size();
    return end == text_.size() || !is_name_char(text_[end]);
  }
  bool accept_word(std::string_view word) {
    if (!at_word(word)) return false;
    pos_ += word.size();
    return true;
  }
  std::string name(std::string_view what) {
    skip_spaces();
    const size_t start = pos_;
    while (pos_ < text_.size() && is_name_char(text_[pos_])) ++pos_;
    if (pos_ == start) fail_expected(what);
    return std::string(text_.substr(start, pos_ - start));
  }

  // The text of one argument: up to a comma or bracket that is not its own.
  std::string_view item(std::string_view what) {
    skip_spaces();
    const size_t start = pos_;
    int depth = 0;
    for (; pos_ < text_.size(); ++pos_) {
      const char c = text_[pos_];
      if (c == '(' && ++depth > kMaxParens) fail("an expression is nested too deeply");
      if (depth == 0 && (c == ',' || c == ')' || c == ']')) break;
      if (c == ')') --depth;
      if (c == '\n' || c == '#' || c == '{' || c == '}') break;
    }
    std::string_view text = text_.substr(start, pos_ - start);
    while (text.ends_with(' ')) text.remove_suffix(1);
    if (text.empty()) fail_expected(what);
    if (text.size() > kMaxExprChars) fail("an expression is too long");
    return text;
  }

  std::string string() {
    expect("\"");
    std::string value;
    for (; pos_ < text_.size() && text_[pos_] != '"' && text_[pos_] != '\n'; ++pos_) {
      value += text_[pos_] == '\\' ? escaped() : text_[pos_];
    }
    if (pos_ == text_.size() || text_[pos_] != '"') fail("a string does not end");
    ++pos_;
    return value;
  }

  // The rest of the current line from the last name on, for locations.
  std::string current_line() const {
    const size_t start = pos_ == 0 ? 0 : text_.rfind('\n', pos_ - 1) + 1;
    std::string_view line =
        text_.substr(start, std::min(text_.find('\n', pos_), text_.size()) - start);
    while (line.starts_with(' ')) line.remove_prefix(1);
    return std::string(line.substr(0, 200));
  }

 private:
  // The character of an escape sequence; stays on its last character.
  char escaped() {
    ++pos_;
    if (pos_ == text_.size()) fail("a string does not end");
    if (text_[pos_] == '"' || text_[pos_] == '\\') return text_[pos_];
    if (text_[pos_] != 'x' || pos_ + 2 >= text_.size()) fail("an unknown escape in a string");
    unsigned value = 0;
    const char* begin = text_.data() + pos_ + 1;
    const auto [end, error] = std::from_chars(begin, begin + 2, value, 16);
    if (error != std::errc() || end != begin + 2) fail("an unknown escape in a string");
    pos_ += 2;
    return static_cast<char>(value);
  }

  std::string_view text_;
  size_t pos_ = 0;
  uint32_t line_ = 1;
};

using Scope = std::map<std::string, Value*, std::less<>>;

class ModelParser {
 public:
  ModelParser(std::string_view text, FindOperator find_operator)
      : in_(text), find_operator_(find_operator), model_(std::make_unique<Model>()) {}

  std::unique_ptr<Model> parse() {
    while (in_.accept_word("symbol")) parse_symbol();
    if (!in_.accept_word("graph")) in_.fail_expected("'graph'");
    in_.name("the graph's name");
    Scope scope;
    parse_inputs(scope);
    in_.expect("{");
    parse_nodes(model_->graph, scope, 0);
    parse_outputs(scope);
    in_.expect("}");
    if (!in_.at_end()) in_.fail_expected("the end of the text");
    const Fault fault = find_fault(*model_);
    if (!fault.message.empty()) {
      const uint32_t line = fault.loc == kNoLoc ? in_.line() : model_->locations[fault.loc].line;
      throw CompileError(Diag::kBadIr, fmt::format("line {}: {}", line, fault.message));
    }
    return std::move(model_);
  }

 private:
  void parse_symbol() {
    program::Symbol symbol;
    symbol.name = in_.name("a symbol's name");
    if (!symbols_.insert(symbol.name).second) {
      in_.fail(fmt::format("symbol {} is declared twice", symbol.name));
    }
    if (!in_.accept_word("in")) in_.fail_expected("'in'");
    in_.expect("[");
    symbol.range.lo = parse_bound();
    in_.expect(",");
    symbol.range.hi = parse_bound();
    in_.expect("]");
    model_->symbols.push_back(std::move(symbol));
  }

  int64_t parse_bound() {
    const std::string_view text = in_.item("a bound");
    if (text == "-inf") return INT64_MIN;
    if (text == "inf") return INT64_MAX;
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
      in_.fail(fmt::format("'{}' is not a bound", text));
    }
    return value;
  }

  sym::Expr parse_expr() {
    const std::string_view text = in_.item("an expression");
    Result<sym::Expr> expr = sym::parse(text);
    if (!expr.ok()) in_.fail(fmt::format("'{}': {}", text, expr.status().message()));
    return std::move(expr).value();
  }

  DType parse_dtype_name() {
    const std::string name = in_.name("a dtype");
    const auto dtype = parse_dtype(name);
    if (!dtype) in_.fail(fmt::format("there is no dtype {}", name));
    return *dtype;
  }

  TensorType parse_type() {
    TensorType type;
    type.dtype = parse_dtype_name();
    in_.expect("[");
    parse_list([&] { type.sizes.push_back(parse_expr()); });
    if (type.sizes.size() > kMaxRank) in_.fail("a tensor has too many dimensions");
    return type;
  }

  // Comma-separated elements up to the closing bracket, which is taken.
  template <typename ParseElement>
  void parse_list(ParseElement parse_element) {
    if (in_.accept("]")) return;
    do {
      parse_element();
    } while (in_.accept(","));
    in_.expect("]");
  }

  std::string parse_value_name() {
    in_.expect("%");
    return in_.name("a value's name");
  }
  Value* parse_use(const Scope& scope) {
    const std::string name = parse_value_name();
    const auto it = scope.find(name);
    if (it == scope.end()) in_.fail(fmt::format("%{} is not defined", name));
    return it->second;
  }
  void define(Scope& scope, const std::string& name, Value* value) {
    if (!scope.emplace(name, value).second) in_.fail(fmt::format("%{} is defined twice", name));
  }

  void parse_inputs(Scope& scope) {
    in_.expect("(");
    if (in_.accept(")")) return;
    do {
      InputRole role = InputRole::kUser;
      if (in_.accept_word("const")) {
        role = InputRole::kConstant;
      } else if (in_.accept_word("state")) {
        role = InputRole::kState;
      }
      const std::string name = parse_value_name();
      const std::string weight = role == InputRole::kUser ? "" : in_.string();
      in_.expect(":");
      const TensorType type = parse_type();
      define(scope, name, model_->graph.add_input(name, type));
      if (role == InputRole::kUser) {
        model_->inputs.push_back({role, static_cast<uint32_t>(model_->user_inputs.size())});
        program::Input input;
        input.name = name;
        input.dtype = type.dtype;
        input.sizes = type.sizes;
        model_->user_inputs.push_back(std::move(input));
      } else {
        model_->inputs.push_back({role, add_weight(weight, type)});
      }
    } while (in_.accept(","));
    in_.expect(")");
  }

  // A weight without bytes, in a storage of its own.
  uint32_t add_weight(const std::string& name, const TensorType& type) {
    Weight weight;
    weight.name = name;
    weight.dtype = type.dtype;
    weight.storage = static_cast<uint32_t>(model_->storages.size());
    int64_t bytes = size_of(type.dtype);
    for (const sym::Expr& size : type.sizes) {
      const auto value = size.as_const();
      if (!value || *value < 0) in_.fail(fmt::format("weight \"{}\" has no constant size", name));
      weight.sizes.push_back(*value);
      if (*value > 0 && bytes > kMaxWeightBytes / *value) in_.fail("a weight is too large");
      bytes *= std::max<int64_t>(*value, 1);
    }
    int64_t stride = 1;
    weight.strides.resize(weight.sizes.size());
    for (size_t i = weight.sizes.size(); i-- > 0;) {
      weight.strides[i] = stride;
      stride *= std::max<int64_t>(weight.sizes[i], 1);
    }
    model_->storages.push_back({nullptr, static_cast<uint64_t>(bytes)});
    model_->weights.push_back(std::move(weight));
    return static_cast<uint32_t>(model_->weights.size() - 1);
  }

  void parse_nodes(Graph& graph, Scope& scope, int depth) {
    while (!in_.accept_word("return")) parse_node(graph, scope, depth);
  }

  void parse_node(Graph& graph, Scope& scope, int depth) {
    std::vector<std::string> names;
    std::vector<TensorType> types;
    if (in_.at("%")) {
      do {
        names.push_back(parse_value_name());
        in_.expect(":");
        types.push_back(parse_type());
      } while (in_.accept(","));
      in_.expect("=");
    }
    const std::string target = in_.name("an operator");
    const Operator* op = find_operator_(target);
    if (!op) in_.fail(fmt::format("there is no operator {}", target));
    const LocId loc = add_location(target);
    std::vector<Arg> args = parse_args(op->schema, scope, depth);
    std::string name = names.empty() ? op->schema.base : names.front();
    if (names.size() > 1 && name.ends_with(".0")) name.resize(name.size() - 2);
    Node* node = graph.add_node(op, std::move(args), std::move(types), std::move(name), loc);
    for (size_t i = 0; i < names.size(); ++i) {
      node->results[i]->name = names[i];
      define(scope, names[i], node->results[i]);
    }
  }

  LocId add_location(const std::string& target) {
    program::Location location;
    location.file = "<ir>";
    location.line = in_.line();
    location.code = in_.current_line();
    location.node = target;
    model_->locations.push_back(std::move(location));
    return static_cast<LocId>(model_->locations.size() - 1);
  }

  std::vector<Arg> parse_args(const Schema& schema, const Scope& scope, int depth) {
    in_.expect("(");
    const uint32_t line = in_.line();
    std::vector<Arg> args;
    if (!in_.accept(")")) {
      do {
        if (args.size() == schema.params.size()) {
          in_.fail(fmt::format("{} takes {} arguments", schema.name, schema.params.size()));
        }
        args.push_back(parse_arg(schema.params[args.size()], scope, depth));
      } while (in_.accept(","));
      in_.expect(")");
    }
    try {
      return complete_args(schema, std::move(args));
    } catch (const InternalError&) {
      throw CompileError(Diag::kBadIr,
                         fmt::format("line {}: {} lacks an argument, or one is of the wrong type",
                                     line, schema.name));
    }
  }

  Arg parse_arg(const Param& param, const Scope& scope, int depth) {
    if (in_.accept_word("none")) return Arg();
    if (in_.accept_word("true")) return Arg(true);
    if (in_.accept_word("false")) return Arg(false);
    if (in_.accept_word("dtype")) return Arg(parse_dtype_name());
    if (in_.at("%")) return Arg(parse_use(scope));
    if (in_.at("\"")) return Arg(in_.string());
    if (in_.at_word("graph") || in_.at("graph(")) return Arg(parse_sub_graph(depth));
    if (in_.accept("[")) return parse_list_arg(param, scope);
    return parse_number();
  }

  // A float if it is written as one, else an integer expression.
  Arg parse_number() {
    const std::string_view text = in_.item("an argument");
    if (auto number = as_float(text)) return Arg(*number);
    Result<sym::Expr> expr = sym::parse(text);
    if (!expr.ok()) in_.fail(fmt::format("'{}': {}", text, expr.status().message()));
    return Arg(std::move(expr).value());
  }

  static std::optional<double> as_float(std::string_view text) {
    const bool is_word = text == "inf" || text == "-inf" || text == "nan";
    const bool starts_as_number = text[0] == '-' || (text[0] >= '0' && text[0] <= '9');
    const bool has_point = text.find_first_of(".e") != std::string_view::npos;
    if (!is_word && !(starts_as_number && has_point)) return std::nullopt;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
  }

  Arg parse_list_arg(const Param& param, const Scope& scope) {
    switch (param.kind) {
      case ArgKind::kTensorList: {
        std::vector<Value*> values;
        parse_list([&] { values.push_back(in_.accept_word("none") ? nullptr : parse_use(scope)); });
        return Arg(std::move(values));
      }
      case ArgKind::kFloatList: {
        std::vector<double> values;
        parse_list([&] { values.push_back(parse_float()); });
        return Arg(std::move(values));
      }
      case ArgKind::kBoolList: {
        std::vector<bool> values;
        parse_list([&] {
          const bool value = in_.accept_word("true");
          if (!value && !in_.accept_word("false")) in_.fail_expected("'true' or 'false'");
          values.push_back(value);
        });
        return Arg(std::move(values));
      }
      default: {
        std::vector<sym::Expr> values;
        parse_list([&] { values.push_back(parse_expr()); });
        return Arg(std::move(values));
      }
    }
  }

  double parse_float() {
    const Arg arg = parse_number();
    if (const auto* value = std::get_if<double>(&arg)) return *value;
    const auto value = std::get<sym::Expr>(arg).as_const();
    if (!value) in_.fail("expected a number, not an expression");
    return static_cast<double>(*value);
  }

  std::shared_ptr<Graph> parse_sub_graph(int depth) {
    if (depth == kMaxGraphDepth) in_.fail("sub-graphs are nested too deeply");
    in_.expect("graph");
    auto graph = std::make_shared<Graph>();
    Scope scope;
    in_.expect("(");
    if (!in_.accept(")")) {
      do {
        const std::string name = parse_value_name();
        in_.expect(":");
        define(scope, name, graph->add_input(name, parse_type()));
      } while (in_.accept(","));
      in_.expect(")");
    }
    in_.expect("{");
    parse_nodes(*graph, scope, depth + 1);
    if (in_.at("%")) {
      do {
        graph->outputs().push_back(parse_use(scope));
      } while (in_.accept(","));
    }
    in_.expect("}");
    return graph;
  }

  void parse_outputs(const Scope& scope) {
    if (in_.at("}")) return;
    do {
      OutputBinding binding;
      if (in_.accept_word("state")) {
        binding = {OutputRole::kStateMutation, parse_updated_input(scope)};
      } else if (in_.accept_word("input")) {
        binding = {OutputRole::kInputMutation, parse_updated_input(scope)};
      } else {
        binding.index = static_cast<uint32_t>(model_->user_outputs.size());
      }
      Value* value = parse_use(scope);
      if (binding.role == OutputRole::kUser) add_user_output(value);
      model_->graph.outputs().push_back(value);
      model_->outputs.push_back(binding);
    } while (in_.accept(","));
  }

  // "%kc <-" of "state %kc <- %kc2": the position of the input.
  uint32_t parse_updated_input(const Scope& scope) {
    const Value* target = parse_use(scope);
    in_.expect("<-");
    const std::vector<Value*>& inputs = model_->graph.inputs();
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == target) return static_cast<uint32_t>(i);
    }
    in_.fail(fmt::format("%{} is not an input", target->name));
  }

  void add_user_output(const Value* value) {
    program::Output output;
    output.name = value->name;
    output.dtype = value->dtype();
    output.sizes = value->type.sizes;
    model_->user_outputs.push_back(std::move(output));
  }

  Cursor in_;
  FindOperator find_operator_;
  std::unique_ptr<Model> model_;
  std::set<std::string> symbols_;
};

}  // namespace

std::unique_ptr<Model> parse_model(std::string_view text, FindOperator find_operator) {
  return ModelParser(text, find_operator).parse();
}

}  // namespace ingot::ir
