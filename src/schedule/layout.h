// Where the elements of a buffer lie: the order of its dimensions in memory.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/graph.h"

namespace ingot::schedule {

// Dimensions from the outermost (largest stride) to the innermost (stride 1); a permutation.
using DimOrder = std::vector<int64_t>;

DimOrder row_major(int64_t rank);
bool is_row_major(const DimOrder& order);
// n, spatial…, c: for rank 3 to 5; row-major otherwise.
DimOrder channels_last(int64_t rank);

// Strides in elements, by dimension, of a dense buffer.
std::vector<sym::Expr> strides_of(const std::vector<sym::Expr>& sizes, const DimOrder& order);

// sum(index[i] * strides[i]).
sym::Expr linear_offset(const std::vector<sym::Expr>& index, const std::vector<sym::Expr>& strides);

}  // namespace ingot::schedule
