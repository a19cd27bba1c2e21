// Checks that a model's graph is well-formed.
#pragma once

#include <string>

#include "ir/model.h"

namespace ingot::ir {

// What is wrong with a model, and where: an empty message if nothing is.
struct Fault {
  std::string message;
  LocId loc = kNoLoc;
};

// The first fault against: every operand is defined before its use and belongs to the graph,
// arguments fit their schema, bindings match inputs and outputs, symbols are declared, and every
// node has a location.
Fault find_fault(const Model& model);

// Throws InternalError with the fault's message, if there is one.
void verify(const Model& model);

}  // namespace ingot::ir
