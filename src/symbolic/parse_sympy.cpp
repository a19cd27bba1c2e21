// The parts of sympy.srepr that are not calls of functions.
#include "symbolic/parser.h"

namespace ingot::sym {

// After "Symbol(": 's77', positive=True, integer=True.
Quantity Parser::parse_sympy_symbol() {
  if (token_.kind != TokenKind::kString) return fail("Symbol(...) takes a name");
  std::string name = string_value(token_);
  advance();
  bool is_real = false;
  skip_keyword_arguments(is_real);
  if (is_real) return fail_not_integer("symbol '" + name + "'");
  return made(Expr::symbol(name));
}

// After "Float(": '0.5', precision=53.
Quantity Parser::parse_sympy_float() {
  if (token_.kind != TokenKind::kString) return fail("Float(...) takes a text");
  std::string text = string_value(token_);
  advance();
  bool is_real = false;
  skip_keyword_arguments(is_real);
  if (!ok()) return {};
  bool is_negative = text.starts_with('-');
  Quantity value = decimal(std::string_view(text).substr(is_negative ? 1 : 0));
  if (is_negative) value.numerator = -value.numerator;
  return value;
}

// ", name=value" any number of times, and ")".
void Parser::skip_keyword_arguments(bool& is_real) {
  bool is_integer = false;
  while (ok() && accept(",")) {
    if (token_.kind != TokenKind::kName) {
      fail("expected a keyword argument");
      return;
    }
    std::string_view name = token_.text;
    advance();
    expect("=");
    bool is_true = token_.is_name("True");
    if (token_.kind != TokenKind::kName && token_.kind != TokenKind::kNumber) {
      fail("expected the value of a keyword argument");
      return;
    }
    advance();
    is_integer |= name == "integer" && is_true;
    is_real |= name == "real" && is_true;
  }
  is_real = is_real && !is_integer;
  expect(")");
}

Result<Expr> parse_sympy(std::string_view text) { return Parser(text, kSympy).parse_all(); }

}  // namespace ingot::sym
