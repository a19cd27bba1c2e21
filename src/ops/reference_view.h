// References of views and other operators that move elements without changing them.
#pragma once

#include "ops/index_space.h"
#include "ops/testing.h"

namespace ingot::ops {

// A tensor of `sizes` whose element at each index is `from` at source(index).
template <typename Source>
RefTensor rearranged(const RefTensor& from, std::vector<int64_t> sizes, Source source) {
  RefTensor result;
  result.dtype = from.dtype;
  result.sizes = std::move(sizes);
  for_each_index(result.sizes, [&](const std::vector<int64_t>& index) {
    result.data.push_back(from.data[static_cast<size_t>(from.offset(source(index)))]);
  });
  return result;
}

}  // namespace ingot::ops
