// Arithmetic of f32 and f64 that needs no library function.
#include "runtime/cpu/lanes/lanes.h"

namespace ingot::runtime::cpu::INGOT_LANES {
namespace {

using program::ScalarOp;

struct Bits32 {
  using Type = uint32_t;
  static constexpr uint32_t kSign = 0x80000000u;
};
struct Bits64 {
  using Type = uint64_t;
  static constexpr uint64_t kSign = 0x8000000000000000u;
};
template <typename T>
struct BitsOf;
template <>
struct BitsOf<float> : Bits32 {};
template <>
struct BitsOf<double> : Bits64 {};

template <typename T>
typename BitsOf<T>::Type bits(T x) {
  return __builtin_bit_cast(typename BitsOf<T>::Type, x);
}
template <typename T>
T from_bits(typename BitsOf<T>::Type x) {
  return __builtin_bit_cast(T, x);
}

struct Neg {
  template <typename T>
  static T apply(T x) {
    return -x;
  }
};
struct Abs {
  template <typename T>
  static T apply(T x) {
    return from_bits<T>(bits(x) & ~BitsOf<T>::kSign);
  }
};
struct Sign {
  template <typename T>
  static T apply(T x) {
    return (x > 0 ? T(1) : T(0)) - (x < 0 ? T(1) : T(0));
  }
};
struct Sqrt {
  static float apply(float x) { return __builtin_sqrtf(x); }
  static double apply(double x) { return __builtin_sqrt(x); }
};
struct Rsqrt {
  template <typename T>
  static T apply(T x) {
    return T(1) / Sqrt::apply(x);
  }
};
struct Reciprocal {
  template <typename T>
  static T apply(T x) {
    return T(1) / x;
  }
};
struct IsNan {
  template <typename T>
  static uint8_t apply(T x) {
    return x != x;
  }
};
struct IsInf {
  template <typename T>
  static uint8_t apply(T x) {
    return Abs::apply(x) == static_cast<T>(__builtin_inf());
  }
};
struct Signbit {
  template <typename T>
  static uint8_t apply(T x) {
    return (bits(x) & BitsOf<T>::kSign) != 0;
  }
};
struct Floor {
  static float apply(float x) { return __builtin_floorf(x); }
  static double apply(double x) { return __builtin_floor(x); }
};
struct Ceil {
  static float apply(float x) { return __builtin_ceilf(x); }
  static double apply(double x) { return __builtin_ceil(x); }
};
struct Trunc {
  static float apply(float x) { return __builtin_truncf(x); }
  static double apply(double x) { return __builtin_trunc(x); }
};
struct Round {
  static float apply(float x) { return __builtin_nearbyintf(x); }
  static double apply(double x) { return __builtin_nearbyint(x); }
};

struct Add {
  template <typename T>
  static T apply(T x, T y) {
    return x + y;
  }
};
struct Sub {
  template <typename T>
  static T apply(T x, T y) {
    return x - y;
  }
};
struct Mul {
  template <typename T>
  static T apply(T x, T y) {
    return x * y;
  }
};
struct Div {
  template <typename T>
  static T apply(T x, T y) {
    return x / y;
  }
};
struct DivTrunc {
  template <typename T>
  static T apply(T x, T y) {
    return Trunc::apply(x / y);
  }
};
// A NaN on either side wins. The sum is NaN exactly then, or for opposite infinities, which the
// comparison decides.
struct Min {
  template <typename T>
  static T apply(T x, T y) {
    const T least = y < x ? y : x;
    return y != y ? y : least;
  }
};
struct Max {
  template <typename T>
  static T apply(T x, T y) {
    const T most = y > x ? y : x;
    return y != y ? y : most;
  }
};
struct Fmin {
  template <typename T>
  static T apply(T x, T y) {
    const T least = y < x ? y : x;
    return x != x ? y : least;
  }
};
struct Fmax {
  template <typename T>
  static T apply(T x, T y) {
    const T most = y > x ? y : x;
    return x != x ? y : most;
  }
};
struct Copysign {
  template <typename T>
  static T apply(T x, T y) {
    return from_bits<T>((bits(x) & ~BitsOf<T>::kSign) | (bits(y) & BitsOf<T>::kSign));
  }
};
struct Eq {
  template <typename T>
  static uint8_t apply(T x, T y) {
    return x == y;
  }
};
struct Ne {
  template <typename T>
  static uint8_t apply(T x, T y) {
    return x != y;
  }
};
struct Lt {
  template <typename T>
  static uint8_t apply(T x, T y) {
    return x < y;
  }
};
struct Le {
  template <typename T>
  static uint8_t apply(T x, T y) {
    return x <= y;
  }
};
struct Gt {
  template <typename T>
  static uint8_t apply(T x, T y) {
    return x > y;
  }
};
struct Ge {
  template <typename T>
  static uint8_t apply(T x, T y) {
    return x >= y;
  }
};
struct Fma {
  static float apply(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
  static double apply(double x, double y, double z) { return __builtin_fma(x, y, z); }
};

template <DType kType>
void fill(LaneTable& table) {
  set_unary<Neg, kType>(table, ScalarOp::kNeg);
  set_unary<Abs, kType>(table, ScalarOp::kAbs);
  set_unary<Sign, kType>(table, ScalarOp::kSign);
  set_unary<Sqrt, kType>(table, ScalarOp::kSqrt);
  set_unary<Rsqrt, kType>(table, ScalarOp::kRsqrt);
  set_unary<Reciprocal, kType>(table, ScalarOp::kReciprocal);
  set_unary<IsNan, kType>(table, ScalarOp::kIsNan);
  set_unary<IsInf, kType>(table, ScalarOp::kIsInf);
  set_unary<Signbit, kType>(table, ScalarOp::kSignbit);
  set_unary<Floor, kType>(table, ScalarOp::kFloor);
  set_unary<Ceil, kType>(table, ScalarOp::kCeil);
  set_unary<Trunc, kType>(table, ScalarOp::kTrunc);
  set_unary<Round, kType>(table, ScalarOp::kRound);
  set_binary_and_uniform<Add, kType>(table, ScalarOp::kAdd);
  set_binary_and_uniform<Sub, kType>(table, ScalarOp::kSub);
  set_binary_and_uniform<Mul, kType>(table, ScalarOp::kMul);
  set_binary_and_uniform<Div, kType>(table, ScalarOp::kDiv);
  set_binary<DivTrunc, kType>(table, ScalarOp::kDivTrunc);
  set_binary_and_uniform<Min, kType>(table, ScalarOp::kMin);
  set_binary_and_uniform<Max, kType>(table, ScalarOp::kMax);
  set_binary<Fmin, kType>(table, ScalarOp::kFmin);
  set_binary<Fmax, kType>(table, ScalarOp::kFmax);
  set_binary<Copysign, kType>(table, ScalarOp::kCopysign);
  set_binary_and_uniform<Eq, kType>(table, ScalarOp::kEq);
  set_binary_and_uniform<Ne, kType>(table, ScalarOp::kNe);
  set_binary_and_uniform<Lt, kType>(table, ScalarOp::kLt);
  set_binary_and_uniform<Le, kType>(table, ScalarOp::kLe);
  set_binary_and_uniform<Gt, kType>(table, ScalarOp::kGt);
  set_binary_and_uniform<Ge, kType>(table, ScalarOp::kGe);
  using T = Lane<kType>;
  table.compute[static_cast<int>(ScalarOp::kFma)][static_cast<int>(kType)][kAllVary] =
      Loops<Fma, T, T>::ternary;
}

}  // namespace

void fill_float_arithmetic(LaneTable& table) {
  fill<DType::kF32>(table);
  fill<DType::kF64>(table);
}

}  // namespace ingot::runtime::cpu::INGOT_LANES
