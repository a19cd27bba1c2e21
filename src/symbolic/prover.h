// Proves that an expression is never negative, beyond what its interval says.
#pragma once

#include <optional>

#include "symbolic/facts.h"

namespace ingot::sym {

// Where an expression is linear in some atom (a loop axis, a remainder, a bounded size), its least
// value is at the atom's limit: the atom is replaced by that limit, which may be symbolic, until
// the interval of what remains decides. The number of steps is limited.
class Prover {
 public:
  explicit Prover(const Facts& facts) : facts_(facts), steps_(facts.empty() ? 6 : 48) {}
  bool is_nonnegative(const Expr& expr);

 private:
  enum class Side { kLower, kUpper };
  struct Split {  // coefficient * atom + rest
    Expr coefficient;
    Expr rest;
  };

  static std::optional<Split> split_by(const Expr& expr, const Expr& atom);
  int rank_of(const Expr& atom) const;
  std::vector<Expr> ranked_atoms(const Expr& expr) const;
  // The side of the atom at which coefficient * atom is least, if the coefficient's sign is known.
  std::optional<Side> least_side(const Expr& coefficient);
  bool holds_at_limit(const Expr& atom, const Split& split, Side side);
  std::optional<Expr> limit_of(const Expr& atom, Side side);
  std::optional<Expr> extreme_of(Expr expr, Side side);

  const Facts& facts_;
  int steps_;
};

}  // namespace ingot::sym
