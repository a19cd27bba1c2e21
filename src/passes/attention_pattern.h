// Attention that a graph has written out as matmul, scale, mask, softmax and matmul.
#pragma once

#include <optional>
#include <vector>

#include "ir/graph.h"
#include "passes/match.h"

namespace ingot::passes {

// What the steps between the two products come to.
struct AttentionPattern {
  ir::Value* query = nullptr;     // […, q, e]
  ir::Value* key = nullptr;       // […, e, k], as the first product reads it
  DType dtype = DType::kF32;      // of the factors of the first product
  ir::Value* mask = nullptr;      // bool or additive, broadcast to the scores; or null
  bool mask_hides = false;        // a bool mask is true where a key is hidden
  double hidden = 0;              // not 0: the score that a bool mask gives to hidden keys, finite
  std::vector<sym::Expr> scores;  // sizes of the scores
  double scale = 1;
  bool is_causal = false;
  bool masked_row_is_nan = true;
};

// The attention whose weighted sum `product` (an ingot.matmul) is, or nothing. The weights must
// have no other reader. Nothing is built, so that the graph stays as it is.
std::optional<AttentionPattern> match_attention(const Users& users, const ir::Node& product);

}  // namespace ingot::passes
