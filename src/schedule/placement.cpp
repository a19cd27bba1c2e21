#include "schedule/placement.h"

namespace ingot::schedule {

DimOrder Placement::order(const ir::Value* value) const {
  const auto found = orders.find(value->id);
  return found == orders.end() ? row_major(value->rank()) : found->second;
}

std::vector<sym::Expr> Placement::strides(const ir::Value* value) const {
  const auto view = constant_views.find(value->id);
  if (view == constant_views.end()) return strides_of(value->type.sizes, order(value));
  return {view->second.strides.begin(), view->second.strides.end()};
}

sym::Expr Placement::offset(const ir::Value* value) const {
  const auto view = constant_views.find(value->id);
  return view == constant_views.end() ? sym::Expr(0) : sym::Expr(view->second.offset);
}

}  // namespace ingot::schedule
