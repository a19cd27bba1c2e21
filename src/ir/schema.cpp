#include "ir/schema.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "support/diagnostics.h"

namespace ingot::ir {

namespace {

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// What a parameter or return is declared as: "SymInt[2]?", "Tensor(a!)[]".
struct Type {
  ArgKind kind = ArgKind::kOther;
  bool is_optional = false;
  int fixed_size = 0;
  std::string alias_set;
  bool is_written = false;
};

class SchemaParser {
 public:
  explicit SchemaParser(std::string_view text) : text_(text) {}

  Schema parse() {
    Schema schema;
    parse_name(schema);
    expect('(');
    parse_params(schema.params);
    skip_spaces();
    expect('-');
    expect('>');
    parse_returns(schema.returns);
    skip_spaces();
    if (pos_ != text_.size()) fail("the end");
    return schema;
  }

 private:
  [[noreturn]] void fail(std::string_view expected) const {
    throw InternalError(
        fmt::format("operator schema '{}': expected {} at column {}", text_, expected, pos_ + 1));
  }

  char peek() const { return pos_ < text_.size() ? text_[pos_] : '\0'; }
  void skip_spaces() {
    while (peek() == ' ') ++pos_;
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++pos_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("'{}'", c));
  }
  std::string word() {
    const size_t start = pos_;
    while (is_name_char(peek())) ++pos_;
    if (pos_ == start) fail("a name");
    return std::string(text_.substr(start, pos_ - start));
  }

  void parse_name(Schema& schema) {
    const std::string space = word();
    expect(':');
    expect(':');
    schema.base = word();
    schema.overload = accept('.') ? word() : "default";
    schema.name = space + "." + schema.base + "." + schema.overload;
  }

  // "(a)", "(a!)", "(a -> *)", "(a|b)" behind a Tensor.
  void parse_alias(Type& type) {
    if (!accept('(')) return;
    type.alias_set = word();
    while (accept('|')) word();
    if (accept('!')) type.is_written = true;
    skip_spaces();
    if (accept('-')) {
      expect('>');
      skip_spaces();
      expect('*');
    }
    expect(')');
  }

  Type parse_type() {
    Type type;
    std::string name = word();
    while (accept('.')) name += "." + word();  // a class: __torch__.torch.classes.rnn.Cell
    if (name == "Dict") {                      // Dict(Tensor, Tensor) of one autograd operator
      while (peek() && peek() != ')') ++pos_;
      expect(')');
      return type;
    }
    type.kind = kind_of(name);
    parse_alias(type);
    type.is_optional = accept('?');
    if (accept('[')) {
      type.is_optional = false;  // Tensor?[]: a list of optional elements
      type.kind = list_of(type.kind);
      const char* begin = text_.data() + pos_;
      if (peek() != ']') {
        const auto [end, error] =
            std::from_chars(begin, text_.data() + text_.size(), type.fixed_size);
        if (error != std::errc()) fail("a list size");
        pos_ += static_cast<size_t>(end - begin);
      }
      expect(']');
      if (type.alias_set.empty()) parse_alias(type);
      type.is_optional = accept('?');
    }
    return type;
  }

  static ArgKind kind_of(std::string_view name) {
    static constexpr std::pair<std::string_view, ArgKind> kNames[] = {
        {"Tensor", ArgKind::kTensor}, {"int", ArgKind::kInt},    {"SymInt", ArgKind::kInt},
        {"float", ArgKind::kFloat},   {"bool", ArgKind::kBool},  {"SymBool", ArgKind::kBool},
        {"Scalar", ArgKind::kNumber}, {"str", ArgKind::kString}, {"ScalarType", ArgKind::kDType},
        {"Graph", ArgKind::kGraph},
    };
    for (const auto& [spelling, kind] : kNames) {
      if (spelling == name) return kind;
    }
    return ArgKind::kOther;
  }

  static ArgKind list_of(ArgKind element) {
    switch (element) {
      case ArgKind::kTensor:
        return ArgKind::kTensorList;
      case ArgKind::kInt:
        return ArgKind::kIntList;
      case ArgKind::kFloat:
      case ArgKind::kNumber:
        return ArgKind::kFloatList;
      case ArgKind::kBool:
        return ArgKind::kBoolList;
      default:
        return ArgKind::kOther;
    }
  }

  void parse_params(std::vector<Param>& params) {
    for (skip_spaces(); !accept(')'); skip_spaces()) {
      if (accept('*')) {  // what follows is given by keyword
        accept(',');
        continue;
      }
      Type type = parse_type();
      Param param;
      param.kind = type.kind;
      param.is_optional = type.is_optional;
      param.fixed_size = type.fixed_size;
      param.alias_set = std::move(type.alias_set);
      param.is_written = type.is_written;
      skip_spaces();
      param.name = word();
      if (accept('=')) {
        param.has_default = true;
        param.default_value = parse_default(param);
      }
      params.push_back(std::move(param));
      skip_spaces();
      if (!accept(',') && peek() != ')') fail("',' or ')'");
    }
  }

  void parse_returns(std::vector<Return>& returns) {
    skip_spaces();
    if (!accept('(')) {
      returns.push_back(parse_return());
      return;
    }
    for (skip_spaces(); !accept(')'); skip_spaces()) {
      returns.push_back(parse_return());
      if (!accept(',') && peek() != ')') fail("',' or ')'");
    }
  }

  Return parse_return() {
    Type type = parse_type();
    Return result;
    result.kind = type.kind;
    result.alias_set = std::move(type.alias_set);
    result.is_written = type.is_written;
    skip_spaces();
    if (is_name_char(peek())) result.name = word();
    return result;
  }

  Arg parse_default(const Param& param) {
    if (peek() == '"' || peek() == '\'') return Arg(parse_string());
    if (accept('[')) {
      const size_t end = text_.find(']', pos_);
      if (end == std::string_view::npos) fail("']'");
      const std::string_view body = text_.substr(pos_, end - pos_);
      pos_ = end + 1;
      return list_default(param, body);
    }
    const size_t start = pos_;
    while (peek() && peek() != ',' && peek() != ')' && peek() != ' ') ++pos_;
    return single_default(param, text_.substr(start, pos_ - start));
  }

  std::string parse_string() {
    const char quote = text_[pos_++];
    std::string value;
    while (peek() && peek() != quote) {
      if (peek() == '\\') ++pos_;
      value += peek();
      ++pos_;
    }
    expect(quote);
    return value;
  }

  Arg single_default(const Param& param, std::string_view token) {
    if (token == "None" || param.kind == ArgKind::kOther) return Arg();
    if (token == "True" || token == "False") {
      const bool value = token == "True";
      if (param.kind == ArgKind::kBoolList) {
        return Arg(std::vector<bool>(static_cast<size_t>(param.fixed_size), value));
      }
      return Arg(value);
    }
    const bool has_point = token.find_first_of(".e") != std::string_view::npos;
    switch (param.kind) {
      case ArgKind::kInt:
        return Arg(sym::Expr(integer(token)));
      case ArgKind::kIntList:
        return Arg(std::vector<sym::Expr>(static_cast<size_t>(std::max(param.fixed_size, 1)),
                                          sym::Expr(integer(token))));
      case ArgKind::kFloat:
        return Arg(number(token));
      case ArgKind::kFloatList:
        return Arg(
            std::vector<double>(static_cast<size_t>(std::max(param.fixed_size, 1)), number(token)));
      case ArgKind::kNumber:
        return has_point ? Arg(number(token)) : Arg(sym::Expr(integer(token)));
      case ArgKind::kDType:
        return Arg(dtype_of(integer(token)));
      default:
        fail("a default of the parameter's type");
    }
  }

  // PyTorch prints a default dtype as its number in c10::ScalarType.
  DType dtype_of(int64_t scalar_type) {
    static constexpr std::pair<int64_t, DType> kNumbers[] = {
        {0, DType::kU8},    {1, DType::kI8},    {2, DType::kI16}, {3, DType::kI32},
        {4, DType::kI64},   {5, DType::kF16},   {6, DType::kF32}, {7, DType::kF64},
        {11, DType::kBool}, {15, DType::kBF16},
    };
    for (const auto& [number, dtype] : kNumbers) {
      if (number == scalar_type) return dtype;
    }
    fail("the number of a dtype");
  }

  Arg list_default(const Param& param, std::string_view body) {
    std::vector<std::string_view> items;
    while (!body.empty()) {
      const size_t comma = std::min(body.find(','), body.size());
      std::string_view item = body.substr(0, comma);
      while (item.starts_with(' ')) item.remove_prefix(1);
      items.push_back(item);
      body.remove_prefix(std::min(comma + 1, body.size()));
    }
    switch (param.kind) {
      case ArgKind::kIntList: {
        std::vector<sym::Expr> values;
        for (std::string_view item : items) values.emplace_back(integer(item));
        return Arg(std::move(values));
      }
      case ArgKind::kFloatList: {
        std::vector<double> values;
        for (std::string_view item : items) values.push_back(number(item));
        return Arg(std::move(values));
      }
      case ArgKind::kBoolList: {
        std::vector<bool> values;
        for (std::string_view item : items) values.push_back(item == "True");
        return Arg(std::move(values));
      }
      case ArgKind::kTensorList:
        if (items.empty()) return Arg(std::vector<Value*>());
        [[fallthrough]];
      default:
        fail("a default of the parameter's type");
    }
  }

  int64_t integer(std::string_view token) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
    if (error != std::errc() || end != token.data() + token.size()) fail("an integer");
    return value;
  }

  double number(std::string_view token) {
    double value = 0;
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
    if (error != std::errc() || end != token.data() + token.size()) fail("a number");
    return value;
  }

  std::string_view text_;
  size_t pos_ = 0;
};

}  // namespace

int Schema::find_param(std::string_view param) const {
  for (size_t i = 0; i < params.size(); ++i) {
    if (params[i].name == param) return static_cast<int>(i);
  }
  return -1;
}

bool Schema::is_mutating() const {
  return std::any_of(params.begin(), params.end(), [](const Param& p) { return p.is_written; });
}

bool Schema::is_view() const {
  return std::any_of(returns.begin(), returns.end(),
                     [&](const Return& r) { return !r.alias_set.empty() && !r.is_written; });
}

Schema parse_schema(std::string_view text) { return SchemaParser(text).parse(); }

}  // namespace ingot::ir
