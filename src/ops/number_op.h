// Kernel arithmetic on single numbers, in their exact dtype: what the evaluator computes with.
#pragma once

#include <span>

#include "ops/host_tensor.h"
#include "program/kernel.h"

namespace ingot::ops {

// Operands of one dtype (kSelect: a bool, then two alike). 16-bit floats compute in f32 and round.
// Throws InternalError for an operation that the dtype does not have.
Number apply_op(program::ScalarOp op, std::span<const Number> args);

}  // namespace ingot::ops
