// Inserts the casts of an autocast region, which the export records only through result types.
#pragma once

#include <vector>

#include "ir/graph.h"

namespace ingot::pt2 {

// The export kept a region's calls as they were before autocast, but its results as they are after
// it. Where `recorded` (the results' types) is not what the operator gives for `args`, casts the
// floating-point operands to the recorded element type, as autocast does, and checks that this
// explains the results. The casts go to the end of `graph`. False if it does not.
bool apply_autocast(ir::Graph& graph, const ir::Operator& op, std::vector<ir::Arg>& args,
                    const std::vector<ir::TensorType>& recorded, ir::LocId loc);

}  // namespace ingot::pt2
