// The dimensions that a reduction operator names, in PyTorch's many spellings.
#pragma once

#include "ops/index_space.h"
#include "ops/op_def.h"

namespace ingot::ops {

// The dimensions to fold, ascending: those of `dim`, or all when it is absent, none or empty.
std::vector<int64_t> fold_dims(const Node& node, int64_t rank);
std::vector<int64_t> fold_dims(const RefArgs& args, int64_t rank);

// Whether the call keeps folded dimensions as size 1.
bool keeps_dims(const Node& node);

// The sizes that are left.
std::vector<sym::Expr> folded_sizes(const std::vector<sym::Expr>& sizes,
                                    const std::vector<int64_t>& dims, bool keepdim);

// Calls visit(position in the result, element) for every element of `self`, row-major.
template <typename Visit>
void for_each_folded(const RefTensor& self, const std::vector<int64_t>& dims, Visit visit) {
  std::vector<int64_t> kept = self.sizes;
  for (const int64_t dim : dims) kept[static_cast<size_t>(dim)] = 1;
  RefTensor result;
  result.sizes = kept;
  for_each_index(self.sizes, [&](const std::vector<int64_t>& index) {
    std::vector<int64_t> target = index;
    for (const int64_t dim : dims) target[static_cast<size_t>(dim)] = 0;
    visit(static_cast<size_t>(result.offset(target)),
          self.data[static_cast<size_t>(self.offset(index))]);
  });
}

// The sizes of that result with the folded dimensions as 1.
int64_t folded_count(const RefTensor& self, const std::vector<int64_t>& dims);

}  // namespace ingot::ops
