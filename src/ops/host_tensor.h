// Tensors in host memory and single numbers of any dtype, for the graph evaluator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/dtype.h"

namespace ingot::ops {

// One element: floats (16-bit ones too) are in `real`, integers and bools in `integer`.
struct Number {
  DType dtype = DType::kF32;
  double real = 0;
  int64_t integer = 0;

  double as_double() const { return is_float(dtype) ? real : static_cast<double>(integer); }
};

// The number of `dtype` nearest to a double: floats round, integers wrap, bools are value != 0.
Number to_number(DType dtype, double value);
// An integer wrapped to the width of `dtype` (kBool: value != 0).
Number to_integer(DType dtype, int64_t value);
// As PyTorch's `to`: floats truncate to integers, anything non-zero is true.
Number convert(const Number& value, DType dtype);

// Row-major and dense.
struct HostTensor {
  DType dtype = DType::kF32;
  std::vector<int64_t> sizes;
  std::vector<std::byte> data;

  HostTensor() = default;
  HostTensor(DType type, std::vector<int64_t> shape);  // zeros

  int64_t elements() const;
  Number get(int64_t position) const;
  void set(int64_t position, const Number& value);  // of the tensor's dtype
};

}  // namespace ingot::ops
