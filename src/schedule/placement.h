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
  // Constants that are views into a storage: strides and offset in elements, by Value::id.
  struct View {
    std::vector<int64_t> strides;
    int64_t offset = 0;
  };
  std::map<uint32_t, View> constant_views;

  bool is_placed(const ir::Value* value) const { return has_buffer[value->id]; }
  DimOrder order(const ir::Value* value) const;
  std::vector<sym::Expr> strides(const ir::Value* value) const;
  sym::Expr offset(const ir::Value* value) const;  // of the first element
};

}  // namespace ingot::schedule
