// What is known of the symbols while simplifying, and what follows from it.
#pragma once

#include "symbolic/expr.h"

namespace ingot::sym {

class Facts {
 public:
  // Nothing is known of any symbol.
  static const Facts& none();
  // Nothing is proved either, not even that x % 4 is less than 4: what depends on structure alone.
  static const Facts& structural();
  // Both must outlive the object.
  Facts(const Ranges& ranges, const Extents& extents);

  bool empty() const { return !ranges_ && !extents_; }
  bool can_prove() const { return can_prove_; }

  // An interval that holds every value.
  Range bounds(const Expr& expr) const;
  // The extent of a loop axis; null for any other expression.
  const Expr* find_extent(const Expr& expr) const;
  // Proofs; false means "not provable".
  bool is_nonnegative(const Expr& expr) const;
  bool is_positive(const Expr& expr) const;
  bool is_less(const Expr& a, const Expr& b) const;        // a < b
  bool is_less_equal(const Expr& a, const Expr& b) const;  // a <= b

 private:
  Facts() = default;
  Range symbol_bounds(const Expr& symbol) const;
  Range size_bounds(const Expr& symbol) const;
  void learn_from_extent(const Expr& extent);

  bool can_prove_ = true;
  const Ranges* ranges_ = nullptr;
  const Extents* extents_ = nullptr;
  Ranges learned_;  // sizes that must be positive because a loop over them runs
};

// Builders that use facts; the public ones use none.
Expr floor_div(const Expr& a, const Expr& b, const Facts& facts);
Expr mod(const Expr& a, const Expr& b, const Facts& facts);
// kMin or kMax of one or more.
Expr extremum(ExprKind kind, std::span<const Expr> operands, const Facts& facts);
// kAnd or kOr of one or more.
Expr junction(ExprKind kind, std::span<const Expr> operands);
// kLt, kLe, kEq or kNe.
Expr relation(ExprKind kind, const Expr& a, const Expr& b, const Facts& facts);

}  // namespace ingot::sym
