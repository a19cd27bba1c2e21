// Finds the operators that Ingot has no definition of.
#pragma once

#include "passes/pass.h"

namespace ingot::passes {

// Throws one CompileError (kUnsupportedOperator) that lists each operator without a definition with
// its number of calls and the user's Python line of the first, sub-graphs included. Changes
// nothing. Before: any model. After: every Operator::def is set.
bool check_supported(ir::Model& model, PassContext& context);

}  // namespace ingot::passes
