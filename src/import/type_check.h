// Compares the types that the export recorded with those that the operators give.
#pragma once

#include "import/import_context.h"

namespace ingot::pt2 {

// Checks every call of the model's graph, after all are there. Calls that an operator's own rules
// refuse as unsupported go to the report. Throws CompileError with the node's location: kBadGraph
// for a result that is used and recorded with another element type or shape than the operator
// gives; what an operator says about operands that do not fit together.
void check_types(ImportContext& context);

}  // namespace ingot::pt2
