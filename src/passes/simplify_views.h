// Removes views, casts and slices that do nothing, and merges chains of them.
#pragma once

#include "passes/pass.h"

namespace ingot::passes {

// Before: a functional graph without composite operators. After: no reshape of a reshape, permute
// of a permute, expand of an expand, slice of a slice along the same dimension, cast through a
// wider type, and no view that gives its operand unchanged; a slice of what was scattered or
// concatenated reads the part itself. Values are the same bit by bit.
bool simplify_views(ir::Model& model, PassContext& context);

}  // namespace ingot::passes
