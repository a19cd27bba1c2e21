#include "schedule/placement.h"

namespace ingot::schedule {

DimOrder Placement::order(const ir::Value* value) const {
  const auto found = orders.find(value->id);
  return found == orders.end() ? row_major(value->rank()) : found->second;
}

std::vector<sym::Expr> Placement::strides(const ir::Value* value) const {
  return strides_of(value->type.sizes, order(value));
}

}  // namespace ingot::schedule
