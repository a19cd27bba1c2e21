#include "schedule/layout.h"

#include <numeric>

#include "support/diagnostics.h"

namespace ingot::schedule {

DimOrder row_major(int64_t rank) {
  DimOrder order(static_cast<size_t>(rank));
  std::iota(order.begin(), order.end(), int64_t{0});
  return order;
}

bool is_row_major(const DimOrder& order) {
  return order == row_major(static_cast<int64_t>(order.size()));
}

DimOrder channels_last(int64_t rank) {
  DimOrder order = row_major(rank);
  if (rank >= 3 && rank <= 5) {
    order.erase(order.begin() + 1);
    order.push_back(1);
  }
  return order;
}

std::vector<sym::Expr> strides_of(const std::vector<sym::Expr>& sizes, const DimOrder& order) {
  std::vector<sym::Expr> strides(sizes.size());
  sym::Expr stride = 1;
  for (size_t i = order.size(); i-- > 0;) {
    const auto dim = static_cast<size_t>(order[i]);
    strides[dim] = stride;
    stride = stride * sizes[dim];
  }
  return strides;
}

sym::Expr linear_offset(const std::vector<sym::Expr>& index,
                        const std::vector<sym::Expr>& strides) {
  INGOT_CHECK(index.size() == strides.size(), "index and strides differ in rank");
  sym::Expr offset = 0;
  for (size_t i = 0; i < index.size(); ++i) offset = offset + index[i] * strides[i];
  return offset;
}

}  // namespace ingot::schedule
