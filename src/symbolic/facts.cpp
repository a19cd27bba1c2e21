#include "symbolic/facts.h"

#include <vector>

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

template <typename SymbolBounds>
class BoundsWalk {
 public:
  BoundsWalk(const Expr& root, const SymbolBounds& symbol_bounds)
      : symbol_bounds_(symbol_bounds), memo_(root) {}

  Range visit(const Expr& expr) {
    if (std::optional<int64_t> value = expr.as_const()) return {*value, *value};
    if (expr.is_symbol()) return symbol_bounds_(expr);
    if (const Range* known = memo_.find(expr)) return *known;
    Range result = visit_operands(expr);
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

  const SymbolBounds& symbol_bounds_;
  Memo<Range> memo_;
};

}  // namespace

const Facts& Facts::none() {
  static const Facts& nothing = *new Facts;
  return nothing;
}

const Facts& Facts::structural() {
  static const Facts& nothing = *[] {
    auto* facts = new Facts;
    facts->can_prove_ = false;
    return facts;
  }();
  return nothing;
}

Facts::Facts(const Ranges& ranges, const Extents& extents) {
  if (!ranges.empty()) ranges_ = &ranges;
  if (extents.empty()) return;
  extents_ = &extents;
  for (const auto& [name, extent] : extents) learn_from_extent(extent);
}

// A product of sizes, none of them negative, that is at least 1 has no factor 0.
void Facts::learn_from_extent(const Expr& extent) {
  TermView term = term_of(extent);
  if (term.coefficient <= 0) return;
  bool is_single = term.factors.size() == 1;
  for (const Expr& factor : term.factors) {
    if (!factor.is_symbol()) return;
    if (!is_single && size_bounds(factor).lo < 0) return;
  }
  for (const Expr& factor : term.factors) {
    Range range = size_bounds(factor);
    if (range.lo < 1) range.lo = 1;
    if (range.lo <= range.hi) learned_.insert_or_assign(factor.symbol_name(), range);
  }
}

Range Facts::size_bounds(const Expr& symbol) const {
  const std::string& name = symbol.symbol_name();
  if (auto found = learned_.find(name); found != learned_.end()) return found->second;
  if (!ranges_) return {};
  auto found = ranges_->find(name);
  return found == ranges_->end() ? Range{} : found->second;
}

Range Facts::symbol_bounds(const Expr& symbol) const {
  const Expr* extent = find_extent(symbol);
  if (!extent) return size_bounds(symbol);
  // An extent is made of sizes; should it name an axis, nothing is known of that one here.
  auto size_range = [this](const Expr& size) { return size_bounds(size); };
  int64_t hi = BoundsWalk(*extent, size_range).visit(*extent).hi;
  return {0, hi == INT64_MAX ? hi : hi - 1};
}

const Expr* Facts::find_extent(const Expr& expr) const {
  if (!extents_ || !expr.is_symbol()) return nullptr;
  auto found = extents_->find(expr.symbol_name());
  return found == extents_->end() ? nullptr : &found->second;
}

Range Facts::bounds(const Expr& expr) const {
  auto symbol_range = [this](const Expr& symbol) { return symbol_bounds(symbol); };
  return BoundsWalk(expr, symbol_range).visit(expr);
}

bool Facts::is_nonnegative(const Expr& expr) const {
  if (std::optional<int64_t> value = expr.as_const()) return *value >= 0;
  if (!can_prove_) return false;
  Range range = bounds(expr);
  if (range.lo >= 0 || range.hi < 0) return range.lo >= 0;
  if (empty() && (flags_of(expr) & (kHasDivision | kHasOther)) == 0) return false;
  return Prover(*this).is_nonnegative(expr);
}

bool Facts::is_positive(const Expr& expr) const { return is_less(0, expr); }
bool Facts::is_less(const Expr& a, const Expr& b) const { return is_nonnegative(b - a - 1); }
bool Facts::is_less_equal(const Expr& a, const Expr& b) const { return is_nonnegative(b - a); }

Range bounds(const Expr& expr, const Ranges& ranges) { return bounds(expr, ranges, {}); }

Range bounds(const Expr& expr, const Ranges& ranges, const Extents& extents) {
  return Facts(ranges, extents).bounds(expr);
}

}  // namespace ingot::sym
