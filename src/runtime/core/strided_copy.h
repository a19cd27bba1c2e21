// Copies between strided tensors in host memory; what host devices do for Queue::copy_strided.
#pragma once

#include "runtime/core/device.h"

namespace ingot::runtime {

// At most kMaxRank dimensions. Elements of 1, 2, 4, 8 or 16 bytes, at any alignment.
void copy_strided_on_host(const StridedCopy& copy);

}  // namespace ingot::runtime
