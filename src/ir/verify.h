// Checks that a model's graph is well-formed.
#pragma once

#include "ir/model.h"

namespace ingot::ir {

// Throws InternalError naming the node unless: every operand is defined before its use and belongs
// to the graph, arguments fit their schema, bindings match inputs and outputs, and nodes that came
// from the export or a pass have a location.
void verify(const Model& model);

}  // namespace ingot::ir
