#include "ops/host_tensor.h"

#include <cmath>
#include <cstring>

#include "support/diagnostics.h"

namespace ingot::ops {
namespace {

template <typename T>
T read(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <typename T>
void write(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

double round_to(DType dtype, double value) {
  switch (dtype) {
    case DType::kF64:
      return value;
    case DType::kF16:
      return f16_to_f32(f32_to_f16(static_cast<float>(value)));
    case DType::kBF16:
      return bf16_to_f32(f32_to_bf16(static_cast<float>(value)));
    default:
      return static_cast<float>(value);
  }
}

// The conversion that x86 and PyTorch's CPU kernels do; what is out of range is INT64_MIN.
int64_t truncate(double value) {
  return value >= -0x1p63 && value < 0x1p63 ? static_cast<int64_t>(value) : INT64_MIN;
}

}  // namespace

Number to_integer(DType dtype, int64_t value) {
  switch (dtype) {
    case DType::kBool:
      return {dtype, 0, value != 0};
    case DType::kU8:
      return {dtype, 0, static_cast<uint8_t>(value)};
    case DType::kI8:
      return {dtype, 0, static_cast<int8_t>(value)};
    case DType::kI16:
      return {dtype, 0, static_cast<int16_t>(value)};
    case DType::kI32:
      return {dtype, 0, static_cast<int32_t>(value)};
    default:
      return {dtype, 0, value};
  }
}

Number to_number(DType dtype, double value) {
  if (is_float(dtype)) return {dtype, round_to(dtype, value), 0};
  if (dtype == DType::kBool) return to_integer(dtype, value != 0);
  return to_integer(dtype, truncate(value));
}

Number convert(const Number& value, DType dtype) {
  if (is_float(value.dtype)) return to_number(dtype, value.real);
  if (!is_float(dtype)) return to_integer(dtype, value.integer);
  // Straight from the integer: through a double, large ones would round twice.
  if (dtype == DType::kF64) return {dtype, static_cast<double>(value.integer), 0};
  return {dtype, round_to(dtype, static_cast<float>(value.integer)), 0};
}

HostTensor::HostTensor(DType type, std::vector<int64_t> shape)
    : dtype(type), sizes(std::move(shape)) {
  data.resize(static_cast<size_t>(elements() * size_of(dtype)));
}

int64_t HostTensor::elements() const {
  int64_t count = 1;
  for (int64_t size : sizes) count *= size;
  return count;
}

Number HostTensor::get(int64_t position) const {
  const std::byte* from = data.data() + position * size_of(dtype);
  switch (dtype) {
    case DType::kBool:
    case DType::kU8:
      return {dtype, 0, read<uint8_t>(from)};
    case DType::kI8:
      return {dtype, 0, read<int8_t>(from)};
    case DType::kI16:
      return {dtype, 0, read<int16_t>(from)};
    case DType::kI32:
      return {dtype, 0, read<int32_t>(from)};
    case DType::kI64:
      return {dtype, 0, read<int64_t>(from)};
    case DType::kF16:
      return {dtype, f16_to_f32(read<uint16_t>(from)), 0};
    case DType::kBF16:
      return {dtype, bf16_to_f32(read<uint16_t>(from)), 0};
    case DType::kF32:
      return {dtype, read<float>(from), 0};
    case DType::kF64:
      return {dtype, read<double>(from), 0};
    default:
      throw InternalError("no numbers of " + std::string(to_string(dtype)));
  }
}

void HostTensor::set(int64_t position, const Number& value) {
  INGOT_CHECK(value.dtype == dtype, "a number of another dtype than its tensor");
  std::byte* to = data.data() + position * size_of(dtype);
  switch (dtype) {
    case DType::kF16:
      return write(to, f32_to_f16(static_cast<float>(value.real)));
    case DType::kBF16:
      return write(to, f32_to_bf16(static_cast<float>(value.real)));
    case DType::kF32:
      return write(to, static_cast<float>(value.real));
    case DType::kF64:
      return write(to, value.real);
    case DType::kBool:
    case DType::kU8:
    case DType::kI8:
      return write(to, static_cast<uint8_t>(value.integer));
    case DType::kI16:
      return write(to, static_cast<int16_t>(value.integer));
    case DType::kI32:
      return write(to, static_cast<int32_t>(value.integer));
    case DType::kI64:
      return write(to, value.integer);
    default:
      throw InternalError("no numbers of " + std::string(to_string(dtype)));
  }
}

}  // namespace ingot::ops
