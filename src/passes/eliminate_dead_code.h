// Removes nodes that nobody needs.
#pragma once

#include "passes/pass.h"

namespace ingot::passes {

// Before: a functional graph (a write into an operand would count as unused). After: every node is
// read by a later node or an output, or has an effect: it asserts something about data.
bool eliminate_dead_code(ir::Model& model, PassContext& context);

}  // namespace ingot::passes
