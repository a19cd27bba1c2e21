// The recursive-descent parser behind parse, parse_sympy and parse_guard.
//
// The three languages share Python's operators. They differ in the functions and in the atoms.
// Hostile text costs an error, not time or stack: length, depth and work are limited.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "symbolic/expr.h"
#include "symbolic/guard.h"
#include "symbolic/lexer.h"

namespace ingot::sym {

// A set of languages, as bits.
enum Language : uint8_t { kOwnText = 1, kSympy = 2, kGuardCode = 4 };

// A rational number on its way to becoming an integer: numerator / denominator.
struct Quantity {
  Expr numerator;
  Expr denominator = 1;
  bool is_float = false;  // of a floating-point type, even where its value is an integer
  std::optional<Expr> condition = {};  // of a (value, condition) pair of a Piecewise

  bool is_integer() const { return !is_float && !condition && denominator.is_const(1); }
};

class Parser {
 public:
  Parser(std::string_view source, Language language, const SymbolOf* symbol_of = nullptr);
  // The expression that the whole text is.
  Result<Expr> parse_all();

 private:
  friend struct FunctionTable;
  using Quantities = std::vector<Quantity>;

  Quantity parse_or();
  Quantity parse_junction(ExprKind kind);
  Quantity parse_not();
  Quantity parse_comparison();
  Quantity parse_bits();
  Quantity parse_additive();
  Quantity parse_multiplicative();
  Quantity parse_factors(std::optional<Quantity> first = {});
  Quantity parse_unary();
  Quantity parse_power();
  Quantity parse_primary();
  Quantity parse_parenthesized();
  Quantity parse_number(const Token& token, bool is_negative);
  Quantity parse_name();
  Quantity parse_call(std::string_view name);
  Quantity parse_access();
  void parse_attribute(std::string& path, int64_t& dim);
  Quantity parse_sympy_symbol();
  Quantity parse_sympy_float();
  void skip_keyword_arguments(bool& is_real);

  // Arithmetic that reports operands it has no meaning for.
  Quantity add(const Quantity& a, const Quantity& b);
  Quantity multiply(const Quantity& a, const Quantity& b);
  Quantity multiply_all(const Quantities& factors);
  Quantity divide(const Quantity& a, const Quantity& b);
  Quantity power(const Quantity& base, const Quantity& exponent);
  Quantity compare(std::string_view op, const Quantity& a, const Quantity& b);
  Quantity decimal(std::string_view text);
  Expr integer(const Quantity& value);
  Quantity made(Expr expr);  // a result, counted against the limits

  bool ok() const { return error_.empty(); }
  Quantity fail(std::string error);
  Quantity fail_not_integer(std::string_view what);
  void advance();
  bool accept(std::string_view op);
  bool accept_name(std::string_view name);
  void expect(std::string_view op);

  std::string_view source_;
  Language language_;
  const SymbolOf* symbol_of_;
  Token token_;
  std::string error_;
  uint32_t depth_ = 0;
  uint64_t work_ = 0;
};

}  // namespace ingot::sym
