// The symbolic numbers of a program: parses their expressions, knows which symbols the inputs bind,
// and evaluates the Python operators that compute sizes.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>

#include "symbolic/expr.h"

namespace ingot::pt2 {

// A number that the program computes: an integer or condition over symbols, or a constant.
using SymValue = std::variant<sym::Expr, double, bool>;

class SymbolTable {
 public:
  // The expression of a sympy text (srepr or str), or nothing if it is none of integers. Parses
  // each text once.
  std::optional<sym::Expr> parse(const std::string& text);

  // Declares that the inputs determine a symbol.
  void bind(const std::string& symbol) { bound_.insert(symbol); }
  bool is_bound(std::string_view symbol) const { return bound_.contains(symbol); }
  // True if the inputs determine the value of the expression.
  bool is_bound(const sym::Expr& expr) const;

 private:
  std::unordered_map<std::string, std::optional<sym::Expr>> parsed_;
  std::set<std::string, std::less<>> bound_;
};

// True for a target that evaluate_operator knows: "_operator.mul", "torch.sym_max", ….
bool is_symbolic_operator(std::string_view target);

// The result of a Python operator on numbers; nothing if it is not one of integers and conditions
// (a true division, a square root of a symbol).
std::optional<SymValue> evaluate_operator(std::string_view target, std::span<const SymValue> args);

}  // namespace ingot::pt2
