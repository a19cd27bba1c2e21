// Turns a training graph, whose operators write tensors and share memory, into one of pure values.
#pragma once

#include "passes/pass.h"

namespace ingot::passes {

// In-place operators, `out=` forms and writes through views become functional operators; every
// other view of written memory is made again from its new contents. A weight that is written
// becomes a state with a kStateMutation output, a caller's tensor gets a kInputMutation output.
// Before: any graph whose operators are all supported. After: no operator writes an argument.
// Throws CompileError (kUnsupportedCase) for a write through overlapping elements.
bool functionalize(ir::Model& model, PassContext& context);

}  // namespace ingot::passes
