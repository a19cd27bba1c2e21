// Arrays as text for people, in the manner of NumPy.
#pragma once

#include <string>

#include "arrays/array.h"

namespace ingot::cli {

// "[[1.    0.5  ]\n [0.125 2.    ]]": aligned columns, at most four decimals, the middle of large
// arrays left out. No line's end.
std::string format_array(const arrays::Array& array);

}  // namespace ingot::cli
