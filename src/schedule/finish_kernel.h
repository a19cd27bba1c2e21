// Brings kernels into the form in which equal ones are equal.
#pragma once

#include <vector>

#include "program/kernel.h"

namespace ingot::schedule {

// Merges neighbouring axes that every index walks as one.
void collapse_axes(program::Body& body);

// Renames the program's symbols to d0, d1, …; returns their values, expressions over the program's
// symbols, in that order.
std::vector<sym::Expr> close_kernel(program::Kernel& kernel);

}  // namespace ingot::schedule
