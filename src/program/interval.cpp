#include "program/interval.h"

#include <algorithm>
#include <array>

#include "program/expr_facts.h"

namespace ingot::program {
namespace {

using sym::Expr;
using sym::ExprKind;
using sym::Range;

// Wide enough for a sum or product of two int64 values.
__extension__ using Wide = __int128;

Range narrow(Wide lo, Wide hi) {
  if (lo < INT64_MIN || hi > INT64_MAX) return kUnbounded;
  return {static_cast<int64_t>(lo), static_cast<int64_t>(hi)};
}

Range add(Range a, Range b) {
  if (!is_bounded(a) || !is_bounded(b)) return kUnbounded;
  return narrow(Wide{a.lo} + b.lo, Wide{a.hi} + b.hi);
}

Range multiply(Range a, Range b) {
  if (!is_bounded(a) || !is_bounded(b)) return kUnbounded;
  const std::array<Wide, 4> corners = {Wide{a.lo} * b.lo, Wide{a.lo} * b.hi, Wide{a.hi} * b.lo,
                                       Wide{a.hi} * b.hi};
  const auto [lo, hi] = std::minmax_element(corners.begin(), corners.end());
  return narrow(*lo, *hi);
}

int64_t floor_quotient(int64_t a, int64_t positive) {
  return a / positive - (a % positive < 0 ? 1 : 0);
}

// Divisors are positive from here on.
Range divide(Range a, Range b) {
  if (!is_bounded(a)) return kUnbounded;
  return {std::min(floor_quotient(a.lo, b.lo), floor_quotient(a.lo, b.hi)),
          std::max(floor_quotient(a.hi, b.lo), floor_quotient(a.hi, b.hi))};
}

Range modulo(Range a, Range b) {
  if (a.lo >= 0 && a.hi < b.lo) return a;
  return {0, b.hi - 1};
}

bool is_false(Range a) { return a.lo == 0 && a.hi == 0; }
bool is_true(Range a) { return a.lo > 0 || a.hi < 0; }
Range truth(bool always, bool never) { return {always ? 1 : 0, never ? 0 : 1}; }

Range compare(ExprKind kind, Range a, Range b) {
  const bool same = a.lo == a.hi && b.lo == b.hi && a.lo == b.lo;
  const bool apart = a.hi < b.lo || a.lo > b.hi;
  switch (kind) {
    case ExprKind::kLt:
      return truth(a.hi < b.lo, a.lo >= b.hi);
    case ExprKind::kLe:
      return truth(a.hi <= b.lo, a.lo > b.hi);
    case ExprKind::kEq:
      return truth(same, apart);
    default:
      return truth(apart, same);
  }
}

Range select(Range condition, Range if_true, Range if_false) {
  if (is_true(condition)) return if_true;
  if (is_false(condition)) return if_false;
  return union_of(if_true, if_false);
}

class Evaluator {
 public:
  explicit Evaluator(const SymbolRanges& ranges) : ranges_(ranges) {}

  Range range(const Expr& expr) {
    switch (expr.kind()) {
      case ExprKind::kConst:
        return {*expr.as_const(), *expr.as_const()};
      case ExprKind::kSymbol:
        return symbol(expr.symbol_name());
      case ExprKind::kAdd:
        return fold(expr, add);
      case ExprKind::kMul:
        return fold(expr, multiply);
      case ExprKind::kMin:
        return fold(expr, [](Range a, Range b) {
          return Range{std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
        });
      case ExprKind::kMax:
        return fold(expr, [](Range a, Range b) {
          return Range{std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
        });
      case ExprKind::kFloorDiv:
      case ExprKind::kMod:
        return quotient(expr);
      case ExprKind::kSelect:
        return select(range(expr.operands()[0]), range(expr.operands()[1]),
                      range(expr.operands()[2]));
      case ExprKind::kAnd:
        return fold(expr, [](Range a, Range b) {
          return truth(is_true(a) && is_true(b), is_false(a) || is_false(b));
        });
      case ExprKind::kOr:
        return fold(expr, [](Range a, Range b) {
          return truth(is_true(a) || is_true(b), is_false(a) && is_false(b));
        });
      case ExprKind::kNot: {
        const Range a = range(expr.operands()[0]);
        return truth(is_false(a), is_true(a));
      }
      case ExprKind::kLt:
      case ExprKind::kLe:
      case ExprKind::kEq:
      case ExprKind::kNe:
        return compare(expr.kind(), range(expr.operands()[0]), range(expr.operands()[1]));
    }
    return kUnbounded;
  }

  bool bad_divisor() const { return bad_divisor_; }

 private:
  Range symbol(std::string_view name) const {
    const KernelSymbol symbol = parse_kernel_symbol(name);
    switch (symbol.kind) {
      case KernelSymbolKind::kScalar:
        if (symbol.position >= ranges_.scalars.size()) return kUnbounded;
        return {ranges_.scalars[symbol.position], ranges_.scalars[symbol.position]};
      case KernelSymbolKind::kAxis:
        return symbol.position < ranges_.axes.size() ? ranges_.axes[symbol.position] : kUnbounded;
      case KernelSymbolKind::kValue:
        return symbol.position < ranges_.values.size() ? ranges_.values[symbol.position]
                                                       : kUnbounded;
      case KernelSymbolKind::kOther:
        break;
    }
    return kUnbounded;
  }

  template <typename Combine>
  Range fold(const Expr& expr, Combine combine) {
    Range result = range(expr.operands()[0]);
    for (const Expr& operand : expr.operands().subspan(1)) {
      result = combine(result, range(operand));
    }
    return result;
  }

  Range quotient(const Expr& expr) {
    const Range dividend = range(expr.operands()[0]);
    const Range divisor = range(expr.operands()[1]);
    if (divisor.lo < 1) {
      bad_divisor_ = true;
      return kUnbounded;
    }
    return expr.kind() == ExprKind::kMod ? modulo(dividend, divisor) : divide(dividend, divisor);
  }

  const SymbolRanges& ranges_;
  bool bad_divisor_ = false;
};

}  // namespace

Interval interval_of(const Expr& expr, const SymbolRanges& ranges) {
  Evaluator evaluator(ranges);
  const Range range = evaluator.range(expr);
  return {range, evaluator.bad_divisor()};
}

Range union_of(Range a, Range b) { return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)}; }

}  // namespace ingot::program
