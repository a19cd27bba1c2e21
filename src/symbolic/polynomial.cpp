#include "symbolic/polynomial.h"

#include <algorithm>
#include <numeric>

#include "symbolic/term.h"

namespace ingot::sym {
namespace {

// By a positive divisor.
int64_t floor_remainder(int64_t a, int64_t b) { return a % b < 0 ? a % b + b : a % b; }

// The factors that occur in both sorted lists.
std::vector<Expr> intersect(std::span<const Expr> a, std::span<const Expr> b) {
  std::vector<Expr> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both),
                        ExprLess());
  return both;
}

// One quotient term of a / b by the leading term of b; `shrinks` asks for fewer terms to remain.
std::optional<Division> divide_step(const Expr& a, const Expr& b, bool shrinks) {
  const Expr& lead = leading_term(b);
  for (const Expr& term : terms_of(a)) {
    std::optional<Expr> q = divide_term(term, lead);
    if (!q) continue;
    Expr rest = a - *q * b;
    if (!shrinks || terms_of(rest).size() < terms_of(a).size()) return Division{*q, rest};
  }
  return std::nullopt;
}

// By a sum: long division, as far as it makes the remainder shorter, or all the way to zero.
Division divide_by_sum(const Expr& a, const Expr& b) {
  Division result{0, a};
  while (std::optional<Division> step = divide_step(result.remainder, b, true)) {
    result = {result.quotient + step->quotient, step->remainder};
  }
  Division exact = result;
  for (int steps = 0; steps < 16 && !exact.remainder.is_const(0); ++steps) {
    std::optional<Division> step = divide_step(exact.remainder, b, false);
    if (!step) break;
    exact = {exact.quotient + step->quotient, step->remainder};
  }
  return exact.remainder.is_const(0) ? exact : result;
}

// Multiples of `b` kept as a factor, because the product was too long to multiply out.
Division divide_by_factor(const Expr& a, const Expr& b) {
  std::vector<Expr> quotient;
  std::vector<Expr> remainder;
  for (const Expr& term : terms_of(a)) {
    TermView view = term_of(term);
    auto found = std::find(view.factors.begin(), view.factors.end(), b);
    if (found == view.factors.end()) {
      remainder.push_back(term);
      continue;
    }
    std::vector<Expr> rest(view.factors.begin(), found);
    rest.insert(rest.end(), found + 1, view.factors.end());
    rest.emplace_back(view.coefficient);
    quotient.push_back(product(rest));
  }
  if (quotient.empty()) return {0, a};
  return {sum(quotient), sum_of_canonical(std::move(remainder))};
}

}  // namespace

const Expr& leading_term(const Expr& expr) {
  std::span<const Expr> terms = terms_of(expr);
  return *std::max_element(terms.begin(), terms.end(), [](const Expr& a, const Expr& b) {
    return term_of(a).factors.size() < term_of(b).factors.size();
  });
}

Division divide_by_term(const Expr& a, const Expr& b) {
  std::vector<Expr> quotient;
  std::vector<Expr> remainder;
  for (const Expr& term : terms_of(a)) {
    std::optional<int64_t> value = term.as_const();
    if (value && b.is_const()) {
      int64_t q = floor_quotient(*value, *b.as_const());
      int64_t r = floor_remainder(*value, *b.as_const());
      if (q != 0) quotient.emplace_back(q);
      if (r != 0) remainder.emplace_back(r);
    } else if (std::optional<Expr> q = divide_term(term, b); q) {
      quotient.push_back(*std::move(q));
    } else {
      remainder.push_back(term);
    }
  }
  if (quotient.empty()) return {0, a};
  return {sum(quotient), sum_of_canonical(std::move(remainder))};
}

Division divide(const Expr& a, const Expr& b) {
  if (b.kind() != ExprKind::kAdd) return divide_by_term(a, b);
  Division by_factor = divide_by_factor(a, b);
  Division rest = divide_by_sum(by_factor.remainder, b);
  return {by_factor.quotient + rest.quotient, rest.remainder};
}

Expr common_factor(const Expr& a, const Expr& b) {
  uint64_t constant = 0;
  std::vector<Expr> factors;
  bool first = true;
  auto include = [&](const Expr& term) {
    TermView view = term_of(term);
    constant = std::gcd(constant, magnitude(view.coefficient));
    factors = first ? std::vector<Expr>(view.factors.begin(), view.factors.end())
                    : intersect(factors, view.factors);
    first = false;
  };
  for (const Expr& term : terms_of(b)) include(term);
  for (const Expr& term : terms_of(a)) {
    if (!term.is_const() || !b.is_const()) include(term);
    if (constant == 1 && factors.empty()) return 1;
  }
  if (constant > INT64_MAX) return 1;
  return make_term(static_cast<int64_t>(constant), factors);
}

size_t degree(const Expr& expr) {
  size_t most = 0;
  for (const Expr& term : terms_of(expr)) most = std::max(most, term_of(term).factors.size());
  return most;
}

}  // namespace ingot::sym
