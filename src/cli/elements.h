// Single elements of arrays as numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arrays/array.h"

namespace ingot::cli {

// As a double; 64-bit integers beyond 2^53 round. The dtype is computable (support/dtype.h).
double load_element(DType dtype, const std::byte* element);
// Of an integer type or bool.
int64_t load_integer(DType dtype, const std::byte* element);
// Rounds to the float type.
void store_element(DType dtype, double value, std::byte* element);
// The value fits the integer type or bool.
void store_element(DType dtype, int64_t value, std::byte* element);
bool fits_integer(DType dtype, int64_t value);

// An array without dimensions.
arrays::Array scalar_array(bool value);
arrays::Array scalar_array(int64_t value);
arrays::Array scalar_array(double value);

}  // namespace ingot::cli
