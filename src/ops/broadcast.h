// Broadcasting of symbolic sizes, in one place.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace ingot::ops {

using Sizes = std::vector<sym::Expr>;

// True when the two cannot be equal, whatever the symbols are.
bool provably_differ(const sym::Expr& a, const sym::Expr& b);

// The sizes both broadcast to: right-aligned; a dimension of size 1 stretches. Dimensions that are
// not 1 must be equal: what cannot be disproved is assumed (the export guards it). Throws
// CompileError (kShapeMismatch) otherwise.
Sizes broadcast_sizes(const Sizes& a, const Sizes& b);

// The sizes that all tensors among the arguments broadcast to; numbers and none have no say.
Sizes broadcast_sizes(const ir::Node& node, std::initializer_list<std::string_view> params);

// Where a value of `sizes` is read for the element at `index` of a broadcast result.
Sizes broadcast_index(const Sizes& sizes, std::span<const sym::Expr> index);

// "[s0, 4]", for messages.
std::string sizes_text(const Sizes& sizes);

}  // namespace ingot::ops
