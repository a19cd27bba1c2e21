#include "symbolic/facts.h"

#include <algorithm>

#include "symbolic/interval.h"
#include "symbolic/node.h"
#include "symbolic/prover.h"
#include "symbolic/term.h"
#include "symbolic/walk.h"

namespace ingot::sym {
namespace {

// The interval of a product; equal factors are taken together, so that x*x is never negative.
template <typename BoundsOf>
Range product_bounds(std::span<const Expr> factors, const BoundsOf& bounds_of) {
  Range result{1, 1};
  for (size_t first = 0; first < factors.size();) {
    size_t last = first + 1;
    while (last < factors.size() && factors[last] == factors[first]) ++last;
    result = multiply(result, power(bounds_of(factors[first]), last - first));
    first = last;
  }
  return result;
}

}  // namespace

class BoundsWalk {
 public:
  BoundsWalk(const Expr& root, const Facts& facts) : facts_(facts), memo_(root) {}

  Range visit(const Expr& expr) {
    if (std::optional<int64_t> value = expr.as_const()) return {*value, *value};
    if (expr.is_symbol()) return facts_.refine(expr, {});
    if (const Range* known = memo_.find(expr)) return *known;
    Range result = visit_operands(expr);
    bool is_atom = expr.kind() != ExprKind::kAdd && expr.kind() != ExprKind::kMul;
    if (is_atom && !facts_.known_.empty()) result = facts_.refine(expr, result);
    memo_.insert(expr, result);
    return result;
  }

 private:
  Range visit_operands(const Expr& expr) {
    std::span<const Expr> x = expr.operands();
    switch (expr.kind()) {
      case ExprKind::kAdd: {
        Range total{0, 0};
        for (const Expr& term : x) total = add(total, visit(term));
        return total;
      }
      case ExprKind::kMul:
        return product_bounds(x, [this](const Expr& factor) { return visit(factor); });
      case ExprKind::kFloorDiv:
        return floor_div(visit(x[0]), visit(x[1]));
      case ExprKind::kMod:
        return mod(visit(x[0]), visit(x[1]));
      default:
        break;
    }
    Range ranges[3];
    for (size_t i = 0; i < x.size(); ++i) ranges[i] = visit(x[i]);
    return combine(expr.kind(), {ranges, x.size()});
  }

  const Facts& facts_;
  Memo<Range> memo_;
};

const Facts& Facts::none() {
  static const Facts& nothing = *new Facts;
  return nothing;
}

Facts Facts::structural(const Facts& facts) {
  Facts result;
  result.positive_ = &facts;
  return result;
}

Facts::Facts(const Ranges& ranges, const Extents& extents) {
  if (!ranges.empty()) ranges_ = &ranges;
  // An extent is made of sizes, so what is known of them comes before what is known of axes.
  for (const auto& [name, extent] : extents) learn_from_extent(extent);
  std::vector<std::pair<Expr, Range>> axes;
  for (const auto& [name, extent] : extents) {
    int64_t hi = bounds(extent).hi;
    axes.emplace_back(Expr::symbol(name),
                      Range{0, hi == INT64_MAX ? hi : std::max(hi - 1, int64_t{0})});
  }
  for (const auto& [axis, range] : axes) known_.insert_or_assign(axis, range);
  if (!extents.empty()) extents_ = &extents;
}

// An extent is at least 1. So is each factor of one that is a product of sizes, none of them
// negative; and of a*n + c, n is at least (1 - c) / a.
void Facts::learn_from_extent(const Expr& extent) {
  std::span<const Expr> terms = terms_of(extent);
  if (terms.empty() || terms.size() > 2) return;
  TermView term = term_of(terms[0]);
  int64_t offset = 0;
  if (terms.size() == 2) {
    if (!terms[1].is_const() || term.factors.size() != 1) return;
    offset = *terms[1].as_const();
  }
  if (term.coefficient <= 0 || offset < -INT64_MAX / 2) return;
  if (term.factors.size() == 1) {
    int64_t least = 1 - offset;
    int64_t limit = least > 0 ? (least - 1) / term.coefficient + 1 : least / term.coefficient;
    learn_lower_limit(term.factors[0], limit);
    return;
  }
  for (const Expr& factor : term.factors) {
    if (bounds(factor).lo < 0) return;
  }
  for (const Expr& factor : term.factors) learn_lower_limit(factor, 1);
}

void Facts::learn_lower_limit(const Expr& atom, int64_t limit) {
  Range range = bounds(atom);
  range.lo = std::max(range.lo, limit);
  if (range.lo <= range.hi) known_.insert_or_assign(atom, range);
}

Range Facts::refine(const Expr& atom, const Range& range) const {
  auto known = known_.find(atom);
  if (known != known_.end()) {
    return {std::max(range.lo, known->second.lo), std::min(range.hi, known->second.hi)};
  }
  if (!ranges_ || !atom.is_symbol()) return range;
  auto found = ranges_->find(atom.symbol_name());
  return found == ranges_->end() ? range : found->second;
}

const Expr* Facts::find_extent(const Expr& expr) const {
  if (!extents_ || !expr.is_symbol()) return nullptr;
  auto found = extents_->find(expr.symbol_name());
  return found == extents_->end() ? nullptr : &found->second;
}

bool Facts::is_extent(const Expr& expr) const {
  return extents_ && std::any_of(extents_->begin(), extents_->end(),
                                 [&](const auto& axis) { return axis.second == expr; });
}

Range Facts::bounds(const Expr& expr) const { return BoundsWalk(expr, *this).visit(expr); }

bool Facts::is_nonnegative(const Expr& expr) const {
  if (std::optional<int64_t> value = expr.as_const()) return *value >= 0;
  if (!can_prove()) return false;
  Range range = bounds(expr);
  if (range.lo >= 0 || range.hi < 0) return range.lo >= 0;
  if (empty() && (flags_of(expr) & (kHasDivision | kHasOther)) == 0) return false;
  return Prover(*this).is_nonnegative(expr);
}

bool Facts::is_positive(const Expr& expr) const {
  if (positive_) return positive_->is_positive(expr);
  return is_extent(expr) || is_less(0, expr);
}
bool Facts::is_less(const Expr& a, const Expr& b) const { return is_nonnegative(b - a - 1); }
bool Facts::is_less_equal(const Expr& a, const Expr& b) const { return is_nonnegative(b - a); }

Range bounds(const Expr& expr, const Ranges& ranges) { return bounds(expr, ranges, {}); }

Range bounds(const Expr& expr, const Ranges& ranges, const Extents& extents) {
  return Facts(ranges, extents).bounds(expr);
}

}  // namespace ingot::sym
