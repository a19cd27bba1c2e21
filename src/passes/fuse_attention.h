// Recognises attention that was written out, by the user or by the exporter.
#pragma once

#include "passes/pass.h"

namespace ingot::passes {

// matmul → scale → mask → softmax → matmul becomes ingot.attention, with or without the chain by
// which PyTorch gives fully masked rows zeros; a mask of positions becomes `is_causal`, and heads
// repeated for grouped queries are read in place. The weights must have no other reader. Does
// nothing if the context asks for decomposed math. Before: a functional graph without composite
// operators, views and constants simplified. The scores are not rounded between the steps.
bool fuse_attention(ir::Model& model, PassContext& context);

}  // namespace ingot::passes
