// Quotients and remainders of one division that meet in a sum.
#include <algorithm>

#include "symbolic/facts.h"
#include "symbolic/node.h"
#include "symbolic/term.h"

namespace ingot::sym {
namespace {

// The coefficient of the term with these factors, 0 where there is none.
int64_t coefficient_in(std::span<const Expr> terms, std::span<const Expr> factors) {
  auto found = std::lower_bound(terms.begin(), terms.end(), factors,
                                [](const Expr& term, std::span<const Expr> key) {
                                  return compare_factors(term_of(term).factors, key) < 0;
                                });
  if (found == terms.end() || compare_factors(term_of(*found).factors, factors) != 0) return 0;
  return term_of(*found).coefficient;
}

bool covers(int64_t present, int64_t wanted) {
  return wanted > 0 ? present >= wanted : present <= wanted;
}

// True when the sum holds `part` and perhaps more of the same.
bool contains(std::span<const Expr> terms, const Expr& part) {
  std::span<const Expr> wanted = terms_of(part);
  return !wanted.empty() && std::all_of(wanted.begin(), wanted.end(), [&](const Expr& term) {
    TermView view = term_of(term);
    return covers(coefficient_in(terms, view.factors), view.coefficient);
  });
}

// True when the sum's terms are exactly those of `part`, constants aside.
bool contains_exactly(std::span<const Expr> terms, const Expr& part) {
  bool any = false;
  for (const Expr& term : terms_of(part)) {
    if (term.is_const()) continue;
    any = true;
    TermView view = term_of(term);
    if (coefficient_in(terms, view.factors) != view.coefficient) return false;
  }
  return any;
}

// A division among a term's factors, and what multiplies it.
struct Scaled {
  Expr division;
  Expr dividend;
  Expr divisor;
  Expr scale;
};

Scaled split_off(const Expr& term, size_t position) {
  TermView view = term_of(term);
  const Expr& division = view.factors[position];
  std::vector<Expr> rest(view.factors.begin(), view.factors.end());
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(position));
  rest.emplace_back(view.coefficient);
  return {division, division.operands()[0], division.operands()[1], product(rest)};
}

// Without proofs: these compare sums, which are looked at here again, and so on in nested
// divisions.
Expr quotient_of(const Scaled& part, const Facts& facts) {
  return floor_div(part.dividend, part.divisor, Facts::structural(facts));
}

// The sum without `part` and `term` (which together would be what is being replaced), plus `added`.
Expr replace(std::span<const Expr> terms, const Expr& part, const Expr& term, const Expr& added,
             const Facts& facts) {
  std::vector<Expr> all(terms.begin(), terms.end());
  for (const Expr& one : terms_of(part)) all.push_back(-one);
  all.push_back(-term);
  for (const Expr& one : terms_of(added)) all.push_back(one);
  return sum_terms(std::move(all), facts);
}

// s*(y % b) + s*b*(y // b) is s*y.
std::optional<Expr> join_with_quotient(std::span<const Expr> terms, const Expr& term,
                                       const Scaled& part, const Facts& facts) {
  Expr quotient = part.scale * part.divisor * quotient_of(part, facts);
  if (!contains(terms, quotient)) return std::nullopt;
  return replace(terms, quotient, term, part.scale * part.dividend, facts);
}

// s*(y % b) + s*b*((y // b) % e) is s*(y % (b*e)) for a positive e.
std::optional<Expr> join_with_remainder(std::span<const Expr> terms, const Expr& term,
                                        const Scaled& part, const Facts& facts) {
  Expr quotient = quotient_of(part, facts);
  for (const Expr& other : terms) {
    std::span<const Expr> factors = term_of(other).factors;
    for (size_t i = 0; i < factors.size(); ++i) {
      if (factors[i].kind() != ExprKind::kMod) continue;
      Scaled outer = split_off(other, i);
      bool fits = outer.dividend == quotient && outer.scale == part.scale * part.divisor;
      if (!fits || !facts.is_positive(outer.divisor)) continue;
      Expr joined = part.scale * mod(part.dividend, part.divisor * outer.divisor, facts);
      return replace(terms, other, term, joined, facts);
    }
  }
  return std::nullopt;
}

// s*y - s*b*(y // b) is s*(y % b).
std::optional<Expr> make_remainder(std::span<const Expr> terms, const Expr& term,
                                   const Scaled& part, const Facts& facts) {
  std::optional<Expr> scale = divide_term(part.scale, part.divisor);
  if (!scale) return std::nullopt;
  Expr removed = -*scale * part.dividend;
  if (!contains_exactly(terms, removed)) return std::nullopt;
  return replace(terms, removed, term, -*scale * mod(part.dividend, part.divisor), facts);
}

bool is_division_by(const Expr& factor, ExprKind kind) {
  return factor.kind() == kind && !factor.operands()[1].is_const(0);
}

template <typename Rule>
std::optional<Expr> apply_to(ExprKind kind, std::span<const Expr> terms, const Facts& facts,
                             const Rule& rule) {
  for (const Expr& term : terms) {
    std::span<const Expr> factors = term_of(term).factors;
    for (size_t i = 0; i < factors.size(); ++i) {
      if (!is_division_by(factors[i], kind)) continue;
      if (i > 0 && factors[i] == factors[i - 1]) continue;
      if (std::optional<Expr> sum = rule(terms, term, split_off(term, i), facts)) return sum;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Expr> recombine(std::span<const Expr> terms, const Facts& facts) {
  bool has_division = std::any_of(terms.begin(), terms.end(), [](const Expr& term) {
    return (flags_of(term) & kHasDivision) != 0;
  });
  if (!has_division) return std::nullopt;
  if (auto sum = apply_to(ExprKind::kMod, terms, facts, join_with_quotient)) return sum;
  if (auto sum = apply_to(ExprKind::kMod, terms, facts, join_with_remainder)) return sum;
  return apply_to(ExprKind::kFloorDiv, terms, facts, make_remainder);
}

}  // namespace ingot::sym
