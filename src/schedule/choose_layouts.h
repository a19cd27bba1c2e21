// Chooses the memory order of convolution activations and weights.
#pragma once

#include "ir/model.h"
#include "schedule/grouping.h"

namespace ingot::schedule {

// Activations around convolutions become channels-last where nobody outside sees them, weights that
// are computed at load window-major with output channels innermost. Everything else is row-major.
void choose_layouts(const ir::Model& model, Grouping& grouping);

}  // namespace ingot::schedule
