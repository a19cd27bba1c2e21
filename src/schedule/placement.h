// Which values get a buffer, and how it is laid out.
#pragma once

#include <map>
#include <vector>

#include "ir/model.h"
#include "schedule/layout.h"

namespace ingot::schedule {

// Decided by the grouping, read by the kernel builders. A value without a buffer is computed where
// it is used.
struct Placement {
  std::vector<bool> has_buffer;         // by Value::id
  std::map<uint32_t, DimOrder> orders;  // by Value::id; row-major when absent

  bool is_placed(const ir::Value* value) const { return has_buffer[value->id]; }
  DimOrder order(const ir::Value* value) const;
  std::vector<sym::Expr> strides(const ir::Value* value) const;
};

}  // namespace ingot::schedule
