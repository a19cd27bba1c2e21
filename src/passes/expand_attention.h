// Writes attention out as matrix products and a softmax.
#pragma once

#include "passes/pass.h"

namespace ingot::passes {

// Before: a functional graph without composite operators. After: no ingot.attention is left if the
// context asks for decomposed math (FusedAttention::kOff); otherwise nothing changes.
bool expand_attention(ir::Model& model, PassContext& context);

}  // namespace ingot::passes
