// Makes up the inputs that `bench` was not given.
#pragma once

#include "cli/call_values.h"

namespace ingot::cli {

// `given` completed by random tensors and small scalars of fixed seed: floats are normal, integers
// and bools 0 or 1, so that they are valid indices. Sizes of dynamic dimensions follow from the
// given inputs, else they are the first of 16, 8, 32, 64, … that the model accepts. Throws
// CompileError when no size is accepted.
CallValues complete_inputs(CallValues given, const program::Program& program);

}  // namespace ingot::cli
