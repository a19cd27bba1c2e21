// Division of polynomials: sums of terms by a term or a sum.
#pragma once

#include "symbolic/expr.h"

namespace ingot::sym {

// a == quotient * b + remainder.
struct Division {
  Expr quotient;
  Expr remainder;
};

// The term by which a polynomial, not 0, is divided first: the first one of most factors.
const Expr& leading_term(const Expr& expr);

// Takes multiples of `b` out of `a`; what remains has fewer terms, or the quotient is 0. The first
// term of `b` to divide by has a positive coefficient. A constant is split by a constant into
// quotient and remainder, rounding down.
Division divide(const Expr& a, const Expr& b);
// The same by a single term: every term of `a` by itself. What remains of a canonical sum is one;
// nothing in it can combine that did not before.
Division divide_by_term(const Expr& a, const Expr& b);

// The largest term that divides all terms of both. A constant term of `a` is left out of account
// when `b` is a constant, because its remainder can be split off.
Expr common_factor(const Expr& a, const Expr& b);

// The number of factors of the longest term.
size_t degree(const Expr& expr);

}  // namespace ingot::sym
