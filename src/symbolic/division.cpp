// Floor division and remainder: the rules that index arithmetic needs.
//
// With a = q*b + r, a // b is q + r // b and a % b is r % b for any q, so both begin by taking all
// multiples of b out of a. The rest of the rules rely on a positive divisor where they say so.
#include <algorithm>
#include <numeric>
#include <utility>

#include "symbolic/facts.h"
#include "symbolic/node.h"
#include "symbolic/term.h"

namespace ingot::sym {
namespace {

// Both by a positive divisor.
int64_t floor_quotient(int64_t a, int64_t b) { return a % b < 0 ? a / b - 1 : a / b; }
int64_t floor_remainder(int64_t a, int64_t b) { return a % b < 0 ? a % b + b : a % b; }

struct Division {
  Expr quotient;
  Expr remainder;
};

// The term by which a polynomial is divided first: the first one of most factors.
const Expr& leading_term(const Expr& expr) {
  std::span<const Expr> terms = terms_of(expr);
  return *std::max_element(terms.begin(), terms.end(), [](const Expr& a, const Expr& b) {
    return term_of(a).factors.size() < term_of(b).factors.size();
  });
}

// By a single term: every term of `a` by itself. A constant is split by a constant. What remains
// of a canonical sum is one; nothing in it can combine that did not before.
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

Division divide(const Expr& a, const Expr& b) {
  if (b.kind() != ExprKind::kAdd) return divide_by_term(a, b);
  Division by_factor = divide_by_factor(a, b);
  Division rest = divide_by_sum(by_factor.remainder, b);
  return {by_factor.quotient + rest.quotient, rest.remainder};
}

// The sign that a divisor is normalised by.
bool has_negative_lead(const Expr& b) { return term_of(leading_term(b)).coefficient < 0; }

uint64_t magnitude(int64_t value) {
  return value < 0 ? ~static_cast<uint64_t>(value) + 1 : static_cast<uint64_t>(value);
}

// The factors that occur in both sorted lists.
std::vector<Expr> intersect(std::span<const Expr> a, std::span<const Expr> b) {
  std::vector<Expr> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both),
                        ExprLess());
  return both;
}

// The largest term that divides all terms of both. A constant term of `a` is left out of account
// when `b` is a constant, because its remainder can be split off.
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

// The product of two divisors, unless a coefficient leaves int64.
std::optional<Expr> multiply_divisors(const Expr& a, const Expr& b) {
  Expr result = a * b;
  if ((flags_of(result) & kHasOverflow) != 0) return std::nullopt;
  return result;
}

bool is_positive(const Expr& b, const Facts& facts) {
  if (std::optional<int64_t> value = b.as_const()) return *value > 0;
  return facts.is_positive(b);
}

// a == high + low, where g divides high, 0 <= low < g, g divides the divisor and what remains of it
// is positive: then a // b is (high/g) // (b/g) and a % b is g * ((high/g) % (b/g)) + low.
struct Split {
  Expr high;     // divided by g
  Expr divisor;  // divided by g
  Expr low;
  Expr factor;  // g
};

std::optional<Split> try_split(const Expr& a, const Expr& b, const Expr& factor,
                               const Facts& facts) {
  std::optional<Expr> divisor = divide_term(b, factor);
  if (!divisor || divisor->is_const(1)) return std::nullopt;
  Division parts = divide_by_term(a, factor);
  if (parts.quotient.is_const(0) || !is_positive(*divisor, facts)) return std::nullopt;
  if (!facts.is_nonnegative(parts.remainder) || !facts.is_less(parts.remainder, factor)) {
    return std::nullopt;
  }
  return Split{parts.quotient, *divisor, parts.remainder, factor};
}

// The split with the factor that some term of `a` shares with `b`.
std::optional<Split> find_split(const Expr& a, const Expr& b, const Facts& facts) {
  if (b.kind() == ExprKind::kAdd || a.kind() != ExprKind::kAdd) return std::nullopt;
  bool may_know = facts.can_prove() && (!facts.empty() || flags_of(a) != 0);
  if (!may_know) return std::nullopt;
  for (const Expr& term : terms_of(a)) {
    Expr factor = common_factor(term, b);
    if (factor.is_const(1) || term.is_const()) continue;
    if (std::optional<Split> split = try_split(a, b, factor, facts)) return split;
  }
  return std::nullopt;
}

// The quotient where the interval, or a proof, leaves but one: 0 or -1, or any by a constant.
std::optional<int64_t> known_quotient(const Expr& a, const Expr& b, const Facts& facts) {
  bool may_know = facts.can_prove() && (!facts.empty() || flags_of(a) != 0);
  if (!may_know) return std::nullopt;
  if (std::optional<int64_t> divisor = b.as_const()) {
    Range range = facts.bounds(a);
    if (range.lo == INT64_MIN || range.hi == INT64_MAX) return std::nullopt;
    int64_t low = floor_quotient(range.lo, *divisor);
    if (low == floor_quotient(range.hi, *divisor)) return low;
    return std::nullopt;
  }
  if (facts.is_nonnegative(a)) {
    if (facts.is_less(a, b)) return 0;
  } else if (facts.is_less(a, 0) && facts.is_nonnegative(a + b)) {
    return -1;
  }
  return std::nullopt;
}

// (x // d + k) // b is (x + d*k) // (d*b) for a positive b; k must be 0 unless d is a constant.
std::optional<Expr> merge_nested(const Expr& a, const Expr& b, const Facts& facts) {
  std::span<const Expr> terms = terms_of(a);
  if (terms.empty() || terms.size() > 2 || terms[0].kind() != ExprKind::kFloorDiv) {
    return std::nullopt;
  }
  const Expr& inner = terms[0].operands()[1];
  if (!is_positive(b, facts)) return std::nullopt;
  Expr shift = 0;
  if (terms.size() == 2) {
    if (!inner.is_const() || !terms[1].is_const()) return std::nullopt;
    shift = inner * terms[1];
    if (!shift.is_const()) return std::nullopt;
  }
  std::optional<Expr> divisor = multiply_divisors(inner, b);
  if (!divisor || inner.is_const(0)) return std::nullopt;
  return floor_div(add(terms[0].operands()[0], shift, facts), *divisor, facts);
}

// (x % (b*e)) // b is (x // b) % e for a positive e.
std::optional<Expr> divide_remainder(const Expr& a, const Expr& b, const Facts& facts) {
  if (a.kind() != ExprKind::kMod) return std::nullopt;
  Division rest = divide(a.operands()[1], b);
  if (!rest.remainder.is_const(0) || !is_positive(rest.quotient, facts)) return std::nullopt;
  return mod(floor_div(a.operands()[0], b, facts), rest.quotient, facts);
}

// No multiple of `b` is left in `a`, which is not 0.
Expr floor_div_reduced(const Expr& a, const Expr& b, const Facts& facts) {
  Expr factor = common_factor(a, b);
  if (!factor.is_const(1)) {
    // What is left of a constant is less than the factor, and falls away.
    return floor_div(divide(a, factor).quotient, divide(b, factor).quotient, facts);
  }
  if (std::optional<int64_t> known = known_quotient(a, b, facts)) return *known;
  if (std::optional<Expr> merged = merge_nested(a, b, facts)) return *merged;
  if (std::optional<Expr> swapped = divide_remainder(a, b, facts)) return *swapped;
  if (std::optional<Split> split = find_split(a, b, facts)) {
    return floor_div(split->high, split->divisor, facts);
  }
  return make_node(ExprKind::kFloorDiv, a, b);
}

// Terms of so many factors, together with what takes the place of one, are left alone: powers of
// remainders would grow without end.
constexpr size_t kMaxFactors = 24;

size_t degree(const Expr& expr) {
  size_t most = 0;
  for (const Expr& term : terms_of(expr)) most = std::max(most, term_of(term).factors.size());
  return most;
}

// In a % b, k * (x % m) is k * x where b divides k * m.
Expr drop_inner_remainders(const Expr& a, const Expr& b, const Facts& facts) {
  Expr result = a;
  for (const Expr& term : terms_of(a)) {
    TermView view = term_of(term);
    for (size_t i = 0; i < view.factors.size(); ++i) {
      const Expr& factor = view.factors[i];
      if (factor.kind() != ExprKind::kMod || factor.operands()[1].is_const(0)) continue;
      if (view.factors.size() + degree(factor.operands()[0]) > kMaxFactors) continue;
      std::vector<Expr> rest(view.factors.begin(), view.factors.end());
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      rest.emplace_back(view.coefficient);
      Expr scale = product(rest);
      if (!divide(scale * factor.operands()[1], b).remainder.is_const(0)) continue;
      result = add(result, scale * factor.operands()[0] - term, facts);
      break;
    }
  }
  return result;
}

// No multiple of `b` is left in `a`, which is not 0.
Expr mod_reduced(const Expr& a, const Expr& b, const Facts& facts) {
  if ((flags_of(a) & kHasDivision) != 0) {
    Expr simpler = drop_inner_remainders(a, b, facts);
    if (!(simpler == a)) return mod(simpler, b, facts);
  }
  Expr factor = common_factor(a, b);
  if (!factor.is_const(1)) {
    Division parts = divide(a, factor);
    Expr inner = mod(parts.quotient, divide(b, factor).quotient, facts);
    return add(multiply(factor, inner, facts), parts.remainder, facts);
  }
  if (std::optional<int64_t> known = known_quotient(a, b, facts)) {
    return add(a, multiply(b, -*known, facts), facts);
  }
  if (std::optional<Split> split = find_split(a, b, facts)) {
    Expr inner = mod(split->high, split->divisor, facts);
    return add(multiply(split->factor, inner, facts), split->low, facts);
  }
  return make_node(ExprKind::kMod, a, b);
}

}  // namespace

Expr floor_div(const Expr& a, const Expr& b, const Facts& facts) {
  if (b.is_const(0)) return make_node(ExprKind::kFloorDiv, a, b);
  if (a.is_const(0)) return 0;
  if (b.is_const(1)) return a;
  if (has_negative_lead(b)) {
    std::optional<Expr> negative = negate(b);
    if (negative) return floor_div(-a, *negative, facts);
    return make_node(ExprKind::kFloorDiv, a, b);
  }
  Division parts = divide(a, b);
  if (parts.remainder.is_const(0)) return parts.quotient;
  return add(parts.quotient, floor_div_reduced(parts.remainder, b, facts), facts);
}

Expr mod(const Expr& a, const Expr& b, const Facts& facts) {
  if (b.is_const(0)) return make_node(ExprKind::kMod, a, b);
  if (a.is_const(0) || b.is_const(1)) return 0;
  if (has_negative_lead(b)) {
    std::optional<Expr> negative = negate(b);
    if (negative) return -mod(-a, *negative, facts);
    return make_node(ExprKind::kMod, a, b);
  }
  Division parts = divide(a, b);
  if (parts.remainder.is_const(0)) return 0;
  return mod_reduced(parts.remainder, b, facts);
}

Expr floor_div(const Expr& a, const Expr& b) { return floor_div(a, b, Facts::none()); }
Expr mod(const Expr& a, const Expr& b) { return mod(a, b, Facts::none()); }

}  // namespace ingot::sym
