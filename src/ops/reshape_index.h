// Positions under a change of shape.
#pragma once

#include "ops/broadcast.h"
#include "ops/element.h"

namespace ingot::ops {

// The index into `to` of the element that lies at `index` in `from`, both row-major with equally
// many elements. Runs of dimensions with equal products are converted separately, so that splits
// and merges of single dimensions stay simple expressions.
Index reshape_index(const Sizes& from, const Index& index, const Sizes& to);

}  // namespace ingot::ops
