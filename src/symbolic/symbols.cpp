// Questions about the symbols of an expression.
#include <algorithm>
#include <unordered_set>

#include "symbolic/node.h"
#include "symbolic/term.h"

namespace ingot::sym {
namespace {

// Visits every node once and stops when `visit` returns true.
template <typename Visit>
bool any_node(const Expr& expr, std::unordered_set<const Expr::Node*>& seen, const Visit& visit) {
  if (visit(expr)) return true;
  if (expr.node()->symbols == 0) return false;
  for (const Expr& operand : expr.operands()) {
    if (!operand.operands().empty() && !seen.insert(operand.node()).second) continue;
    if (any_node(operand, seen, visit)) return true;
  }
  return false;
}

}  // namespace

void collect_symbols(const Expr& expr, std::set<std::string, std::less<>>& names) {
  std::unordered_set<const Expr::Node*> seen;
  any_node(expr, seen, [&](const Expr& node) {
    if (node.is_symbol()) names.insert(node.symbol_name());
    return false;
  });
}

bool uses_symbol(const Expr& expr, std::string_view name) {
  if (!may_use(expr, symbol_bit(name))) return false;
  if (expr.is_symbol()) return expr.symbol_name() == name;
  std::unordered_set<const Expr::Node*> seen;
  return any_node(expr, seen,
                  [&](const Expr& node) { return node.is_symbol() && node.symbol_name() == name; });
}

std::optional<Linear> split_linear(const Expr& expr, std::string_view symbol) {
  if (!may_use(expr, symbol_bit(symbol))) return Linear{0, expr};
  Expr atom = Expr::symbol(symbol);
  std::vector<Expr> coefficient;
  std::vector<Expr> rest;
  for (const Expr& term : terms_of(expr)) {
    if (!uses_symbol(term, symbol)) {
      rest.push_back(term);
      continue;
    }
    std::optional<Expr> quotient = divide_term(term, atom);
    if (!quotient || uses_symbol(*quotient, symbol)) return std::nullopt;
    coefficient.push_back(*std::move(quotient));
  }
  return Linear{sum(coefficient), sum(rest)};
}

}  // namespace ingot::sym
