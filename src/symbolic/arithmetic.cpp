// Sums and products in canonical form: polynomials over symbols and other atoms.
#include <algorithm>

#include "symbolic/facts.h"
#include "symbolic/node.h"
#include "symbolic/term.h"

namespace ingot::sym {
namespace {

// A product of sums is multiplied out up to this many terms, and else kept as factors.
constexpr size_t kMaxExpandedTerms = 32;

using Wide = __int128;

bool fits(Wide value) { return value >= INT64_MIN && value <= INT64_MAX; }

// Constants whose product leaves int64; an atom of its own, which evaluates to an overflow.
bool is_overflowed_product(const Expr& expr) {
  return expr.kind() == ExprKind::kMul && expr.operands()[1].is_const();
}

bool is_sum(const Expr& expr) { return expr.kind() == ExprKind::kAdd; }

// Appends the sum of terms[first, last), which have the same factors.
void append_like_terms(std::span<const Expr> like, std::vector<Expr>& out) {
  if (like.size() == 1) {
    out.push_back(like[0]);
    return;
  }
  Wide total = 0;
  for (const Expr& term : like) total += term_of(term).coefficient;
  if (!fits(total)) {
    out.insert(out.end(), like.begin(), like.end());
  } else if (total != 0) {
    out.push_back(make_term(static_cast<int64_t>(total), term_of(like[0]).factors));
  }
}

bool term_less(const Expr& a, const Expr& b) {
  TermView x = term_of(a);
  TermView y = term_of(b);
  int order = compare_factors(x.factors, y.factors);
  return order != 0 ? order < 0 : x.coefficient < y.coefficient;
}

Expr sum_sorted(std::span<const Expr> terms, const Facts& facts) {
  std::vector<Expr> out;
  out.reserve(terms.size());
  for (size_t first = 0; first < terms.size();) {
    std::span<const Expr> factors = term_of(terms[first]).factors;
    size_t last = first + 1;
    while (last < terms.size() && compare_factors(factors, term_of(terms[last]).factors) == 0) {
      ++last;
    }
    append_like_terms(terms.subspan(first, last - first), out);
    first = last;
  }
  if (out.size() > 1) {
    if (std::optional<Expr> better = recombine(out, facts)) return *better;
  }
  return sum_of_canonical(std::move(out));
}

// A product's parts: the constant, the atoms and the sums among the factors.
struct Factors {
  int64_t coefficient = 1;
  std::vector<Expr> atoms;
  std::vector<Expr> sums;
};

void collect_factors(const Expr& expr, Factors& into) {
  if (is_sum(expr)) {
    into.sums.push_back(expr);
    return;
  }
  TermView term = term_of(expr);
  int64_t product = 0;
  if (!__builtin_mul_overflow(into.coefficient, term.coefficient, &product)) {
    into.coefficient = product;
  } else {
    Expr smaller = std::min(into.coefficient, term.coefficient);
    Expr larger = std::max(into.coefficient, term.coefficient);
    into.atoms.push_back(make_node(ExprKind::kMul, std::move(smaller), std::move(larger)));
    into.coefficient = 1;
  }
  for (const Expr& factor : term.factors) {
    (is_sum(factor) ? into.sums : into.atoms).push_back(factor);
  }
}

// (sum of terms) * coefficient * atoms, where no term is a sum.
Expr distribute(const Expr& expr, int64_t coefficient, std::span<const Expr> atoms,
                const Facts& facts) {
  std::vector<Expr> terms;
  terms.reserve(terms_of(expr).size());
  Expr scale = make_term(coefficient, atoms);
  for (const Expr& term : terms_of(expr)) terms.push_back(multiply(term, scale, facts));
  return sum_terms(std::move(terms), facts);
}

// True when the product of the sums is small enough to be multiplied out.
bool should_expand(std::span<const Expr> sums) {
  size_t count = 1;
  for (const Expr& one : sums) {
    count *= one.operands().size();
    if (count > kMaxExpandedTerms) return false;
  }
  return true;
}

Expr expand(const Expr& a, const Expr& b, const Facts& facts) {
  std::vector<Expr> terms;
  terms.reserve(terms_of(a).size() * terms_of(b).size());
  for (const Expr& x : terms_of(a)) {
    for (const Expr& y : terms_of(b)) {
      Expr product = multiply(x, y, facts);
      for (const Expr& term : terms_of(product)) terms.push_back(term);
    }
  }
  return sum_terms(std::move(terms), facts);
}

Expr multiply_factors(Factors parts, const Facts& facts) {
  if (parts.coefficient == 0) return 0;
  std::sort(parts.atoms.begin(), parts.atoms.end(), ExprLess());
  if (parts.sums.empty()) return make_term(parts.coefficient, parts.atoms);
  if (parts.sums.size() == 1) {
    return distribute(parts.sums[0], parts.coefficient, parts.atoms, facts);
  }
  std::sort(parts.sums.begin(), parts.sums.end(), ExprLess());
  if (should_expand(parts.sums)) {
    Expr result = make_term(parts.coefficient, parts.atoms);
    for (const Expr& one : parts.sums) result = expand(result, one, facts);
    return result;
  }
  parts.atoms.insert(parts.atoms.end(), parts.sums.begin(), parts.sums.end());
  std::sort(parts.atoms.begin(), parts.atoms.end(), ExprLess());
  return make_term(parts.coefficient, parts.atoms);
}

}  // namespace

TermView term_of(const Expr& term) {
  if (std::optional<int64_t> value = term.as_const()) return {*value, {}};
  if (term.kind() != ExprKind::kMul || is_overflowed_product(term)) return {1, {&term, 1}};
  std::span<const Expr> factors = term.operands();
  if (std::optional<int64_t> value = factors[0].as_const()) return {*value, factors.subspan(1)};
  return {1, factors};
}

std::span<const Expr> terms_of(const Expr& expr) {
  if (is_sum(expr)) return expr.operands();
  if (expr.is_const(0)) return {};
  return {&expr, 1};
}

int compare_factors(std::span<const Expr> a, std::span<const Expr> b) {
  if (a.empty() || b.empty()) return a.empty() == b.empty() ? 0 : a.empty() ? 1 : -1;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (int order = compare(a[i], b[i]); order != 0) return order;
  }
  return a.size() == b.size() ? 0 : a.size() < b.size() ? -1 : 1;
}

Expr make_term(int64_t coefficient, std::span<const Expr> factors) {
  if (coefficient == 0 || factors.empty()) return coefficient;
  if (coefficient == 1 && factors.size() == 1) return factors[0];
  std::vector<Expr> operands;
  operands.reserve(factors.size() + 1);
  if (coefficient != 1) operands.emplace_back(coefficient);
  operands.insert(operands.end(), factors.begin(), factors.end());
  return make_node(ExprKind::kMul, std::move(operands));
}

Expr sum_terms(std::vector<Expr> terms, const Facts& facts) {
  std::sort(terms.begin(), terms.end(), term_less);
  return sum_sorted(terms, facts);
}

Expr sum_of_canonical(std::vector<Expr> terms) {
  if (terms.empty()) return 0;
  if (terms.size() == 1) return terms[0];
  return make_node(ExprKind::kAdd, std::move(terms));
}

Expr add(const Expr& a, const Expr& b, const Facts& facts) {
  if (a.is_const(0)) return b;
  if (b.is_const(0)) return a;
  std::span<const Expr> x = terms_of(a);
  std::span<const Expr> y = terms_of(b);
  std::vector<Expr> terms;
  terms.reserve(x.size() + y.size());
  std::merge(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(terms), term_less);
  return sum_sorted(terms, facts);
}

Expr multiply(const Expr& a, const Expr& b, const Facts& facts) {
  if (a.is_const(1)) return b;
  if (b.is_const(1)) return a;
  if (a.is_const(0) || b.is_const(0)) return 0;
  Factors parts;
  collect_factors(a, parts);
  collect_factors(b, parts);
  return multiply_factors(std::move(parts), facts);
}

std::optional<Expr> negate(const Expr& expr) {
  for (const Expr& term : terms_of(expr)) {
    if (term_of(term).coefficient == INT64_MIN) return std::nullopt;
  }
  return multiply(expr, -1, Facts::none());
}

std::optional<Expr> divide_term(const Expr& term, const Expr& divisor) {
  TermView whole = term_of(term);
  TermView by = term_of(divisor);
  bool fails = by.coefficient == 0 || (by.coefficient == -1 && whole.coefficient == INT64_MIN);
  if (fails || whole.coefficient % by.coefficient != 0) return std::nullopt;
  std::vector<Expr> rest;
  bool has_sum = false;
  size_t next = 0;
  for (const Expr& factor : whole.factors) {
    int order = next < by.factors.size() ? compare(factor, by.factors[next]) : -1;
    if (order > 0) return std::nullopt;
    if (order == 0) {
      ++next;
    } else {
      has_sum |= is_sum(factor);
      rest.push_back(factor);
    }
  }
  if (next < by.factors.size()) return std::nullopt;
  int64_t coefficient = whole.coefficient / by.coefficient;
  if (!has_sum) return make_term(coefficient, rest);
  rest.emplace_back(coefficient);
  return product(rest);  // the sums may be multiplied out now
}

Expr operator+(const Expr& a, const Expr& b) { return add(a, b, Facts::none()); }
Expr operator-(const Expr& a) { return multiply(a, -1, Facts::none()); }
Expr operator-(const Expr& a, const Expr& b) { return a + -b; }
Expr operator*(const Expr& a, const Expr& b) { return multiply(a, b, Facts::none()); }

Expr sum(std::span<const Expr> terms) {
  std::vector<Expr> all;
  all.reserve(terms.size());
  for (const Expr& one : terms) {
    std::span<const Expr> parts = terms_of(one);
    all.insert(all.end(), parts.begin(), parts.end());
  }
  return sum_terms(std::move(all), Facts::none());
}

Expr product(std::span<const Expr> sizes) {
  Factors parts;
  for (const Expr& size : sizes) {
    if (size.is_const(0)) return 0;
    collect_factors(size, parts);
  }
  return multiply_factors(std::move(parts), Facts::none());
}

}  // namespace ingot::sym
