// What it costs to compute an element in place, in simple operations.
#pragma once

#include "ir/graph.h"

namespace ingot::schedule {

// From here on an operation counts as costly (exp, tanh, erf, …).
inline constexpr int kCostlyOperation = 8;

// Of one element of a node's result, its operands not counted. Reductions are costly.
int operation_cost(const ir::Node& node, uint32_t result);

struct InPlaceCost {
  int operations = 0;
  int loads = 0;
};

// Of one element of `value` with everything below it computed in place, up to inputs, templates and
// reductions (those count as loads). Stops counting beyond `limit` operations.
InPlaceCost in_place_cost(const ir::Value* value, int limit);

}  // namespace ingot::schedule
