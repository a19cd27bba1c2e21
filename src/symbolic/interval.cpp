#include "symbolic/interval.h"

#include <algorithm>

namespace ingot::sym {
namespace {

constexpr int64_t kMinusInfinity = INT64_MIN;
constexpr int64_t kInfinity = INT64_MAX;
constexpr Range kBoolean{0, 1};

using Wide = __int128;

int64_t clamp(Wide value) {
  return static_cast<int64_t>(std::clamp<Wide>(value, kMinusInfinity, kInfinity));
}

bool is_infinite(int64_t value) { return value == kMinusInfinity || value == kInfinity; }

// A limit as the corner of a product, where 0 times infinity is 0.
int64_t times(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  if (is_infinite(a) || is_infinite(b)) return (a < 0) == (b < 0) ? kInfinity : kMinusInfinity;
  return clamp(Wide{a} * b);
}

// The corner of a quotient by a positive divisor.
int64_t quotient(int64_t a, int64_t b) {
  if (is_infinite(a)) {
    // An unbounded number divided by an unbounded one may be anything of its sign.
    return a;
  }
  if (b == kInfinity) return a < 0 ? -1 : 0;
  return a % b < 0 ? a / b - 1 : a / b;
}

int64_t opposite(int64_t limit) {
  if (is_infinite(limit)) return limit < 0 ? kInfinity : kMinusInfinity;
  return -limit;
}

Range negate(const Range& a) { return {opposite(a.hi), opposite(a.lo)}; }

Range hull(const Range& a, const Range& b) { return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)}; }

Range divide_by_positive(const Range& a, const Range& b) {
  int64_t low = a.lo < 0 ? quotient(a.lo, b.lo) : quotient(a.lo, b.hi);
  int64_t high = a.hi < 0 ? quotient(a.hi, b.hi) : quotient(a.hi, b.lo);
  // A lower limit that is infinite upwards (and the reverse) has no finite quotient.
  if (a.lo == kInfinity) low = 0;
  if (a.hi == kMinusInfinity) high = -1;
  return {low, high};
}

// The remainder by a positive divisor.
Range remainder(const Range& a, const Range& b) {
  if (a.lo >= 0 && a.hi < b.lo) return a;
  int64_t largest = b.hi == kInfinity ? kInfinity : b.hi - 1;
  if (a.lo >= 0) return {0, std::min(largest, a.hi)};
  return {0, largest};
}

// Both parts of a divisor's range: the positive and the negative numbers.
template <typename Function>
Range by_sign(const Range& a, const Range& b, Function positive, bool negate_result) {
  std::optional<Range> result;
  if (b.hi >= 1) result = positive(a, Range{std::max<int64_t>(b.lo, 1), b.hi});
  if (b.lo <= -1) {
    Range flipped = positive(negate(a), negate(Range{b.lo, std::min<int64_t>(b.hi, -1)}));
    if (negate_result) flipped = negate(flipped);
    result = result ? hull(*result, flipped) : flipped;
  }
  return result.value_or(Range{});  // only 0: nothing is known
}

Range known(bool is_true, bool is_false) {
  if (is_true) return {1, 1};
  if (is_false) return {0, 0};
  return kBoolean;
}

bool is_true(const Range& a) { return a.lo > 0 || a.hi < 0; }
bool is_false(const Range& a) { return a.lo == 0 && a.hi == 0; }

}  // namespace

Range add(const Range& a, const Range& b) {
  bool low_unbounded = a.lo == kMinusInfinity || b.lo == kMinusInfinity;
  bool high_unbounded = a.hi == kInfinity || b.hi == kInfinity;
  return {low_unbounded ? kMinusInfinity : clamp(Wide{a.lo} + b.lo),
          high_unbounded ? kInfinity : clamp(Wide{a.hi} + b.hi)};
}

Range multiply(const Range& a, const Range& b) {
  int64_t corners[] = {times(a.lo, b.lo), times(a.lo, b.hi), times(a.hi, b.lo), times(a.hi, b.hi)};
  auto [low, high] = std::minmax_element(std::begin(corners), std::end(corners));
  return {*low, *high};
}

Range power(const Range& base, size_t exponent) {
  Range result = base;
  for (size_t i = 1; i < exponent; ++i) result = multiply(result, base);
  if (exponent % 2 == 0) result.lo = std::max<int64_t>(result.lo, 0);
  return result;
}

Range floor_div(const Range& a, const Range& b) { return by_sign(a, b, divide_by_positive, false); }

Range mod(const Range& a, const Range& b) { return by_sign(a, b, remainder, true); }

Range combine(ExprKind kind, std::span<const Range> x) {
  switch (kind) {
    case ExprKind::kMin:
      return {std::min(x[0].lo, x[1].lo), std::min(x[0].hi, x[1].hi)};
    case ExprKind::kMax:
      return {std::max(x[0].lo, x[1].lo), std::max(x[0].hi, x[1].hi)};
    case ExprKind::kLt:
      return known(x[0].hi < x[1].lo, x[0].lo >= x[1].hi);
    case ExprKind::kLe:
      return known(x[0].hi <= x[1].lo, x[0].lo > x[1].hi);
    case ExprKind::kEq:
    case ExprKind::kNe: {
      bool apart = x[0].hi < x[1].lo || x[1].hi < x[0].lo;
      bool same = x[0].lo == x[0].hi && x[0] == x[1];
      return kind == ExprKind::kEq ? known(same, apart) : known(apart, same);
    }
    case ExprKind::kAnd:
      return known(is_true(x[0]) && is_true(x[1]), is_false(x[0]) || is_false(x[1]));
    case ExprKind::kOr:
      return known(is_true(x[0]) || is_true(x[1]), is_false(x[0]) && is_false(x[1]));
    case ExprKind::kNot:
      return known(is_false(x[0]), is_true(x[0]));
    case ExprKind::kSelect:
      return is_true(x[0]) ? x[1] : is_false(x[0]) ? x[2] : hull(x[1], x[2]);
    default:
      return {};
  }
}

}  // namespace ingot::sym
