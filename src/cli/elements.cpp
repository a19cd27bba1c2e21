#include "cli/elements.h"

#include <cstring>
#include <limits>

namespace ingot::cli {
namespace {

template <typename T>
T load(const std::byte* element) {
  T value;
  std::memcpy(&value, element, sizeof value);
  return value;
}

template <typename T>
void store(T value, std::byte* element) {
  std::memcpy(element, &value, sizeof value);
}

template <typename T>
bool fits(int64_t value) {
  return value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max();
}

template <typename T>
arrays::Array scalar_of(DType dtype, T value) {
  arrays::Array array{dtype, {}, std::vector<std::byte>(sizeof value)};
  store(value, array.bytes.data());
  return array;
}

}  // namespace

int64_t load_integer(DType dtype, const std::byte* element) {
  switch (dtype) {
    case DType::kBool:
    case DType::kU8:
      return load<uint8_t>(element);
    case DType::kI8:
      return load<int8_t>(element);
    case DType::kI16:
      return load<int16_t>(element);
    case DType::kU16:
      return load<uint16_t>(element);
    case DType::kI32:
      return load<int32_t>(element);
    case DType::kU32:
      return load<uint32_t>(element);
    default:
      return load<int64_t>(element);
  }
}

double load_element(DType dtype, const std::byte* element) {
  switch (dtype) {
    case DType::kF16:
      return f16_to_f32(load<uint16_t>(element));
    case DType::kBF16:
      return bf16_to_f32(load<uint16_t>(element));
    case DType::kF32:
      return load<float>(element);
    case DType::kF64:
      return load<double>(element);
    default:
      return static_cast<double>(load_integer(dtype, element));
  }
}

void store_element(DType dtype, double value, std::byte* element) {
  switch (dtype) {
    case DType::kF16:
      return store(f32_to_f16(static_cast<float>(value)), element);
    case DType::kBF16:
      return store(f32_to_bf16(static_cast<float>(value)), element);
    case DType::kF32:
      return store(static_cast<float>(value), element);
    default:
      return store(value, element);
  }
}

void store_element(DType dtype, int64_t value, std::byte* element) {
  // Little-endian: the low bytes come first.
  std::memcpy(element, &value, static_cast<size_t>(size_of(dtype)));
}

bool fits_integer(DType dtype, int64_t value) {
  switch (dtype) {
    case DType::kBool:
      return value == 0 || value == 1;
    case DType::kU8:
      return fits<uint8_t>(value);
    case DType::kI8:
      return fits<int8_t>(value);
    case DType::kI16:
      return fits<int16_t>(value);
    case DType::kI32:
      return fits<int32_t>(value);
    default:
      return true;
  }
}

arrays::Array scalar_array(bool value) { return scalar_of(DType::kBool, value); }
arrays::Array scalar_array(int64_t value) { return scalar_of(DType::kI64, value); }
arrays::Array scalar_array(double value) { return scalar_of(DType::kF64, value); }

}  // namespace ingot::cli
