// Checks that a program is well formed: every index in range, every instruction typed, every
// expression over the symbols of its place. Who executes a program relies on all of it.
#pragma once

#include "program/program.h"
#include "support/status.h"

namespace ingot::program {

// Fails with Diag::kBadPackage and the place at fault. Values that only a run knows (sizes of
// dynamic dimensions, arena offsets, whether an index is inside its buffer) are not checked here:
// see program/access.h and program/layout.h.
Status validate(const Program& program);

}  // namespace ingot::program
