#include "runtime/scalar/element.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/scalar/special.h"

namespace ingot::runtime::scalar {
namespace {

using program::ReduceOp;
using program::ScalarOp;

template <typename T>
T read(const void* base, int64_t position) {
  T value;
  std::memcpy(&value, static_cast<const char*>(base) + position * static_cast<int64_t>(sizeof(T)),
              sizeof(T));
  return value;
}

template <typename T>
void write(void* base, int64_t position, T value) {
  std::memcpy(static_cast<char*>(base) + position * static_cast<int64_t>(sizeof(T)), &value,
              sizeof(T));
}

Element real(double value) { return {value, 0}; }
Element integer(int64_t value) { return {0, value}; }

int64_t wrap_to(int64_t value, DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return value != 0;
    case DType::kU8:
      return static_cast<uint8_t>(value);
    case DType::kI8:
      return static_cast<int8_t>(value);
    case DType::kI16:
      return static_cast<int16_t>(value);
    case DType::kI32:
      return static_cast<int32_t>(value);
    default:
      return value;
  }
}

// Out of range and NaN give the smallest integer, as x86 does.
int64_t truncate_to(double value, double limit, int64_t otherwise) {
  return value >= -limit && value < limit ? static_cast<int64_t>(value) : otherwise;
}

int64_t float_to_int(double value, DType dtype) {
  if (dtype == DType::kBool) return value != 0;
  if (dtype == DType::kI64) return truncate_to(value, 0x1p63, INT64_MIN);
  if (!(value > -0x1p31 - 1)) return wrap_to(INT32_MIN, dtype);
  return wrap_to(value < 0x1p31 ? static_cast<int64_t>(value) : INT32_MIN, dtype);
}

template <typename T>
T div_floor(T a, T b) {
  if (b == 0) return a / b;
  const T mod = std::fmod(a, b);
  T quotient = (a - mod) / b;
  if (mod != 0 && (b < 0) != (mod < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(T(0), a / b);
  const T floored = std::floor(quotient);
  return quotient - floored > T(0.5) ? floored + 1 : floored;
}

template <typename T>
T remainder(T a, T b) {
  const T mod = std::fmod(a, b);
  return mod != 0 && (b < 0) != (mod < 0) ? mod + b : mod;
}

double float_unary(ScalarOp op, double x) {
  switch (op) {
    case ScalarOp::kNeg:
      return -x;
    case ScalarOp::kAbs:
      return std::fabs(x);
    case ScalarOp::kSign:
      return (x > 0) - (x < 0);
    case ScalarOp::kFloor:
      return std::floor(x);
    case ScalarOp::kCeil:
      return std::ceil(x);
    case ScalarOp::kRound:
      return std::nearbyint(x);
    case ScalarOp::kTrunc:
      return std::trunc(x);
    case ScalarOp::kSqrt:
      return std::sqrt(x);
    case ScalarOp::kRsqrt:
      return 1 / std::sqrt(x);
    case ScalarOp::kReciprocal:
      return 1 / x;
    case ScalarOp::kExp:
      return std::exp(x);
    case ScalarOp::kExp2:
      return std::exp2(x);
    case ScalarOp::kExpm1:
      return std::expm1(x);
    case ScalarOp::kLog:
      return std::log(x);
    case ScalarOp::kLog2:
      return std::log2(x);
    case ScalarOp::kLog10:
      return std::log10(x);
    case ScalarOp::kLog1p:
      return std::log1p(x);
    case ScalarOp::kSin:
      return std::sin(x);
    case ScalarOp::kCos:
      return std::cos(x);
    case ScalarOp::kTan:
      return std::tan(x);
    case ScalarOp::kAsin:
      return std::asin(x);
    case ScalarOp::kAcos:
      return std::acos(x);
    case ScalarOp::kAtan:
      return std::atan(x);
    case ScalarOp::kSinh:
      return std::sinh(x);
    case ScalarOp::kCosh:
      return std::cosh(x);
    case ScalarOp::kTanh:
      return std::tanh(x);
    case ScalarOp::kAsinh:
      return std::asinh(x);
    case ScalarOp::kAcosh:
      return std::acosh(x);
    case ScalarOp::kAtanh:
      return std::atanh(x);
    case ScalarOp::kErf:
      return std::erf(x);
    case ScalarOp::kErfc:
      return std::erfc(x);
    case ScalarOp::kErfinv:
      return erfinv(x);
    case ScalarOp::kLgamma:
      return log_gamma(x);
    case ScalarOp::kDigamma:
      return digamma(x);
    case ScalarOp::kI0:
      return bessel_i0(x);
    default:
      return 0;
  }
}

// What rounds in the type itself.
template <typename T>
double float_binary(ScalarOp op, T a, T b) {
  const bool nan = a != a || b != b;
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
      return div_floor(a, b);
    case ScalarOp::kDivTrunc:
      return std::trunc(a / b);
    case ScalarOp::kRemainder:
      return remainder(a, b);
    case ScalarOp::kFmod:
      return std::fmod(a, b);
    case ScalarOp::kPow:
      return std::pow(static_cast<double>(a), static_cast<double>(b));
    case ScalarOp::kAtan2:
      return std::atan2(static_cast<double>(a), static_cast<double>(b));
    case ScalarOp::kHypot:
      return std::hypot(static_cast<double>(a), static_cast<double>(b));
    case ScalarOp::kCopysign:
      return std::copysign(a, b);
    case ScalarOp::kNextafter:
      return std::nextafter(a, b);
    case ScalarOp::kMin:
      return nan ? std::numeric_limits<double>::quiet_NaN() : (b < a ? b : a);
    case ScalarOp::kMax:
      return nan ? std::numeric_limits<double>::quiet_NaN() : (b > a ? b : a);
    case ScalarOp::kFmin:
      return std::fmin(a, b);
    case ScalarOp::kFmax:
      return std::fmax(a, b);
    default:
      return 0;
  }
}

int64_t float_predicate(ScalarOp op, double a, double b) {
  switch (op) {
    case ScalarOp::kIsNan:
      return a != a;
    case ScalarOp::kIsInf:
      return std::isinf(a);
    case ScalarOp::kSignbit:
      return std::signbit(a);
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
    case ScalarOp::kGe:
      return a >= b;
    default:
      return 0;
  }
}

int64_t int_power(int64_t base, int64_t exponent) {
  if (exponent < 0) {
    if (base == 1) return 1;
    if (base == -1) return exponent % 2 == 0 ? 1 : -1;
    return 0;
  }
  uint64_t result = 1;
  for (uint64_t factor = static_cast<uint64_t>(base); exponent != 0; exponent >>= 1) {
    if (exponent & 1) result *= factor;
    factor *= factor;
  }
  return static_cast<int64_t>(result);
}

int64_t int_divide(ScalarOp op, int64_t a, int64_t b) {
  if (b == 0) return 0;
  const bool quotient_wanted = op == ScalarOp::kDivFloor || op == ScalarOp::kDivTrunc;
  if (b == -1) return quotient_wanted ? static_cast<int64_t>(0 - static_cast<uint64_t>(a)) : 0;
  const int64_t quotient = a / b;
  const int64_t rest = a % b;
  const bool apart = rest != 0 && (rest < 0) != (b < 0);
  if (op == ScalarOp::kDivFloor) return apart ? quotient - 1 : quotient;
  if (op == ScalarOp::kDivTrunc) return quotient;
  if (op == ScalarOp::kRemainder) return apart ? rest + b : rest;
  return rest;
}

int64_t shift(ScalarOp op, DType dtype, int64_t a, int64_t b) {
  const int64_t bits = size_of(dtype) * 8;
  const bool inside = b >= 0 && b < bits;
  if (op == ScalarOp::kShl) return inside ? static_cast<int64_t>(static_cast<uint64_t>(a) << b) : 0;
  return a >> (inside ? b : bits - 1);
}

int64_t int_op(ScalarOp op, DType dtype, int64_t a, int64_t b, int64_t c) {
  const uint64_t ua = static_cast<uint64_t>(a);
  const uint64_t ub = static_cast<uint64_t>(b);
  switch (op) {
    case ScalarOp::kNeg:
      return static_cast<int64_t>(0 - ua);
    case ScalarOp::kAbs:
      return a < 0 ? static_cast<int64_t>(0 - ua) : a;
    case ScalarOp::kSign:
      return (a > 0) - (a < 0);
    case ScalarOp::kFloor:
    case ScalarOp::kCeil:
    case ScalarOp::kRound:
    case ScalarOp::kTrunc:
      return a;
    case ScalarOp::kSignbit:
      return a < 0;
    case ScalarOp::kNot:
      return dtype == DType::kBool ? a == 0 : ~a;
    case ScalarOp::kAdd:
      return static_cast<int64_t>(ua + ub);
    case ScalarOp::kSub:
      return static_cast<int64_t>(ua - ub);
    case ScalarOp::kMul:
      return static_cast<int64_t>(ua * ub);
    case ScalarOp::kDivFloor:
    case ScalarOp::kDivTrunc:
    case ScalarOp::kRemainder:
    case ScalarOp::kFmod:
      return int_divide(op, a, b);
    case ScalarOp::kPow:
      return int_power(a, b);
    case ScalarOp::kMin:
    case ScalarOp::kFmin:
      return a < b ? a : b;
    case ScalarOp::kMax:
    case ScalarOp::kFmax:
      return a > b ? a : b;
    case ScalarOp::kAnd:
      return a & b;
    case ScalarOp::kOr:
      return a | b;
    case ScalarOp::kXor:
      return a ^ b;
    case ScalarOp::kShl:
    case ScalarOp::kShr:
      return shift(op, dtype, a, b);
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
    case ScalarOp::kGe:
      return a >= b;
    case ScalarOp::kFma:
      return static_cast<int64_t>(ua * ub + static_cast<uint64_t>(c));
    default:
      return 0;
  }
}

}  // namespace

Element load_element(const void* base, int64_t position, DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return integer(read<uint8_t>(base, position) != 0);
    case DType::kU8:
      return integer(read<uint8_t>(base, position));
    case DType::kI8:
      return integer(read<int8_t>(base, position));
    case DType::kI16:
      return integer(read<int16_t>(base, position));
    case DType::kI32:
      return integer(read<int32_t>(base, position));
    case DType::kI64:
      return integer(read<int64_t>(base, position));
    case DType::kF16:
      return real(f16_to_f32(read<uint16_t>(base, position)));
    case DType::kBF16:
      return real(bf16_to_f32(read<uint16_t>(base, position)));
    case DType::kF32:
      return real(read<float>(base, position));
    case DType::kF64:
      return real(read<double>(base, position));
    default:
      return {};
  }
}

void store_element(void* base, int64_t position, DType dtype, Element value) {
  switch (dtype) {
    case DType::kBool:
    case DType::kU8:
      return write(base, position, static_cast<uint8_t>(value.integer));
    case DType::kI8:
      return write(base, position, static_cast<int8_t>(value.integer));
    case DType::kI16:
      return write(base, position, static_cast<int16_t>(value.integer));
    case DType::kI32:
      return write(base, position, static_cast<int32_t>(value.integer));
    case DType::kI64:
      return write(base, position, value.integer);
    case DType::kF16:
      return write(base, position, f32_to_f16(static_cast<float>(value.real)));
    case DType::kBF16:
      return write(base, position, f32_to_bf16(static_cast<float>(value.real)));
    case DType::kF32:
      return write(base, position, static_cast<float>(value.real));
    case DType::kF64:
      return write(base, position, value.real);
    default:
      return;
  }
}

Element normalize(Element value, DType dtype) {
  switch (dtype) {
    case DType::kF16:
      return real(f16_to_f32(f32_to_f16(static_cast<float>(value.real))));
    case DType::kBF16:
      return real(bf16_to_f32(f32_to_bf16(static_cast<float>(value.real))));
    case DType::kF32:
      return real(static_cast<float>(value.real));
    case DType::kF64:
      return real(value.real);
    default:
      return integer(wrap_to(value.integer, dtype));
  }
}

Element from_double(double value, DType dtype) {
  return is_float(dtype) ? normalize(real(value), dtype) : integer(float_to_int(value, dtype));
}

Element from_integer(int64_t value, DType dtype) {
  if (!is_float(dtype)) return integer(wrap_to(value, dtype));
  // Straight to f32: by way of f64 it would be rounded twice.
  if (dtype == DType::kF64) return real(static_cast<double>(value));
  return normalize(real(static_cast<float>(value)), dtype);
}

Element apply(ScalarOp op, DType dtype, Element a, Element b, Element c) {
  if (op == ScalarOp::kSelect) return a.integer != 0 ? b : c;
  if (!is_float(dtype)) {
    const int64_t result = int_op(op, dtype, a.integer, b.integer, c.integer);
    return integer(wrap_to(result, program::is_predicate(op) ? DType::kBool : dtype));
  }
  if (program::is_predicate(op)) return integer(float_predicate(op, a.real, b.real));
  if (op == ScalarOp::kFma) {
    if (dtype == DType::kF64) return real(std::fma(a.real, b.real, c.real));
    return real(std::fma(static_cast<float>(a.real), static_cast<float>(b.real),
                         static_cast<float>(c.real)));
  }
  if (program::operand_count(op) == 1) return normalize(real(float_unary(op, a.real)), dtype);
  if (dtype == DType::kF64) return real(float_binary(op, a.real, b.real));
  return normalize(real(float_binary(op, static_cast<float>(a.real), static_cast<float>(b.real))),
                   dtype);
}

Element cast(Element value, DType from, DType to) {
  return is_float(from) ? from_double(value.real, to) : from_integer(value.integer, to);
}

Element bitcast(Element value, DType from, DType to) {
  uint64_t bits = 0;
  store_element(&bits, 0, from, value);
  return load_element(&bits, 0, to);
}

bool sorts_before(Element a, Element b, DType dtype) {
  if (!is_float(dtype)) return a.integer < b.integer;
  return a.real < b.real || (a.real == a.real && b.real != b.real);
}

Fold::Fold(ReduceOp op, DType dtype) : op_(op), dtype_(dtype) {
  if (op == ReduceOp::kProd) value_ = {1, 1};
  if (op == ReduceOp::kAll) value_.integer = 1;
  const double infinity = std::numeric_limits<double>::infinity();
  if (op == ReduceOp::kMin) {
    value_ = {infinity, static_cast<int64_t>(~uint64_t{0} >> (65 - size_of(dtype) * 8))};
    if (dtype == DType::kU8) value_.integer = 255;
    if (dtype == DType::kBool) value_.integer = 1;
  }
  if (op == ReduceOp::kMax) {
    value_ = {-infinity, static_cast<int64_t>(~uint64_t{0} << (size_of(dtype) * 8 - 1))};
    if (dtype == DType::kU8 || dtype == DType::kBool) value_.integer = 0;
  }
}

void Fold::add(Element x) {
  switch (op_) {
    case ReduceOp::kSum:
      value_.real += x.real;
      value_.integer = static_cast<int64_t>(static_cast<uint64_t>(value_.integer) +
                                            static_cast<uint64_t>(x.integer));
      break;
    case ReduceOp::kProd:
      value_.real *= x.real;
      value_.integer = static_cast<int64_t>(static_cast<uint64_t>(value_.integer) *
                                            static_cast<uint64_t>(x.integer));
      break;
    case ReduceOp::kMin:
      value_ = apply(ScalarOp::kMin, dtype_, value_, x, {});
      break;
    case ReduceOp::kMax:
      value_ = apply(ScalarOp::kMax, dtype_, value_, x, {});
      break;
    case ReduceOp::kAny:
      value_.integer |= x.integer != 0;
      break;
    case ReduceOp::kAll:
      value_.integer &= x.integer != 0;
      break;
    case ReduceOp::kArgMin:
    case ReduceOp::kArgMax: {
      const bool nan = is_float(dtype_) && x.real != x.real;
      const bool had_nan = is_float(dtype_) && value_.real != value_.real;
      const ScalarOp better = op_ == ReduceOp::kArgMin ? ScalarOp::kLt : ScalarOp::kGt;
      const bool wins = nan || apply(better, dtype_, x, value_, {}).integer != 0;
      if (count_ == 0 || (!had_nan && wins)) {
        value_ = x;
        best_ = count_;
      }
      break;
    }
  }
  ++count_;
}

Element Fold::result() const {
  if (op_ == ReduceOp::kArgMin || op_ == ReduceOp::kArgMax) return integer(best_);
  if (op_ == ReduceOp::kAny || op_ == ReduceOp::kAll) return integer(value_.integer);
  return normalize(value_, dtype_);
}

}  // namespace ingot::runtime::scalar
