// Arithmetic of inclusive intervals whose int64 limits mean unbounded.
#pragma once

#include <span>

#include "symbolic/expr.h"

namespace ingot::sym {

Range add(const Range& a, const Range& b);
Range multiply(const Range& a, const Range& b);
Range power(const Range& base, size_t exponent);  // exponent >= 1
// The divisor is taken to be non-zero.
Range floor_div(const Range& a, const Range& b);
Range mod(const Range& a, const Range& b);
// kMin, kMax, a comparison, kAnd or kOr of two, kNot of one, kSelect of three.
Range combine(ExprKind kind, std::span<const Range> operands);

}  // namespace ingot::sym
