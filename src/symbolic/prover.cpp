#include "symbolic/prover.h"

#include <algorithm>

#include "symbolic/node.h"
#include "symbolic/term.h"

namespace ingot::sym {
namespace {

// The ranks up to which an atom stands for positions in a loop rather than for sizes.
constexpr int kLastIndexRank = 2;

}  // namespace

// Axes, remainders and quotients cancel against sizes, so they are replaced first.
int Prover::rank_of(const Expr& atom) const {
  switch (atom.kind()) {
    case ExprKind::kSymbol:
      return facts_.find_extent(atom) ? 0 : 4;
    case ExprKind::kMod:
      return 1;
    case ExprKind::kFloorDiv:
      return kLastIndexRank;
    default:
      return 3;
  }
}

std::vector<Expr> Prover::ranked_atoms(const Expr& expr) const {
  std::vector<Expr> atoms;
  for (const Expr& term : terms_of(expr)) {
    for (const Expr& factor : term_of(term).factors) {
      if (std::find(atoms.begin(), atoms.end(), factor) == atoms.end()) atoms.push_back(factor);
    }
  }
  std::stable_sort(atoms.begin(), atoms.end(),
                   [this](const Expr& a, const Expr& b) { return rank_of(a) < rank_of(b); });
  return atoms;
}

std::optional<Prover::Split> Prover::split_by(const Expr& expr, const Expr& atom) {
  std::vector<Expr> coefficient;
  std::vector<Expr> rest;
  for (const Expr& term : terms_of(expr)) {
    std::span<const Expr> factors = term_of(term).factors;
    auto count = std::count(factors.begin(), factors.end(), atom);
    if (count > 1) return std::nullopt;
    if (count == 0) {
      rest.push_back(term);
      continue;
    }
    std::optional<Expr> quotient = divide_term(term, atom);
    if (!quotient) return std::nullopt;
    coefficient.push_back(*std::move(quotient));
  }
  return Split{sum(coefficient), sum(rest)};
}

std::optional<Prover::Side> Prover::least_side(const Expr& coefficient) {
  if (is_nonnegative(coefficient)) return Side::kLower;
  if (is_nonnegative(-coefficient)) return Side::kUpper;
  return std::nullopt;
}

bool Prover::is_nonnegative(const Expr& expr) {
  if (std::optional<int64_t> value = expr.as_const()) return *value >= 0;
  Range range = facts_.bounds(expr);
  if (range.lo >= 0 || range.hi < 0) return range.lo >= 0;
  for (const Expr& atom : ranked_atoms(expr)) {
    if (--steps_ < 0) return false;
    std::optional<Split> split = split_by(expr, atom);
    if (!split || split->coefficient == expr) continue;
    std::optional<Side> side = least_side(split->coefficient);
    if (side && holds_at_limit(atom, *split, *side)) return true;
  }
  return false;
}

// Whether coefficient * atom + rest >= 0 follows from the atom's limit on that side. A minimum is
// at most either of its operands, and is one of them.
bool Prover::holds_at_limit(const Expr& atom, const Split& split, Side side) {
  auto holds_for = [&](const Expr& value) {
    return is_nonnegative(split.coefficient * value + split.rest);
  };
  std::span<const Expr> x = atom.operands();
  switch (atom.kind()) {
    case ExprKind::kMin:
    case ExprKind::kMax: {
      bool needs_both = (atom.kind() == ExprKind::kMin) == (side == Side::kLower);
      bool first = holds_for(x[0]);
      if (first != needs_both) return first;
      return holds_for(x[1]);
    }
    case ExprKind::kSelect:
      return holds_for(x[1]) && holds_for(x[2]);
    default: {
      std::optional<Expr> limit = limit_of(atom, side);
      return limit && holds_for(*limit);
    }
  }
}

std::optional<Expr> Prover::limit_of(const Expr& atom, Side side) {
  if (const Expr* extent = facts_.find_extent(atom)) {
    return side == Side::kLower ? Expr(0) : *extent - 1;
  }
  std::span<const Expr> x = atom.operands();
  bool is_division = atom.kind() == ExprKind::kMod || atom.kind() == ExprKind::kFloorDiv;
  if (is_division && (facts_.is_extent(x[1]) || is_nonnegative(x[1] - 1))) {
    if (atom.kind() == ExprKind::kMod) return side == Side::kLower ? Expr(0) : x[1] - 1;
    if (std::optional<Expr> extreme = extreme_of(x[0], side)) return floor_div(*extreme, x[1]);
  }
  Range range = facts_.bounds(atom);
  int64_t limit = side == Side::kLower ? range.lo : range.hi;
  if (limit == INT64_MIN || limit == INT64_MAX) return std::nullopt;
  return limit;
}

// A bound of `expr` on that side without loop axes, or nothing when it has none to replace.
std::optional<Expr> Prover::extreme_of(Expr expr, Side side) {
  bool changed = false;
  for (const Expr& atom : ranked_atoms(expr)) {
    if (rank_of(atom) > kLastIndexRank || --steps_ < 0) break;
    std::optional<Split> split = split_by(expr, atom);
    if (!split) return std::nullopt;
    std::optional<Side> least = least_side(split->coefficient);
    if (!least) return std::nullopt;
    bool takes_lower = (*least == Side::kLower) == (side == Side::kLower);
    std::optional<Expr> limit = limit_of(atom, takes_lower ? Side::kLower : Side::kUpper);
    if (!limit) return std::nullopt;
    expr = split->coefficient * *limit + split->rest;
    changed = true;
  }
  if (!changed) return std::nullopt;
  return expr;
}

}  // namespace ingot::sym
