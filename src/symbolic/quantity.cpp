// The parser's arithmetic on rational quantities.
#include <numeric>

#include "symbolic/parser.h"

namespace ingot::sym {
namespace {

constexpr int64_t kMaxExponent = 64;
// Doubles hold every integer up to here, so a quotient's floor is exact.
constexpr int64_t kMaxExactFloat = int64_t{1} << 53;

}  // namespace

Quantity Parser::add(const Quantity& a, const Quantity& b) {
  if (!ok() || a.condition || b.condition) return fail("a pair where a number belongs");
  Quantity result = made(a.numerator * b.denominator + b.numerator * a.denominator);
  result.denominator = a.denominator * b.denominator;
  result.is_float = a.is_float || b.is_float;
  return result;
}

Quantity Parser::multiply(const Quantity& a, const Quantity& b) {
  if (!ok() || a.condition || b.condition) return fail("a pair where a number belongs");
  Quantity result = made(a.numerator * b.numerator);
  result.denominator = a.denominator * b.denominator;
  result.is_float = a.is_float || b.is_float;
  return result;
}

// In one go, because whether sums are multiplied out depends on all factors.
Quantity Parser::multiply_all(const Quantities& factors) {
  std::vector<Expr> integers;
  Quantity fractions{1};
  for (const Quantity& factor : factors) {
    if (factor.is_integer()) {
      integers.push_back(factor.numerator);
    } else {
      fractions = multiply(fractions, factor);
    }
  }
  Quantity total = made(product(integers));
  return integers.size() == factors.size() ? total : multiply(total, fractions);
}

Quantity Parser::divide(const Quantity& a, const Quantity& b) {
  if (!ok() || a.condition || b.condition) return fail("a pair where a number belongs");
  Quantity result = made(a.numerator * b.denominator);
  result.denominator = made(a.denominator * b.numerator).numerator;
  result.is_float = true;
  return result;
}

Quantity Parser::power(const Quantity& base, const Quantity& exponent) {
  Expr value = integer(base);
  std::optional<int64_t> count = integer(exponent).as_const();
  if (!ok()) return {};
  if (!count) return fail("a power with an exponent that is not constant");
  if (*count < 0) return fail_not_integer("a negative power");
  if (*count > kMaxExponent) return fail("a power above 64");
  std::vector<Expr> factors(static_cast<size_t>(*count), value);
  return made(product(factors));
}

Quantity Parser::compare(std::string_view op, const Quantity& a, const Quantity& b) {
  if (!ok() || a.condition || b.condition) return fail("a pair where a number belongs");
  std::optional<int64_t> p = a.denominator.as_const();
  std::optional<int64_t> q = b.denominator.as_const();
  if (!p || !q || *p <= 0 || *q <= 0) return fail_not_integer("a comparison of fractions");
  Expr x = a.numerator * b.denominator;
  Expr y = b.numerator * a.denominator;
  if (op == "<") return made(lt(x, y));
  if (op == "<=") return made(le(x, y));
  if (op == ">") return made(lt(y, x));
  if (op == ">=") return made(le(y, x));
  return made(op == "==" ? eq(x, y) : ne(x, y));
}

// A decimal fraction that a double holds exactly: 0.5, 2.0, 1.25.
Quantity Parser::decimal(std::string_view text) {
  int64_t numerator = 0;
  int64_t denominator = 1;
  bool after_point = false;
  size_t last = text.find_last_not_of('0');
  if (text.find('.') != std::string_view::npos) text = text.substr(0, last + 1);
  for (char c : text) {
    if (c == '.' && !after_point) {
      after_point = true;
      continue;
    }
    if (c < '0' || c > '9') return fail_not_integer(text);
    numerator = numerator * 10 + (c - '0');
    if (after_point) denominator *= 10;
    if (numerator > kMaxExactFloat || denominator > kMaxExactFloat) return fail_not_integer(text);
  }
  int64_t common = std::gcd(numerator, denominator);
  denominator /= common;
  if ((denominator & (denominator - 1)) != 0) return fail_not_integer(text);
  return {numerator / common, denominator, true, std::nullopt};
}

}  // namespace ingot::sym
