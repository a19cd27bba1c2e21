#include "runtime/scalar/special.h"

#include <cmath>
#include <limits>

namespace ingot::runtime::scalar {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kTwoOverSqrtPi = 1.12837916709551257390;

}  // namespace

double erfinv(double x) {
  if (!(x >= -1 && x <= 1)) return std::numeric_limits<double>::quiet_NaN();
  if (x == 1 || x == -1) return std::copysign(std::numeric_limits<double>::infinity(), x);
  // A start good to two digits, then Halley's method on erf(y) = x, on the side of erfc near 1.
  const double a = std::fabs(x);
  const double w = std::log((1 - a) * (1 + a));
  const double t = 2 / (kPi * 0.147) + w / 2;
  double y = std::sqrt(std::sqrt(t * t - w / 0.147) - t);
  for (int i = 0; i < 4 && y > 0; ++i) {
    const double error = a > 0.5 ? (1 - a) - std::erfc(y) : std::erf(y) - a;
    const double step = error / (kTwoOverSqrtPi * std::exp(-y * y));
    y -= step / (1 + y * step);
  }
  return std::copysign(y, x);
}

double log_gamma(double x) {
  if (std::isnan(x)) return x;
  if (std::isinf(x)) return std::numeric_limits<double>::infinity();
  if (x <= 0) {
    if (x == std::floor(x)) return std::numeric_limits<double>::infinity();
    const double fraction = x - std::floor(x);
    return std::log(kPi / std::fabs(std::sin(kPi * fraction))) - log_gamma(1 - x);
  }
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

double digamma(double x) {
  if (x == 0) return std::copysign(std::numeric_limits<double>::infinity(), -x);
  if (x < 0) {
    if (x == std::floor(x)) return std::numeric_limits<double>::quiet_NaN();
    const double fraction = x - std::floor(x);
    return digamma(1 - x) - kPi / std::tan(kPi * fraction);
  }
  double result = 0;
  for (; x < 10; x += 1) result -= 1 / x;
  const double r = 1 / (x * x);
  const double series =
      r * (1.0 / 12 - r * (1.0 / 120 -
                           r * (1.0 / 252 -
                                r * (1.0 / 240 - r * (1.0 / 132 - r * (691.0 / 32760 - r / 12))))));
  return result + std::log(x) - 0.5 / x - series;
}

double bessel_i0(double x) {
  const double a = std::fabs(x);
  if (std::isinf(a)) return a;
  if (a < 30) {
    // The power series: all terms are positive.
    const double q = a * a / 4;
    double term = 1;
    double sum = 1;
    for (int k = 1; term > sum * 1e-17; ++k) {
      term *= q / (static_cast<double>(k) * k);
      sum += term;
    }
    return sum;
  }
  // The asymptotic series, cut where its terms are smallest.
  double term = 1;
  double sum = 1;
  for (int k = 1; k < 30; ++k) {
    const double odd = 2 * k - 1;
    const double next = term * odd * odd / (8 * k * a);
    if (!(next < term)) break;
    term = next;
    sum += term;
  }
  const double half = std::exp(a / 2);
  return half * (half / std::sqrt(2 * kPi * a)) * sum;
}

}  // namespace ingot::runtime::scalar
