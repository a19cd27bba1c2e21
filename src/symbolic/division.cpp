// Floor division and remainder: the rules that index arithmetic needs.
//
// With a = q*b + r, a // b is q + r // b and a % b is r % b for any q, so both begin by taking all
// multiples of b out of a. The rest of the rules rely on a positive divisor where they say so.
#include "symbolic/facts.h"
#include "symbolic/node.h"
#include "symbolic/polynomial.h"
#include "symbolic/term.h"

namespace ingot::sym {
namespace {

// The sign that a divisor is normalised by.
bool has_negative_lead(const Expr& b) { return term_of(leading_term(b)).coefficient < 0; }

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
