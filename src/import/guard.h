// The conditions that an export relies on: ranges of sizes and the guards it wrote as Python.
#pragma once

#include "import/import_context.h"

namespace ingot::pt2 {

// Adds to context.model.guards: ranges of expressions (2*s0 in [4, 20]) and the program's guards,
// in the user's terms ("x.size(0) % 8 == 0"). Those that hold anyway, given the ranges of the
// symbols, are left out; those that Ingot does not understand become warnings. The model's inputs
// and symbols must be there.
void import_guards(ImportContext& context);

}  // namespace ingot::pt2
