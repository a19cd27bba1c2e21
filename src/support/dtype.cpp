#include "support/dtype.h"

#include <array>

namespace ingot {
namespace {

struct DTypeInfo {
  std::string_view name;
  std::string_view torch_name;
  int64_t bytes;
};

constexpr std::array<DTypeInfo, kDTypeCount> kInfo = {{
    {"bool", "bool", 1},
    {"u8", "uint8", 1},
    {"i8", "int8", 1},
    {"i16", "int16", 2},
    {"i32", "int32", 4},
    {"i64", "int64", 8},
    {"f16", "float16", 2},
    {"bf16", "bfloat16", 2},
    {"f32", "float32", 4},
    {"f64", "float64", 8},
    {"u16", "uint16", 2},
    {"u32", "uint32", 4},
    {"u64", "uint64", 8},
    {"f8e4m3", "float8_e4m3fn", 1},
    {"f8e5m2", "float8_e5m2", 1},
    {"c32", "complex32", 4},
    {"c64", "complex64", 8},
    {"c128", "complex128", 16},
    {"f8e4m3fnuz", "float8_e4m3fnuz", 1},
    {"f8e5m2fnuz", "float8_e5m2fnuz", 1},
    {"f8e8m0", "float8_e8m0fnu", 1},
}};

const DTypeInfo& info(DType dtype) { return kInfo[static_cast<size_t>(dtype)]; }

}  // namespace

int64_t size_of(DType dtype) { return info(dtype).bytes; }
std::string_view to_string(DType dtype) { return info(dtype).name; }
std::string_view torch_name(DType dtype) { return info(dtype).torch_name; }

std::optional<DType> parse_dtype(std::string_view name) {
  for (size_t i = 0; i < kInfo.size(); ++i) {
    if (kInfo[i].name == name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

uint16_t f32_to_f16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u);
  if (magnitude >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);
  if (magnitude < 0x38800000u) {
    // Subnormal or zero: adding 0.5 lines the bits up at the end of the mantissa and rounds there.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000u));
  }
  const uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
  return static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

float f16_to_f32(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1fu;
  const uint32_t mantissa = bits & 0x3ffu;
  if (exponent == 0x1fu) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
  }
  return std::bit_cast<float>(sign | ((exponent + 112u) << 23) | (mantissa << 13));
}

}  // namespace ingot
