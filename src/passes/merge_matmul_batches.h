// Makes one product of many that share a factor.
#pragma once

#include "passes/pass.h"

namespace ingot::passes {

// A batch of products with one and the same matrix on the right becomes a single product of all
// rows. Before: a functional graph without composite operators, views simplified. Values are the
// same, but may be summed in another order.
bool merge_matmul_batches(ir::Model& model, PassContext& context);

}  // namespace ingot::passes
