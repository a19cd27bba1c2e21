// Places buffers with limited lifetimes in one arena.
#pragma once

#include <cstdint>
#include <vector>

#include "symbolic/expr.h"

namespace ingot::schedule {

inline constexpr int64_t kBufferAlignment = 64;

struct Lifetime {
  sym::Expr bytes;
  uint32_t first = 0;  // steps during which the buffer is needed, inclusive
  uint32_t last = 0;
};

struct MemoryPlan {
  std::vector<sym::Expr> offsets;  // bytes, one per lifetime; multiples of kBufferAlignment
  sym::Expr total_bytes;
};

// No two buffers that are needed at the same step overlap, for any values within the ranges.
// Constant sizes are packed by offset; when any is symbolic, buffers share slots that are provably
// large enough.
MemoryPlan plan_memory(const std::vector<Lifetime>& lifetimes, const sym::Ranges& ranges);

}  // namespace ingot::schedule
