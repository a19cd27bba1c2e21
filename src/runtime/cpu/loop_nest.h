// The loops of a kernel body with its sizes known, put into the form that runs best: axes split
// where an index divides them, joined where memory allows, and two of them chosen for the strips.
#pragma once

#include <vector>

#include "runtime/cpu/index_form.h"
#include "runtime/cpu/prepared_kernel.h"

namespace ingot::runtime::cpu {

struct LoopAxis {
  int64_t extent = 1;
  bool inner = false;
};

struct LoopNest {
  std::vector<LoopAxis> axes;    // parallel ones first
  std::vector<IndexForm> index;  // by instruction, over `axes`
  std::vector<IndexTerm> terms;

  size_t parallel_axes() const;
  int64_t points(bool inner) const;  // of the inner or the parallel axes
};

// Whether axes may be changed: not when somebody else gives their coordinates.
enum class AxisFreedom : uint8_t { kFixed, kFree };

// Fails with Diag::kBadPackage if a size is negative or the loops are too long to count.
Result<LoopNest> build_loop_nest(const program::Body& body, const LaunchSizes& sizes,
                                 AxisFreedom freedom);

inline constexpr int kNoAxis = -1;

// A strip is a tile of rows × cols points along two axes; it runs as one vector of lanes, row by
// row. Without an axis the count is 1.
struct TileShape {
  int row_axis = kNoAxis;
  int col_axis = kNoAxis;
  int64_t rows = 1;
  int64_t cols = 1;
  bool cols_are_inner = false;  // reductions fold the columns of a strip, else they keep its lanes
};

// The most lanes of a strip.
inline constexpr int64_t kMaxLanes = 512;

TileShape choose_tile(const program::Body& body, const LoopNest& nest);

}  // namespace ingot::runtime::cpu
