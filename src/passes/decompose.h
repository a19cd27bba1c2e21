// Rewrites composite operators into the few that the scheduler knows.
#pragma once

#include <vector>

#include "passes/pass.h"

namespace ingot::passes {

// Before: a functional graph. After: no operator of kind kComposite is left.
bool decompose(ir::Model& model, PassContext& context);

// Rewrites one composite call, and the composite calls it turns into. The new nodes are before
// `node`, which stays. Returns what replaces its results.
std::vector<ir::Value*> decompose_call(ir::Graph& graph, ir::Node* node, PassContext& context);

}  // namespace ingot::passes
