// Simplifies the integer expressions of a graph with what is known of its symbols.
#pragma once

#include "passes/pass.h"

namespace ingot::passes {

// Every size and integer argument becomes its simplest form within the ranges of the symbols:
// max(0, s0) is s0 where a size cannot be negative. After: sizes that are equal for all values are
// more often equal as expressions, so that other passes see that a view does nothing.
bool simplify_sizes(ir::Model& model, PassContext& context);

}  // namespace ingot::passes
