#include "support/tolerance.h"

#include <cmath>

namespace ingot {

Tolerance tolerance_of(DType dtype) {
  switch (dtype) {
    case DType::kF64:
      return {1e-7, 1e-8};
    case DType::kF32:
      return {1e-4, 1e-5};
    case DType::kF16:
    case DType::kBF16:
      return {1e-2, 1e-2};
    default:
      return {};
  }
}

bool is_close(double actual, double expected, Tolerance tolerance) {
  if (std::isnan(actual) || std::isnan(expected)) return std::isnan(actual) == std::isnan(expected);
  if (std::isinf(actual) || std::isinf(expected)) return actual == expected;
  return std::abs(actual - expected) <=
         tolerance.absolute + tolerance.relative * std::abs(expected);
}

}  // namespace ingot
