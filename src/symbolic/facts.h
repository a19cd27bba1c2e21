// What is known of the symbols while simplifying, and what follows from it.
#pragma once

#include <unordered_map>

#include "symbolic/expr.h"

namespace ingot::sym {

class Facts {
 public:
  // Nothing is known of any symbol.
  static const Facts& none();
  // Of what `facts` say only which divisors are positive: nothing else is proved, not even that
  // x % 4 is less than 4. `facts` must outlive the object.
  static Facts structural(const Facts& facts);
  // Both must outlive the object.
  Facts(const Ranges& ranges, const Extents& extents);

  bool empty() const { return !ranges_ && !extents_; }
  bool can_prove() const { return !positive_; }

  // An interval that holds every value.
  Range bounds(const Expr& expr) const;
  // The extent of a loop axis; null for any other expression.
  const Expr* find_extent(const Expr& expr) const;
  // True for what some axis has as its extent, which therefore is at least 1.
  bool is_extent(const Expr& expr) const;
  // Proofs; false means "not provable".
  bool is_nonnegative(const Expr& expr) const;
  bool is_positive(const Expr& expr) const;
  bool is_less(const Expr& a, const Expr& b) const;        // a < b
  bool is_less_equal(const Expr& a, const Expr& b) const;  // a <= b

 private:
  Facts() = default;
  friend class BoundsWalk;
  // What is known of a symbol or other atom, within the range that its operands give.
  Range refine(const Expr& atom, const Range& range) const;
  void learn_from_extent(const Expr& extent);
  void learn_lower_limit(const Expr& atom, int64_t limit);

  const Facts* positive_ = nullptr;  // knows of positive divisors; set if nothing else is proved
  const Ranges* ranges_ = nullptr;
  const Extents* extents_ = nullptr;
  std::unordered_map<Expr, Range, ExprHash> known_;  // axes, and atoms that extents tell about
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
