// Elementary functions of f32 without branches or calls, so that loops over them become vector
// code. Errors are below 2 ulp. Polynomials are minimax fits of the functions named beside them.
#pragma once

#include "runtime/cpu/lanes/lanes.h"

namespace ingot::runtime::cpu::INGOT_LANES {

inline float as_float(uint32_t bits) { return __builtin_bit_cast(float, bits); }
inline uint32_t as_bits(float value) { return __builtin_bit_cast(uint32_t, value); }

// Adding this rounds a float to an integer, which then lies in its low bits.
inline constexpr float kRoundToInt = 0x1.8p23f;
inline constexpr float kLog2E = 0x1.715476p+0f;
// ln 2 in two parts; the first has few enough bits that products with small integers are exact.
inline constexpr float kLn2High = 0x1.62e4p-1f;
inline constexpr float kLn2Low = 0x1.7f7d1cp-20f;

inline float exp_lane(float x) {
  float clamped = x > 89.0f ? 89.0f : x;
  clamped = clamped < -104.0f ? -104.0f : clamped;
  const float shifted = clamped * kLog2E + kRoundToInt;
  const float n = shifted - kRoundToInt;
  const float r = clamped - n * kLn2High - n * kLn2Low;
  // (exp(r) - 1 - r) / r^2
  float p = 0x1.6b5f82p-10f;
  p = p * r + 0x1.12330cp-7f;
  p = p * r + 0x1.55569ep-5f;
  p = p * r + 0x1.5554a0p-3f;
  p = p * r + 0x1.000000p-1f;
  const float mantissa = p * (r * r) + r + 1.0f;
  // 2^n in two factors, so that results may be subnormal or overflow.
  const auto exponent = static_cast<int32_t>(as_bits(shifted) - as_bits(kRoundToInt));
  const int32_t half = exponent >> 1;
  const float scale1 = as_float(static_cast<uint32_t>(half + 127) << 23);
  const float scale2 = as_float(static_cast<uint32_t>(exponent - half + 127) << 23);
  return mantissa * scale1 * scale2;
}

inline float tanh_lane(float x) {
  const float a = as_float(as_bits(x) & 0x7fffffffu);
  const float z = x * x;
  // (tanh(x) / x - 1) / x^2 for small x
  float p = -0x1.81f540p-8f;
  p = p * z + 0x1.5542e0p-6f;
  p = p * z + -0x1.b8cc90p-5f;
  p = p * z + 0x1.110c78p-3f;
  p = p * z + -0x1.555554p-2f;
  const float small = p * z * x + x;
  const float large = 1.0f - 2.0f / (exp_lane(2.0f * a) + 1.0f);
  const float signed_large = as_float(as_bits(large) | (as_bits(x) & 0x80000000u));
  return a < 0.625f ? small : signed_large;
}

inline float erf_lane(float x) {
  const float a = as_float(as_bits(x) & 0x7fffffffu);
  const float z = x * x;
  // erf(x) / x - 1 for small x
  float p = 0x1.3d0bdcp-14f;
  p = p * z + -0x1.9f2d4cp-11f;
  p = p * z + 0x1.535832p-8f;
  p = p * z + -0x1.b7e36cp-6f;
  p = p * z + 0x1.ce2bdcp-4f;
  p = p * z + -0x1.81273ap-2f;
  p = p * z + 0x1.06eba8p-3f;
  const float small = p * x + x;
  // -log(erfc(t)); beyond 4 the result is 1 to the last bit.
  const float t = a > 4.0f ? 4.0f : a;
  float q = 0x1.5ad746p-16f;
  q = q * t + -0x1.c05de0p-12f;
  q = q * t + 0x1.0ef222p-8f;
  q = q * t + -0x1.9a0952p-6f;
  q = q * t + 0x1.bb042ep-4f;
  q = q * t + 0x1.4450b0p-1f;
  q = q * t + 0x1.212668p+0f;
  q = q * t + -0x1.6caec6p-13f;
  const float large = 1.0f - exp_lane(-q);
  const float signed_large = as_float(as_bits(large) | (as_bits(x) & 0x80000000u));
  return a < 1.0f ? small : signed_large;
}

inline float log_lane(float x) {
  // Subnormals are scaled up first.
  const bool tiny = x < 0x1p-126f;
  const float scaled = tiny ? x * 0x1p23f : x;
  const uint32_t bits = as_bits(scaled);
  // The mantissa's range is [sqrt(1/2), sqrt(2)).
  const uint32_t shifted = bits - 0x3f3504f3u;
  const auto exponent = static_cast<int32_t>(shifted) >> 23;
  const float e = static_cast<float>(exponent) - (tiny ? 23.0f : 0.0f);
  const float f = as_float((shifted & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
  // (log(1 + f) - f + f^2 / 2) / f^3
  float p = -0x1.3b4a60p-4f;
  p = p * f + 0x1.059b1ep-3f;
  p = p * f + -0x1.0d0ab2p-3f;
  p = p * f + 0x1.22c020p-3f;
  p = p * f + -0x1.547e94p-3f;
  p = p * f + 0x1.99a284p-3f;
  p = p * f + -0x1.0001f8p-2f;
  p = p * f + 0x1.55554cp-2f;
  const float z = f * f;
  const float small = p * z * f + e * kLn2Low - 0.5f * z;
  const float result = e * kLn2High + (small + f);
  const float infinity = __builtin_inff();
  const float positive = x == infinity ? infinity : result;
  const float at_zero = x == 0.0f ? -infinity : positive;
  return x < 0.0f || x != x ? __builtin_nanf("") : at_zero;
}

}  // namespace ingot::runtime::cpu::INGOT_LANES
