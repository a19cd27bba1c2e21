#include "symbolic/lexer.h"

#include "symbolic/names.h"

namespace ingot::sym {
namespace {

constexpr std::string_view kLongOperators[] = {"**", "//", "<=", ">=", "==", "!="};
constexpr std::string_view kShortOperators = "+-*/%()[]{}<>=,.&|~";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

size_t end_of_number(std::string_view source, size_t i) {
  while (i < source.size() && is_digit(source[i])) ++i;
  bool has_fraction = i + 1 < source.size() && source[i] == '.' && is_digit(source[i + 1]);
  if (!has_fraction) return i;
  ++i;
  while (i < source.size() && is_digit(source[i])) ++i;
  return i;
}

// After the closing quote, or npos where there is none.
size_t end_of_string(std::string_view source, size_t i) {
  char quote = source[i];
  for (++i; i < source.size(); ++i) {
    if (source[i] == '\\') {
      ++i;
    } else if (source[i] == quote) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

size_t operator_length(std::string_view rest) {
  for (std::string_view op : kLongOperators) {
    if (rest.starts_with(op)) return op.size();
  }
  return kShortOperators.find(rest[0]) != std::string_view::npos ? 1 : 0;
}

}  // namespace

Token next_token(std::string_view source, size_t i) {
  while (i < source.size() && (source[i] == ' ' || source[i] == '\n' || source[i] == '\t')) ++i;
  if (i >= source.size()) return {TokenKind::kEnd, {}, source.size(), source.size()};
  size_t end = i + 1;
  TokenKind kind = TokenKind::kBad;
  char c = source[i];
  if (is_digit(c)) {
    kind = TokenKind::kNumber;
    end = end_of_number(source, i);
  } else if (is_name_start(c)) {
    kind = TokenKind::kName;
    while (end < source.size() && is_name_char(source[end])) ++end;
  } else if (c == '\'' || c == '"') {
    end = end_of_string(source, i);
    kind = end == std::string_view::npos ? TokenKind::kBad : TokenKind::kString;
    if (kind == TokenKind::kBad) end = i + 1;
  } else if (size_t length = operator_length(source.substr(i)); length > 0) {
    kind = TokenKind::kOperator;
    end = i + length;
  }
  return {kind, source.substr(i, end - i), i, end};
}

std::string string_value(const Token& token) {
  std::string value;
  for (size_t i = 1; i + 1 < token.text.size(); ++i) {
    if (token.text[i] == '\\') ++i;
    value += token.text[i];
  }
  return value;
}

}  // namespace ingot::sym
