// Names the line of the user's Python in the runtime's errors.
#pragma once

#include "program/program.h"
#include "support/status.h"

namespace ingot::runtime {

// Adds "at model.py:12 in forward: x = table[i]" and "in layers.3 (Embedding), export node %x" to a
// failed status. Nothing when the program was stripped of its locations.
Status with_location(Status status, const program::Program& program, program::LocIndex loc);

}  // namespace ingot::runtime
