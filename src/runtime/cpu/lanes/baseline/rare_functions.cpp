// Functions that call the C library for every lane.
#include "runtime/cpu/lanes/baseline/rare.h"
#include "runtime/scalar/special.h"

namespace ingot::runtime::cpu::INGOT_LANES {
namespace {

using program::ScalarOp;

// An operation that is the C function of the lane's type.
#define INGOT_LIBRARY_UNARY(Name, function)                \
  struct Name {                                            \
    static float apply(float x) { return function##f(x); } \
    static double apply(double x) { return function(x); }  \
  };
#define INGOT_LIBRARY_BINARY(Name, function)                           \
  struct Name {                                                        \
    static float apply(float x, float y) { return function##f(x, y); } \
    static double apply(double x, double y) { return function(x, y); } \
  };
INGOT_LIBRARY_UNARY(Exp, exp)
INGOT_LIBRARY_UNARY(Exp2, exp2)
INGOT_LIBRARY_UNARY(Expm1, expm1)
INGOT_LIBRARY_UNARY(Log, log)
INGOT_LIBRARY_UNARY(Log2, log2)
INGOT_LIBRARY_UNARY(Log10, log10)
INGOT_LIBRARY_UNARY(Log1p, log1p)
INGOT_LIBRARY_UNARY(Sin, sin)
INGOT_LIBRARY_UNARY(Cos, cos)
INGOT_LIBRARY_UNARY(Tan, tan)
INGOT_LIBRARY_UNARY(Asin, asin)
INGOT_LIBRARY_UNARY(Acos, acos)
INGOT_LIBRARY_UNARY(Atan, atan)
INGOT_LIBRARY_UNARY(Sinh, sinh)
INGOT_LIBRARY_UNARY(Cosh, cosh)
INGOT_LIBRARY_UNARY(Tanh, tanh)
INGOT_LIBRARY_UNARY(Asinh, asinh)
INGOT_LIBRARY_UNARY(Acosh, acosh)
INGOT_LIBRARY_UNARY(Atanh, atanh)
INGOT_LIBRARY_UNARY(Erf, erf)
INGOT_LIBRARY_UNARY(Erfc, erfc)
INGOT_LIBRARY_BINARY(Pow, pow)
INGOT_LIBRARY_BINARY(Atan2, atan2)
INGOT_LIBRARY_BINARY(Hypot, hypot)
INGOT_LIBRARY_BINARY(Nextafter, nextafter)
INGOT_LIBRARY_BINARY(Fmod, fmod)
#undef INGOT_LIBRARY_UNARY
#undef INGOT_LIBRARY_BINARY

// Computed in f64 whatever the lane's type.
#define INGOT_DOUBLE_UNARY(Name, function)                             \
  struct Name {                                                        \
    template <typename T>                                              \
    static T apply(T x) {                                              \
      return static_cast<T>(scalar::function(static_cast<double>(x))); \
    }                                                                  \
  };
INGOT_DOUBLE_UNARY(Erfinv, erfinv)
INGOT_DOUBLE_UNARY(Lgamma, log_gamma)
INGOT_DOUBLE_UNARY(Digamma, digamma)
INGOT_DOUBLE_UNARY(BesselI0, bessel_i0)
#undef INGOT_DOUBLE_UNARY

struct Remainder {
  template <typename T>
  static T apply(T x, T y) {
    const T rest = Fmod::apply(x, y);
    return rest != 0 && (y < 0) != (rest < 0) ? rest + y : rest;
  }
};
struct DivFloor {
  template <typename T>
  static T apply(T x, T y) {
    if (y == 0) return x / y;
    const T rest = Fmod::apply(x, y);
    T quotient = (x - rest) / y;
    if (rest != 0 && (y < 0) != (rest < 0)) quotient -= 1;
    if (quotient == 0) return static_cast<T>(copysign(0.0, static_cast<double>(x / y)));
    const T floored = static_cast<T>(floor(static_cast<double>(quotient)));
    return quotient - floored > T(0.5) ? floored + 1 : floored;
  }
};

template <DType kType>
void fill(LaneTable& table) {
  set_unary<Exp, kType>(table, ScalarOp::kExp);
  set_unary<Exp2, kType>(table, ScalarOp::kExp2);
  set_unary<Expm1, kType>(table, ScalarOp::kExpm1);
  set_unary<Log, kType>(table, ScalarOp::kLog);
  set_unary<Log2, kType>(table, ScalarOp::kLog2);
  set_unary<Log10, kType>(table, ScalarOp::kLog10);
  set_unary<Log1p, kType>(table, ScalarOp::kLog1p);
  set_unary<Sin, kType>(table, ScalarOp::kSin);
  set_unary<Cos, kType>(table, ScalarOp::kCos);
  set_unary<Tan, kType>(table, ScalarOp::kTan);
  set_unary<Asin, kType>(table, ScalarOp::kAsin);
  set_unary<Acos, kType>(table, ScalarOp::kAcos);
  set_unary<Atan, kType>(table, ScalarOp::kAtan);
  set_unary<Sinh, kType>(table, ScalarOp::kSinh);
  set_unary<Cosh, kType>(table, ScalarOp::kCosh);
  set_unary<Tanh, kType>(table, ScalarOp::kTanh);
  set_unary<Asinh, kType>(table, ScalarOp::kAsinh);
  set_unary<Acosh, kType>(table, ScalarOp::kAcosh);
  set_unary<Atanh, kType>(table, ScalarOp::kAtanh);
  set_unary<Erf, kType>(table, ScalarOp::kErf);
  set_unary<Erfc, kType>(table, ScalarOp::kErfc);
  set_unary<Erfinv, kType>(table, ScalarOp::kErfinv);
  set_unary<Lgamma, kType>(table, ScalarOp::kLgamma);
  set_unary<Digamma, kType>(table, ScalarOp::kDigamma);
  set_unary<BesselI0, kType>(table, ScalarOp::kI0);
  set_binary<DivFloor, kType>(table, ScalarOp::kDivFloor);
  set_binary<Remainder, kType>(table, ScalarOp::kRemainder);
  set_binary<Fmod, kType>(table, ScalarOp::kFmod);
  set_binary<Pow, kType>(table, ScalarOp::kPow);
  set_binary<Atan2, kType>(table, ScalarOp::kAtan2);
  set_binary<Hypot, kType>(table, ScalarOp::kHypot);
  set_binary<Nextafter, kType>(table, ScalarOp::kNextafter);
}

}  // namespace

void fill_rare_functions(LaneTable& table) {
  fill<DType::kF32>(table);
  fill<DType::kF64>(table);
}

}  // namespace ingot::runtime::cpu::INGOT_LANES
