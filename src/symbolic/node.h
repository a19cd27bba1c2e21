// The node behind an Expr, and how the builders of this library make one as it is.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "symbolic/expr.h"

namespace ingot::sym {

// What occurs in a node or below it.
enum NodeFlag : uint8_t {
  kHasDivision = 1,  // FloorDiv or Mod
  kHasOther = 2,     // anything but constants, symbols, sums, products and divisions
  kHasOverflow = 4,  // constants whose sum or product leaves int64, kept apart
};

struct SymbolNode : Expr::Node {
  std::string name;
};

// The bit that stands for a symbol in Node::symbols.
uint64_t symbol_bit(std::string_view name);

// A node with these operands, which are moved from.
Expr make_node(ExprKind kind, std::vector<Expr> operands);
Expr make_node(ExprKind kind, Expr a, Expr b);
Expr make_node(ExprKind kind, Expr a, Expr b, Expr c);

inline uint8_t flags_of(const Expr& expr) { return expr.node()->flags; }
inline bool may_use(const Expr& expr, uint64_t symbols) {
  return (expr.node()->symbols & symbols) != 0;
}

// True when the value is always 0 or 1.
bool is_boolean(const Expr& expr);

}  // namespace ingot::sym
