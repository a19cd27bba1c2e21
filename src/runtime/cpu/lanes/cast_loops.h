// Conversions between element types, as PyTorch makes them on x86: floats truncate, and what an
// integer type cannot hold (or NaN) gives the smallest i32 or i64, of which narrower types keep the
// low bits. 16-bit floats go through f32.
#pragma once

#include "runtime/cpu/lanes/lanes.h"

#ifdef __F16C__
#include <immintrin.h>
#endif

namespace ingot::runtime::cpu::INGOT_LANES {

// The bits of 16-bit floats, as types of their own.
struct F16Bits {
  uint16_t bits;
};
struct BF16Bits {
  uint16_t bits;
};
template <>
struct LaneTraits<DType::kF16> {
  using Type = F16Bits;
};
template <>
struct LaneTraits<DType::kBF16> {
  using Type = BF16Bits;
};

inline float widen(F16Bits h) {
  const uint32_t magnitude = (h.bits & 0x7fffu) << 13;
  const uint32_t sign = (h.bits & 0x8000u) << 16;
  // The scale moves the exponent's bias, and makes subnormals normal.
  const float scaled = __builtin_bit_cast(float, magnitude) * 0x1p112f;
  const uint32_t finite = __builtin_bit_cast(uint32_t, scaled);
  const uint32_t special = magnitude | 0x7f800000u;
  return __builtin_bit_cast(float, sign | (magnitude >= 0x0f800000u ? special : finite));
}
inline float widen(BF16Bits h) {
  return __builtin_bit_cast(float, static_cast<uint32_t>(h.bits) << 16);
}

inline void narrow(float value, F16Bits& result) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  const uint32_t normal = (magnitude + 0xfffu + ((magnitude >> 13) & 1u) - 0x38000000u) >> 13;
  // Adding 0.5 lines the bits of a subnormal up at the end of the mantissa and rounds there.
  const float lined_up = __builtin_bit_cast(float, magnitude) + 0.5f;
  const uint32_t subnormal = __builtin_bit_cast(uint32_t, lined_up) - 0x3f000000u;
  uint32_t half = magnitude < 0x38800000u ? subnormal : normal;
  half = magnitude >= 0x477ff000u ? 0x7c00u : half;
  half = magnitude > 0x7f800000u ? 0x7e00u : half;
  result.bits = static_cast<uint16_t>(sign | half);
}
inline void narrow(float value, BF16Bits& result) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, value);
  const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  const uint32_t nan = (bits >> 16) | 0x40u;
  result.bits = static_cast<uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded);
}

template <typename T>
inline constexpr bool kIsReal = false;
template <>
inline constexpr bool kIsReal<float> = true;
template <>
inline constexpr bool kIsReal<double> = true;
template <typename T>
inline constexpr bool kIsHalf = false;
template <>
inline constexpr bool kIsHalf<F16Bits> = true;
template <>
inline constexpr bool kIsHalf<BF16Bits> = true;

template <typename T>
int32_t truncate_to_i32(T x) {
  const bool inside = x > static_cast<T>(-2147483649.0) && x < static_cast<T>(2147483648.0);
  // In f32 the lower bound is -2^31 itself, which fits.
  const bool lowest = x == static_cast<T>(-2147483648.0);
  return inside && !lowest ? static_cast<int32_t>(x) : INT32_MIN;
}
template <typename T>
int64_t truncate_to_i64(T x) {
  const bool inside = x >= static_cast<T>(-0x1p63) && x < static_cast<T>(0x1p63);
  return inside ? static_cast<int64_t>(x) : INT64_MIN;
}

template <DType kFrom, DType kTo>
Lane<kTo> convert(Lane<kFrom> x) {
  using From = Lane<kFrom>;
  using To = Lane<kTo>;
  if constexpr (kIsHalf<From>) {
    return convert<DType::kF32, kTo>(widen(x));
  } else if constexpr (kIsHalf<To>) {
    To result;
    narrow(static_cast<float>(x), result);
    return result;
  } else if constexpr (kTo == DType::kBool) {
    return x != 0;
  } else if constexpr (kIsReal<From> && kTo == DType::kI64) {
    return truncate_to_i64(x);
  } else if constexpr (kIsReal<From> && !kIsReal<To>) {
    return static_cast<To>(truncate_to_i32(x));
  } else {
    return static_cast<To>(x);
  }
}

template <DType kFrom, DType kTo>
void cast_loop(void* dst, const void* a, const void*, const void*, int64_t n) {
  auto* out = static_cast<Lane<kTo>*>(dst);
  const auto* in = static_cast<const Lane<kFrom>*>(a);
  int64_t i = 0;
#ifdef __F16C__
  if constexpr (kFrom == DType::kF16 && kTo == DType::kF32) {
    for (; i + 8 <= n; i += 8) {
      const __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i));
      _mm256_storeu_ps(reinterpret_cast<float*>(out + i), _mm256_cvtph_ps(half));
    }
  }
  if constexpr (kFrom == DType::kF32 && kTo == DType::kF16) {
    for (; i + 8 <= n; i += 8) {
      const __m256 value = _mm256_loadu_ps(reinterpret_cast<const float*>(in + i));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i),
                       _mm256_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT));
    }
  }
#endif
  INGOT_INDEPENDENT
  for (int64_t k = i; k < n; ++k) out[k] = convert<kFrom, kTo>(in[k]);
}

template <DType kFrom, DType kTo>
void set_cast(LaneTable& table) {
  table.cast[static_cast<int>(kFrom)][static_cast<int>(kTo)] = cast_loop<kFrom, kTo>;
}

template <DType kFrom>
void set_casts_from(LaneTable& table) {
  set_cast<kFrom, DType::kBool>(table);
  set_cast<kFrom, DType::kU8>(table);
  set_cast<kFrom, DType::kI8>(table);
  set_cast<kFrom, DType::kI16>(table);
  set_cast<kFrom, DType::kI32>(table);
  set_cast<kFrom, DType::kI64>(table);
  set_cast<kFrom, DType::kF16>(table);
  set_cast<kFrom, DType::kBF16>(table);
  set_cast<kFrom, DType::kF32>(table);
  set_cast<kFrom, DType::kF64>(table);
}

}  // namespace ingot::runtime::cpu::INGOT_LANES
