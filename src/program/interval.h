// Interval arithmetic on index expressions: the values an expression takes when its symbols range.
#pragma once

#include <cstdint>
#include <span>

#include "symbolic/expr.h"

namespace ingot::program {

inline constexpr sym::Range kUnbounded{INT64_MIN, INT64_MAX};
constexpr bool is_bounded(sym::Range range) { return range != kUnbounded; }

// The ranges of d<n>, a<n> and v<n>.
struct SymbolRanges {
  std::span<const int64_t> scalars;
  std::span<const sym::Range> axes;
  std::span<const sym::Range> values;
};

struct Interval {
  sym::Range range;          // kUnbounded when a result may overflow
  bool bad_divisor = false;  // somewhere inside a divisor may be less than 1
};

// A symbol without a range is unbounded.
Interval interval_of(const sym::Expr& expr, const SymbolRanges& ranges);

sym::Range union_of(sym::Range a, sym::Range b);

}  // namespace ingot::program
