// Mathematical functions that PyTorch has and the C++ library lacks, in double precision.
#pragma once

namespace ingot {

double erf_inverse(double x);  // NaN outside [-1, 1]
double digamma(double x);
double bessel_i0(double x);  // modified, first kind, order 0

}  // namespace ingot
