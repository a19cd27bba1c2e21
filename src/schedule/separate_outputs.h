// Gives every output memory of its own.
#pragma once

#include "ir/model.h"

namespace ingot::schedule {

// Inserts copies for outputs that are constants, states or repeated, and before scatters into
// constants. User inputs returned as they are become OutputKind::kInput and leave the graph.
void separate_outputs(ir::Model& model);

}  // namespace ingot::schedule
