// Computes what is computed twice only once.
#pragma once

#include "passes/pass.h"

namespace ingot::passes {

// Before: a functional graph. After: no two calls of one operator have the same arguments, except
// calls with effects, with sub-graphs or of random numbers.
bool eliminate_common_subexpressions(ir::Model& model, PassContext& context);

}  // namespace ingot::passes
