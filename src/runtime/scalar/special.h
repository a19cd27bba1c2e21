// Special functions that the C++ library lacks, in double precision.
#pragma once

namespace ingot::runtime::scalar {

double erfinv(double x);     // NaN outside [-1, 1], infinite at its ends
double log_gamma(double x);  // log |gamma(x)|; touches no global state
double digamma(double x);    // PyTorch's: -inf or +inf at the zeros, NaN at negative integers
double bessel_i0(double x);  // modified, first kind, order 0

}  // namespace ingot::runtime::scalar
