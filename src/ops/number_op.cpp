#include "ops/number_op.h"

#include <algorithm>
#include <cmath>

#include "support/diagnostics.h"
#include "support/special_functions.h"

namespace ingot::ops {
namespace {

using program::ScalarOp;

Number boolean(bool value) { return {DType::kBool, 0, value}; }

template <typename T>
T sign_of(T a) {
  return static_cast<T>((a > 0) - (a < 0));  // 0 for NaN, as PyTorch has it
}

template <typename T>
T floor_div(T a, T b) {
  // Python's: from the exact remainder, so that (a // b) * b + a % b is a.
  if (b == 0) return a / b;
  const T rest = std::fmod(a, b);
  T quotient = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(T(0), a / b);
  const T down = std::floor(quotient);
  return quotient - down > T(0.5) ? down + 1 : down;
}

template <typename T>
T remainder_of(T a, T b) {
  const T rest = std::fmod(a, b);
  return rest != 0 && (b < 0) != (rest < 0) ? rest + b : rest;
}

template <typename T>
T float_unary(ScalarOp op, T a) {
  switch (op) {
    case ScalarOp::kNeg:
      return -a;
    case ScalarOp::kAbs:
      return std::abs(a);
    case ScalarOp::kSign:
      return sign_of(a);
    case ScalarOp::kFloor:
      return std::floor(a);
    case ScalarOp::kCeil:
      return std::ceil(a);
    case ScalarOp::kRound:
      return std::nearbyint(a);
    case ScalarOp::kTrunc:
      return std::trunc(a);
    case ScalarOp::kSqrt:
      return std::sqrt(a);
    case ScalarOp::kRsqrt:
      return 1 / std::sqrt(a);
    case ScalarOp::kReciprocal:
      return 1 / a;
    case ScalarOp::kExp:
      return std::exp(a);
    case ScalarOp::kExp2:
      return std::exp2(a);
    case ScalarOp::kExpm1:
      return std::expm1(a);
    case ScalarOp::kLog:
      return std::log(a);
    case ScalarOp::kLog2:
      return std::log2(a);
    case ScalarOp::kLog10:
      return std::log10(a);
    case ScalarOp::kLog1p:
      return std::log1p(a);
    case ScalarOp::kSin:
      return std::sin(a);
    case ScalarOp::kCos:
      return std::cos(a);
    case ScalarOp::kTan:
      return std::tan(a);
    case ScalarOp::kAsin:
      return std::asin(a);
    case ScalarOp::kAcos:
      return std::acos(a);
    case ScalarOp::kAtan:
      return std::atan(a);
    case ScalarOp::kSinh:
      return std::sinh(a);
    case ScalarOp::kCosh:
      return std::cosh(a);
    case ScalarOp::kTanh:
      return std::tanh(a);
    case ScalarOp::kAsinh:
      return std::asinh(a);
    case ScalarOp::kAcosh:
      return std::acosh(a);
    case ScalarOp::kAtanh:
      return std::atanh(a);
    case ScalarOp::kErf:
      return std::erf(a);
    case ScalarOp::kErfc:
      return std::erfc(a);
    case ScalarOp::kErfinv:
      return static_cast<T>(erf_inverse(a));
    case ScalarOp::kLgamma:
      return static_cast<T>(std::lgamma(a));
    case ScalarOp::kDigamma:
      return static_cast<T>(digamma(a));
    case ScalarOp::kI0:
      return static_cast<T>(bessel_i0(a));
    default:
      throw InternalError("not an operation on one float");
  }
}

template <typename T>
T float_binary(ScalarOp op, T a, T b) {
  switch (op) {
    case ScalarOp::kAdd:
      return a + b;
    case ScalarOp::kSub:
      return a - b;
    case ScalarOp::kMul:
      return a * b;
    case ScalarOp::kDiv:
      return a / b;
    case ScalarOp::kDivFloor:
      return floor_div(a, b);
    case ScalarOp::kDivTrunc:
      return std::trunc(a / b);
    case ScalarOp::kRemainder:
      return remainder_of(a, b);
    case ScalarOp::kFmod:
      return std::fmod(a, b);
    case ScalarOp::kPow:
      return std::pow(a, b);
    case ScalarOp::kAtan2:
      return std::atan2(a, b);
    case ScalarOp::kHypot:
      return std::hypot(a, b);
    case ScalarOp::kCopysign:
      return std::copysign(a, b);
    case ScalarOp::kNextafter:
      return std::nextafter(a, b);
    case ScalarOp::kMin:
      return std::isnan(a) ? a : std::isnan(b) ? b : std::min(a, b);
    case ScalarOp::kMax:
      return std::isnan(a) ? a : std::isnan(b) ? b : std::max(a, b);
    case ScalarOp::kFmin:
      return std::fmin(a, b);
    case ScalarOp::kFmax:
      return std::fmax(a, b);
    default:
      throw InternalError("not an operation on two floats");
  }
}

int64_t wrapping(ScalarOp op, int64_t a, int64_t b) {
  const auto x = static_cast<uint64_t>(a);
  const auto y = static_cast<uint64_t>(b);
  if (op == ScalarOp::kAdd) return static_cast<int64_t>(x + y);
  if (op == ScalarOp::kSub) return static_cast<int64_t>(x - y);
  return static_cast<int64_t>(x * y);
}

int64_t integer_division(ScalarOp op, int64_t a, int64_t b) {
  if (b == 0) return 0;
  // -1 apart: INT64_MIN / -1 traps.
  const int64_t quotient = b == -1 ? wrapping(ScalarOp::kSub, 0, a) : a / b;
  const int64_t rest = b == -1 ? 0 : a % b;
  const bool adjust = rest != 0 && (rest < 0) != (b < 0);
  switch (op) {
    case ScalarOp::kDivTrunc:
      return quotient;
    case ScalarOp::kDivFloor:
      return adjust ? quotient - 1 : quotient;
    case ScalarOp::kFmod:
      return rest;
    default:
      return adjust ? rest + b : rest;
  }
}

// By squaring, wrapping; negative exponents round towards zero as PyTorch does.
int64_t integer_power(int64_t base, int64_t exponent) {
  if (exponent < 0) {
    if (base == 1) return 1;
    return base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  }
  int64_t result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) result = wrapping(ScalarOp::kMul, result, base);
    base = wrapping(ScalarOp::kMul, base, base);
  }
  return result;
}

int64_t shift(ScalarOp op, DType dtype, int64_t a, int64_t by) {
  const int64_t bits = size_of(dtype) * 8;
  const bool in_range = by >= 0 && by < bits;
  if (op == ScalarOp::kShl) {
    return in_range ? static_cast<int64_t>(static_cast<uint64_t>(a) << by) : 0;
  }
  return a >> (in_range ? by : bits - 1);
}

int64_t integer_unary(ScalarOp op, DType dtype, int64_t a) {
  switch (op) {
    case ScalarOp::kNeg:
      return wrapping(ScalarOp::kSub, 0, a);
    case ScalarOp::kAbs:
      return a < 0 ? wrapping(ScalarOp::kSub, 0, a) : a;
    case ScalarOp::kSign:
      return (a > 0) - (a < 0);
    case ScalarOp::kNot:
      return dtype == DType::kBool ? !a : ~a;
    case ScalarOp::kFloor:
    case ScalarOp::kCeil:
    case ScalarOp::kRound:
    case ScalarOp::kTrunc:
      return a;
    default:
      throw InternalError("not an operation on one integer");
  }
}

int64_t integer_binary(ScalarOp op, DType dtype, int64_t a, int64_t b) {
  switch (op) {
    case ScalarOp::kAdd:
    case ScalarOp::kSub:
    case ScalarOp::kMul:
      return wrapping(op, a, b);
    case ScalarOp::kDivFloor:
    case ScalarOp::kDivTrunc:
    case ScalarOp::kRemainder:
    case ScalarOp::kFmod:
      return integer_division(op, a, b);
    case ScalarOp::kPow:
      return integer_power(a, b);
    case ScalarOp::kMin:
    case ScalarOp::kFmin:
      return std::min(a, b);
    case ScalarOp::kMax:
    case ScalarOp::kFmax:
      return std::max(a, b);
    case ScalarOp::kAnd:
      return a & b;
    case ScalarOp::kOr:
      return a | b;
    case ScalarOp::kXor:
      return a ^ b;
    case ScalarOp::kShl:
    case ScalarOp::kShr:
      return shift(op, dtype, a, b);
    default:
      throw InternalError("not an operation on two integers");
  }
}

template <typename T>
bool compare(ScalarOp op, T a, T b) {
  switch (op) {
    case ScalarOp::kEq:
      return a == b;
    case ScalarOp::kNe:
      return a != b;
    case ScalarOp::kLt:
      return a < b;
    case ScalarOp::kLe:
      return a <= b;
    case ScalarOp::kGt:
      return a > b;
    default:
      return a >= b;
  }
}

bool is_comparison(ScalarOp op) { return op >= ScalarOp::kEq && op <= ScalarOp::kGe; }

template <typename T>
T float_op(ScalarOp op, std::span<const Number> args) {
  const T a = static_cast<T>(args[0].real);
  if (args.size() == 1) return float_unary(op, a);
  const T b = static_cast<T>(args[1].real);
  if (args.size() == 2) return float_binary(op, a, b);
  INGOT_CHECK(op == ScalarOp::kFma, "not an operation on three floats");
  return std::fma(a, b, static_cast<T>(args[2].real));
}

Number predicate(ScalarOp op, std::span<const Number> args) {
  const Number& a = args[0];
  if (is_comparison(op)) {
    return boolean(is_float(a.dtype) ? compare(op, a.real, args[1].real)
                                     : compare(op, a.integer, args[1].integer));
  }
  if (!is_float(a.dtype)) return boolean(op == ScalarOp::kSignbit && a.integer < 0);
  if (op == ScalarOp::kIsNan) return boolean(std::isnan(a.real));
  if (op == ScalarOp::kIsInf) return boolean(std::isinf(a.real));
  return boolean(std::signbit(a.real));
}

}  // namespace

Number apply_op(ScalarOp op, std::span<const Number> args) {
  if (op == ScalarOp::kSelect) return args[0].integer ? args[1] : args[2];
  for (const Number& arg : args) {
    INGOT_CHECK(arg.dtype == args[0].dtype, "operands of different dtypes");
  }
  if (is_comparison(op) || op == ScalarOp::kIsNan || op == ScalarOp::kIsInf ||
      op == ScalarOp::kSignbit) {
    return predicate(op, args);
  }
  const DType dtype = args[0].dtype;
  if (dtype == DType::kF64) return {dtype, float_op<double>(op, args), 0};
  if (is_float(dtype)) return to_number(dtype, float_op<float>(op, args));
  if (args.size() == 1) return to_integer(dtype, integer_unary(op, dtype, args[0].integer));
  INGOT_CHECK(args.size() == 2, "not an operation on three integers");
  return to_integer(dtype, integer_binary(op, dtype, args[0].integer, args[1].integer));
}

}  // namespace ingot::ops
