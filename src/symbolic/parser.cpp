#include "symbolic/parser.h"

#include <utility>

#include "support/diagnostics.h"
#include "symbolic/names.h"

namespace ingot::sym {
namespace {

constexpr size_t kMaxLength = 64 * 1024;
constexpr uint64_t kMaxWork = 4 * 1024 * 1024;  // nodes made, shared ones counted each time
constexpr std::string_view kComparisons[] = {"<", "<=", ">", ">=", "==", "!="};

bool is_comparison(const Token& token) {
  for (std::string_view op : kComparisons) {
    if (token.is(op)) return true;
  }
  return false;
}

// Text for a message: at most 80 bytes of it, without control characters.
std::string shortened(std::string_view text) {
  std::string result;
  for (char c : text.substr(0, 80)) result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  if (text.size() > 80) result += "...";
  return result;
}

}  // namespace

Parser::Parser(std::string_view source, Language language, const SymbolOf* symbol_of)
    : source_(source), language_(language), symbol_of_(symbol_of) {
  if (source.size() > kMaxLength) {
    fail("is longer than 64 KiB");
  } else {
    token_ = next_token(source_, 0);
  }
}

Result<Expr> Parser::parse_all() {
  Quantity result = parse_or();
  if (ok() && token_.kind != TokenKind::kEnd) fail("unexpected '" + shortened(token_.text) + "'");
  if (ok() && !result.is_integer()) fail_not_integer("the whole");
  if (ok()) return std::move(result.numerator);
  return make_status(Diag::kBadExpression, "expression '" + shortened(source_) + "': " + error_);
}

Quantity Parser::fail(std::string error) {
  if (ok()) error_ = std::move(error);
  token_ = {TokenKind::kEnd, {}, source_.size(), source_.size()};
  return {};
}

Quantity Parser::fail_not_integer(std::string_view what) {
  return fail("not an integer expression: " + std::string(what));
}

void Parser::advance() { token_ = next_token(source_, token_.end); }

bool Parser::accept(std::string_view op) {
  if (!token_.is(op)) return false;
  advance();
  return true;
}

bool Parser::accept_name(std::string_view name) {
  if (!token_.is_name(name)) return false;
  advance();
  return true;
}

void Parser::expect(std::string_view op) {
  if (accept(op) || !ok()) return;
  std::string found =
      token_.kind == TokenKind::kEnd ? "the end" : "'" + shortened(token_.text) + "'";
  fail("expected '" + std::string(op) + "', found " + found);
}

Quantity Parser::made(Expr expr) {
  work_ += expr.tree_size();
  if (expr.depth() > kMaxDepth) return fail("nested deeper than 200 levels");
  if (work_ > kMaxWork) return fail("too large");
  return {std::move(expr), 1, false, std::nullopt};
}

Expr Parser::integer(const Quantity& value) {
  if (ok() && !value.is_integer()) fail_not_integer("a floating-point or fractional operand");
  return value.numerator;
}

Quantity Parser::parse_or() {
  // Every nesting of the text passes through here or through parse_unary.
  if (++depth_ > kMaxDepth) return fail("nested deeper than 200 levels");
  Quantity left = parse_junction(ExprKind::kOr);
  --depth_;
  return left;
}

// Operands of `or`, each made of operands of `and`.
Quantity Parser::parse_junction(ExprKind kind) {
  bool is_or = kind == ExprKind::kOr;
  auto operand = [&] { return is_or ? parse_junction(ExprKind::kAnd) : parse_not(); };
  std::string_view word = is_or ? "or" : "and";
  Quantity first = operand();
  if (!token_.is_name(word)) return first;
  std::vector<Expr> operands = {integer(first)};
  while (ok() && accept_name(word)) operands.push_back(integer(operand()));
  return made(rebuild(kind, operands));
}

Quantity Parser::parse_not() {
  bool is_negated = false;
  bool any = false;
  while (accept_name("not")) {
    is_negated = !is_negated;
    any = true;
  }
  Quantity operand = parse_comparison();
  if (!any || !ok()) return operand;
  Expr opposite = logical_not(integer(operand));
  return made(is_negated ? opposite : logical_not(opposite));
}

// Chains as in Python: a < b < c is a < b and b < c.
Quantity Parser::parse_comparison() {
  Quantity left = parse_bits();
  if (!is_comparison(token_)) return left;
  Quantity all = {1};
  while (ok() && is_comparison(token_)) {
    std::string_view op = token_.text;
    advance();
    Quantity right = parse_bits();
    all = made(logical_and(all.numerator, compare(op, left, right).numerator));
    left = std::move(right);
  }
  return all;
}

// The & and | that sympy prints between conditions.
Quantity Parser::parse_bits() {
  Quantity left = parse_additive();
  while (ok() && language_ == kSympy && (token_.is("&") || token_.is("|"))) {
    bool is_and = token_.is("&");
    advance();
    Quantity right = parse_additive();
    Expr a = integer(left);
    Expr b = integer(right);
    left = made(is_and ? logical_and(a, b) : logical_or(a, b));
  }
  return left;
}

Quantity Parser::parse_additive() {
  Quantity first = parse_multiplicative();
  if (!token_.is("+") && !token_.is("-")) return first;
  // Integers are collected and added in one go; a long sum stays linear.
  std::vector<Expr> terms;
  Quantity fractions = {0};
  auto include = [&](const Quantity& term) {
    if (term.is_integer()) {
      terms.push_back(term.numerator);
    } else {
      fractions = add(fractions, term);
    }
  };
  include(first);
  while (ok() && (token_.is("+") || token_.is("-"))) {
    bool is_minus = token_.is("-");
    advance();
    Quantity term = parse_multiplicative();
    if (is_minus) term.numerator = -term.numerator;
    include(term);
  }
  Quantity total = made(sum(terms));
  bool is_plain = fractions.is_integer() && fractions.numerator.is_const(0);
  return is_plain ? total : add(total, fractions);
}

Quantity Parser::parse_multiplicative() {
  Quantity left = parse_factors();
  while (ok()) {
    if (accept("//")) {
      Expr right = integer(parse_unary());
      left = made(floor_div(integer(left), right));
    } else if (accept("%")) {
      Expr right = integer(parse_unary());
      left = made(mod(integer(left), right));
    } else if (language_ != kOwnText && accept("/")) {
      left = divide(left, parse_unary());
    } else if (token_.is("*")) {
      left = parse_factors(std::move(left));
    } else {
      break;
    }
  }
  return left;
}

// first * … , where without a `first` it is read too.
Quantity Parser::parse_factors(std::optional<Quantity> first) {
  Quantities factors = {first ? *std::move(first) : parse_unary()};
  while (ok() && accept("*")) factors.push_back(parse_unary());
  return factors.size() == 1 ? factors[0] : multiply_all(factors);
}

Quantity Parser::parse_unary() {
  if (++depth_ > kMaxDepth) return fail("nested deeper than 200 levels");
  Quantity result;
  if (accept("-")) {
    if (token_.kind == TokenKind::kNumber) {
      Token number = std::exchange(token_, next_token(source_, token_.end));
      bool is_power = token_.is("**");  // binds more tightly than the sign
      result = parse_number(number, !is_power);
      if (is_power) {
        advance();
        result = multiply({-1}, power(result, parse_unary()));
      }
    } else {
      result = multiply({-1}, parse_unary());
    }
  } else if (accept("+")) {
    result = parse_unary();
  } else if (language_ == kSympy && accept("~")) {
    result = made(logical_not(integer(parse_unary())));
  } else {
    result = parse_power();
  }
  --depth_;
  return result;
}

Quantity Parser::parse_power() {
  Quantity base = parse_primary();
  if (!ok() || !accept("**")) return base;
  return power(base, parse_unary());
}

Quantity Parser::parse_primary() {
  switch (token_.kind) {
    case TokenKind::kNumber: {
      Token number = token_;
      advance();
      return parse_number(number, false);
    }
    case TokenKind::kName:
      return parse_name();
    case TokenKind::kString:
      if (language_ == kOwnText) {
        Quantity symbol = made(Expr::symbol(string_value(token_)));
        advance();
        return symbol;
      }
      break;
    case TokenKind::kOperator:
      if (accept("(")) return parse_parenthesized();
      break;
    case TokenKind::kEnd:
      return fail("ends too early");
    case TokenKind::kBad:
      break;
  }
  return fail("unexpected '" + shortened(token_.text) + "'");
}

// After "(": an expression, or the (value, condition) pair of a Piecewise.
Quantity Parser::parse_parenthesized() {
  Quantity inner = parse_or();
  if (language_ == kSympy && ok() && !inner.condition && accept(",")) {
    inner.condition = integer(parse_or());
  }
  expect(")");
  return inner;
}

Quantity Parser::parse_number(const Token& token, bool is_negative) {
  if (token.text.find('.') != std::string_view::npos) {
    if (language_ == kOwnText) return fail_not_integer(token.text);
    Quantity value = decimal(token.text);
    if (is_negative) value.numerator = -value.numerator;
    return value;
  }
  uint64_t value = 0;
  uint64_t limit = static_cast<uint64_t>(INT64_MAX) + (is_negative ? 1 : 0);
  for (char c : token.text) {
    auto digit = static_cast<uint64_t>(c - '0');
    if (value > (limit - digit) / 10) return fail("a number does not fit in int64");
    value = value * 10 + digit;
  }
  return made(static_cast<int64_t>(is_negative ? ~value + 1 : value));
}

Quantity Parser::parse_name() {
  std::string_view name = token_.text;
  advance();
  if (name == "True" || name == "true") return {1};
  if (name == "False" || name == "false") return {0};
  if (language_ == kGuardCode) {
    if (name == "L") return parse_access();
    size_t start = static_cast<size_t>(name.data() - source_.data());
    while (accept(".")) {  // math.floor
      name = source_.substr(start, token_.end - start);
      advance();
    }
  }
  if (accept("(")) return parse_call(name);
  bool is_reserved = !is_plain_name(name) || language_ == kGuardCode;
  if (is_reserved) return fail("unexpected '" + shortened(name) + "'");
  bool is_float = name.starts_with("zf") || name.starts_with("zuf");
  bool is_infinity = name == "oo" || name == "int_oo" || name == "zoo" || name == "nan";
  if (language_ == kSympy && (is_float || is_infinity)) return fail_not_integer(name);
  return made(Expr::symbol(name));
}

Result<Expr> parse(std::string_view text) { return Parser(text, kOwnText).parse_all(); }

}  // namespace ingot::sym
