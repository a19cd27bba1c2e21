// Compares a result with what it should be.
#pragma once

#include <optional>
#include <string>

#include "arrays/array.h"
#include "support/tolerance.h"

namespace ingot::cli {

struct Comparison {
  bool equal = false;
  double max_absolute = 0;  // largest |actual - expected|
  double max_relative = 0;  // largest |actual - expected| / |expected|, where that is not 0
  std::string text;         // by which rule, and what differs
};

// `expected` may hold the bits of a type that NumPy lacks. With `reference`, the float64 results of
// a 16-bit model, the error against it is compared with that of `expected`. `tolerance` replaces
// the table of support/tolerance.h.
Comparison compare(const arrays::Array& actual, const arrays::Array& expected,
                   const arrays::Array* reference, std::optional<Tolerance> tolerance);

}  // namespace ingot::cli
