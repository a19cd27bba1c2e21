// Operations on integers, which wrap; a division by zero gives 0.
#pragma once

#include "runtime/cpu/lanes/lanes.h"

namespace ingot::runtime::cpu::INGOT_LANES {

template <typename T>
using Unsigned = typename Wrapping<T>::Type;

struct Neg {
  template <typename T>
  static T apply(T x) {
    return static_cast<T>(0 - static_cast<Unsigned<T>>(x));
  }
};
struct Abs {
  template <typename T>
  static T apply(T x) {
    return x < 0 ? Neg::apply(x) : x;
  }
};
struct Sign {
  template <typename T>
  static T apply(T x) {
    return static_cast<T>((x > 0) - (x < 0));
  }
};
struct Signbit {
  template <typename T>
  static uint8_t apply(T x) {
    return x < 0;
  }
};
struct Not {
  template <typename T>
  static T apply(T x) {
    return static_cast<T>(~x);
  }
};
struct LogicalNot {
  static uint8_t apply(uint8_t x) { return x == 0; }
};

struct Add {
  template <typename T>
  static T apply(T x, T y) {
    return static_cast<T>(static_cast<Unsigned<T>>(x) + static_cast<Unsigned<T>>(y));
  }
};
struct Sub {
  template <typename T>
  static T apply(T x, T y) {
    return static_cast<T>(static_cast<Unsigned<T>>(x) - static_cast<Unsigned<T>>(y));
  }
};
struct Mul {
  template <typename T>
  static T apply(T x, T y) {
    // Narrow types would multiply as int, which can overflow.
    return static_cast<T>(static_cast<uint64_t>(x) * static_cast<uint64_t>(y));
  }
};
struct Min {
  template <typename T>
  static T apply(T x, T y) {
    return y < x ? y : x;
  }
};
struct Max {
  template <typename T>
  static T apply(T x, T y) {
    return y > x ? y : x;
  }
};
struct And {
  template <typename T>
  static T apply(T x, T y) {
    return static_cast<T>(x & y);
  }
};
struct Or {
  template <typename T>
  static T apply(T x, T y) {
    return static_cast<T>(x | y);
  }
};
struct Xor {
  template <typename T>
  static T apply(T x, T y) {
    return static_cast<T>(x ^ y);
  }
};
struct DivTrunc {
  template <typename T>
  static T apply(T x, T y) {
    if (y == 0) return 0;
    if (y == static_cast<T>(-1) && static_cast<T>(-1) < 0) return Neg::apply(x);
    return static_cast<T>(x / y);
  }
};
struct Fmod {
  template <typename T>
  static T apply(T x, T y) {
    if (y == 0 || (y == static_cast<T>(-1) && static_cast<T>(-1) < 0)) return 0;
    return static_cast<T>(x % y);
  }
};
struct DivFloor {
  template <typename T>
  static T apply(T x, T y) {
    const T rest = Fmod::apply(x, y);
    const T quotient = DivTrunc::apply(x, y);
    return static_cast<T>(quotient - (rest != 0 && (rest < 0) != (y < 0) ? 1 : 0));
  }
};
struct Remainder {
  template <typename T>
  static T apply(T x, T y) {
    const T rest = Fmod::apply(x, y);
    return static_cast<T>(rest + (rest != 0 && (rest < 0) != (y < 0) ? y : 0));
  }
};
struct Pow {
  template <typename T>
  static T apply(T base, T exponent) {
    if (exponent < 0) {
      if (base == 1) return 1;
      if (base == static_cast<T>(-1)) return static_cast<T>(exponent % 2 == 0 ? 1 : -1);
      return 0;
    }
    uint64_t result = 1;
    auto factor = static_cast<uint64_t>(base);
    for (auto rest = static_cast<uint64_t>(exponent); rest != 0; rest >>= 1) {
      if (rest & 1) result *= factor;
      factor *= factor;
    }
    return static_cast<T>(result);
  }
};
struct Shl {
  template <typename T>
  static T apply(T x, T y) {
    const bool inside = y >= 0 && y < static_cast<T>(sizeof(T) * 8);
    return inside ? static_cast<T>(static_cast<uint64_t>(x) << y) : T(0);
  }
};
struct Shr {
  template <typename T>
  static T apply(T x, T y) {
    const T last = static_cast<T>(sizeof(T) * 8 - 1);
    return static_cast<T>(x >> (y >= 0 && y <= last ? y : last));
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

}  // namespace ingot::runtime::cpu::INGOT_LANES
