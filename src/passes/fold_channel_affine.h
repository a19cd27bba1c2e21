// Folds batch norms, and whatever else scales channels by constants, into the weights before them.
#pragma once

#include "passes/pass.h"

namespace ingot::passes {

// A convolution or product with constant weights, followed by additions and multiplications with
// constants per output channel, becomes one with scaled weights and a single addition. The scaled
// weights depend on constants alone, so they are computed when the package is loaded. 16-bit
// weights are left alone, because scaled ones would have to be rounded. Before: a functional graph
// without composite operators, views and constants simplified. Results change in the last bits.
bool fold_channel_affine(ir::Model& model, PassContext& context);

}  // namespace ingot::passes
