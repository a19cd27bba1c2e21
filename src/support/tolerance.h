// How close two results must be to count as equal: the one table for tests and `ingot verify`.
#pragma once

#include <cstdint>

#include "support/dtype.h"

namespace ingot {

// |actual - expected| <= absolute + relative * |expected|. Both 0: exact.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

// For results of the dtype; integers and bools are exact.
Tolerance tolerance_of(DType dtype);

// A 16-bit model that comes with float64 results passes if its error against them is at most this
// many times PyTorch's own.
inline constexpr double kErrorRatioOf16Bit = 2;

// NaN is close to NaN only, an infinity to itself only.
bool is_close(double actual, double expected, Tolerance tolerance);

}  // namespace ingot
