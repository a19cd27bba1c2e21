#include "support/special_functions.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace ingot {

double erf_inverse(double x) {
  if (std::isnan(x) || x < -1 || x > 1) return std::numeric_limits<double>::quiet_NaN();
  if (x == 1 || x == -1) return std::copysign(std::numeric_limits<double>::infinity(), x);
  if (x == 0) return x;
  // Winitzki's approximation, then Newton steps on erf (erfc in the tail, where 1 - x cancels).
  const double a = 0.147;
  const double log_term = std::log1p(-x * x);
  const double b = 2 / (std::numbers::pi * a) + log_term / 2;
  double y = std::sqrt(std::sqrt(b * b - log_term / a) - b);
  const double target = std::abs(x);
  for (int i = 0; i < 4; ++i) {
    const double error = target > 0.5 ? (1 - target) - std::erfc(y) : std::erf(y) - target;
    const double slope = 2 * std::numbers::inv_sqrtpi * std::exp(-y * y);
    // Halley's correction: the second derivative of erf is -2 y times the first.
    const double step = error / slope;
    y -= step / (1 + y * step);
  }
  return std::copysign(y, x);
}

double digamma(double x) {
  if (x == 0) return std::copysign(std::numeric_limits<double>::infinity(), -x);
  if (x < 0) {
    if (x == std::floor(x)) return std::numeric_limits<double>::quiet_NaN();
    double whole = 0;
    const double fraction = std::modf(x, &whole);
    return digamma(1 - x) - std::numbers::pi / std::tan(std::numbers::pi * fraction);
  }
  // Recurrence up to where the asymptotic series has converged.
  double shift = 0;
  for (; x < 10; ++x) shift -= 1 / x;
  const double z = 1 / (x * x);
  const double series =
      z * (1.0 / 12 - z * (1.0 / 120 -
                           z * (1.0 / 252 -
                                z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760 - z / 12))))));
  return shift + std::log(x) - 0.5 / x - series;
}

double bessel_i0(double x) {
  const double magnitude = std::abs(x);
  if (magnitude > 700) return std::exp(magnitude) / std::sqrt(2 * std::numbers::pi * magnitude);
  return std::cyl_bessel_i(0.0, magnitude);
}

}  // namespace ingot
