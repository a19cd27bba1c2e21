// Element types of tensors, and the storage types float16 and bfloat16.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ingot {

// The numbers are part of the package format: append only.
enum class DType : uint8_t {
  kBool = 0,
  kU8 = 1,
  kI8 = 2,
  kI16 = 3,
  kI32 = 4,
  kI64 = 5,
  kF16 = 6,
  kBF16 = 7,
  kF32 = 8,
  kF64 = 9,
  // Read from archives and reported, but without kernels.
  kU16 = 10,
  kU32 = 11,
  kU64 = 12,
  kF8E4M3 = 13,
  kF8E5M2 = 14,
  kC32 = 15,
  kC64 = 16,
  kC128 = 17,
  kF8E4M3Fnuz = 18,
  kF8E5M2Fnuz = 19,
  kF8E8M0 = 20,
};
inline constexpr int kDTypeCount = 21;

// Bytes of one element.
int64_t size_of(DType dtype);
// Short name as the command line spells it: "f32", "bf16", "i64", "bool".
std::string_view to_string(DType dtype);
std::optional<DType> parse_dtype(std::string_view name);
// PyTorch's name: "float32", "bfloat16", "int64".
std::string_view torch_name(DType dtype);

constexpr bool is_float(DType d) {
  return d == DType::kF16 || d == DType::kBF16 || d == DType::kF32 || d == DType::kF64;
}
constexpr bool is_signed_int(DType d) {
  return d == DType::kI8 || d == DType::kI16 || d == DType::kI32 || d == DType::kI64;
}
constexpr bool is_int(DType d) { return is_signed_int(d) || d == DType::kU8; }
// True for the types that kernels compute with.
constexpr bool is_computable(DType d) { return static_cast<uint8_t>(d) <= 9; }
constexpr bool is_half(DType d) { return d == DType::kF16 || d == DType::kBF16; }
// The type eager PyTorch computes in: f32 for the 16-bit floats, the type itself otherwise.
constexpr DType compute_type(DType d) { return is_half(d) ? DType::kF32 : d; }

// Round-to-nearest-even conversions; NaN stays NaN, overflow becomes infinity.
uint16_t f32_to_f16(float value);
float f16_to_f32(uint16_t bits);

inline float bf16_to_f32(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}
inline uint16_t f32_to_bf16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

struct Half {
  uint16_t bits;
};
struct BFloat16 {
  uint16_t bits;
};

}  // namespace ingot
