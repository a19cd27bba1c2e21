// Sums seen as lists of terms, and terms as a constant times a sorted list of factors.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "symbolic/expr.h"

namespace ingot::sym {

class Facts;

// Rounds down; the divisor is positive.
inline int64_t floor_quotient(int64_t a, int64_t b) { return a % b < 0 ? a / b - 1 : a / b; }
inline uint64_t magnitude(int64_t value) {
  return value < 0 ? ~static_cast<uint64_t>(value) + 1 : static_cast<uint64_t>(value);
}

// A view of one term of a sum; the factors live as long as the Expr it was made of (at its place).
struct TermView {
  int64_t coefficient = 1;
  std::span<const Expr> factors;  // sorted; empty for a constant
};
TermView term_of(const Expr& term);

// The terms of a sum, or the one term that `expr` is; none for 0. Lives as long as `expr` there.
std::span<const Expr> terms_of(const Expr& expr);

// The order of terms in a sum; constants come last.
int compare_factors(std::span<const Expr> a, std::span<const Expr> b);

// coefficient * factors; the factors are sorted.
Expr make_term(int64_t coefficient, std::span<const Expr> factors);

// Sums canonical terms in any order, none of them a sum itself, using what `facts` say.
Expr sum_terms(std::vector<Expr> terms, const Facts& facts);
// The sum of some of the terms of a canonical sum, in their order.
Expr sum_of_canonical(std::vector<Expr> terms);
Expr add(const Expr& a, const Expr& b, const Facts& facts);
Expr multiply(const Expr& a, const Expr& b, const Facts& facts);

// term / divisor, both single terms, when that leaves no remainder.
std::optional<Expr> divide_term(const Expr& term, const Expr& divisor);

// -expr, or nothing when a coefficient has no negative in int64.
std::optional<Expr> negate(const Expr& expr);

// Looks for quotients and remainders that belong together, such as 4*(x//4) + x%4, which is x, in
// the sorted terms of a sum. The new sum, or nothing when there are none.
std::optional<Expr> recombine(std::span<const Expr> terms, const Facts& facts);

}  // namespace ingot::sym
