// Reads the keys and values of grouped queries where they are.
#pragma once

#include "passes/pass.h"

namespace ingot::passes {

// Attention whose keys and values were repeated for groups of query heads reads them unrepeated.
// Before: a functional graph without composite operators, views simplified. Values are the same bit
// by bit.
bool share_attention_heads(ir::Model& model, PassContext& context);

}  // namespace ingot::passes
