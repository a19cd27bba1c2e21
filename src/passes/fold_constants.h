// Computes at compile time what depends on constants of the program text alone.
#pragma once

#include "passes/pass.h"

namespace ingot::passes {

// Before: a functional graph without composite operators. After: an elementwise operator or view of
// tensors that hold one constant number each is such a tensor itself (aten.full), and arithmetic
// that gives its operand back (x * 1, x - 0, x and true) is gone. Exact: x + 0.0 stays, because it
// turns -0.0 into 0.0. Weights are not folded here; the package's init block computes with them.
bool fold_constants(ir::Model& model, PassContext& context);

}  // namespace ingot::passes
