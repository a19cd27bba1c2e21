// Follows views from a value down to the memory it looks into.
#pragma once

#include <optional>

#include "ops/element.h"
#include "program/kernel.h"
#include "schedule/placement.h"

namespace ingot::schedule {

struct Traced {
  const ir::Value* base = nullptr;
  ops::Index index;  // into the base, in terms of the index asked for
};

// Walks through views until a value that has a buffer or is no view. Nothing when a view reads its
// operand in more than one place.
std::optional<Traced> trace_views(const Placement& placement, const ir::Value* value,
                                  const ops::Index& index);

// The value seen through views as offset and strides in elements from the first
// element of its base, or
// nothing when the elements do not lie on such a grid or the base has no buffer.
struct Strided {
  const ir::Value* base = nullptr;
  sym::Expr offset;
  std::vector<sym::Expr> strides;  // per dimension of `value`
};
std::optional<Strided> trace_strided(const Placement& placement, const ir::Value* value,
                                     const sym::Ranges& ranges);

// The index of a view's result that shows the element `index` of its operand, for views that show
// every element once (reshape, permute). Nothing for others.
std::optional<ops::Index> forward_index(const ir::Node& view, const ops::Index& index);

}  // namespace ingot::schedule
