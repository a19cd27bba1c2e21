// Dimensions and loops that references share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/diagnostics.h"

namespace ingot::ops {

// A dimension counted from either end as a position. Throws CompileError outside the rank.
inline size_t normal_dim(int64_t dim, int64_t rank) {
  const int64_t wrapped = dim < 0 ? dim + rank : dim;
  if (wrapped < 0 || wrapped >= rank) {
    throw CompileError(Diag::kShapeMismatch, "dimension " + std::to_string(dim) +
                                                 " of a tensor of rank " + std::to_string(rank));
  }
  return static_cast<size_t>(wrapped);
}

// Calls visit(index) for every index of `sizes`, row-major; once for no sizes.
template <typename Visit>
void for_each_index(const std::vector<int64_t>& sizes, Visit visit) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  std::vector<int64_t> index(sizes.size(), 0);
  for (int64_t position = 0; position < count; ++position) {
    visit(index);
    for (size_t d = sizes.size(); d-- > 0;) {
      if (++index[d] < sizes[d]) break;
      index[d] = 0;
    }
  }
}

}  // namespace ingot::ops
