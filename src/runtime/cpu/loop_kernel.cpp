#include "runtime/cpu/loop_kernel.h"

#include <algorithm>

#include "runtime/cpu/strip_compiler.h"
#include "runtime/cpu/strip_machine.h"

namespace ingot::runtime::cpu {
namespace {

// Work below this many lane operations is not worth another thread: some microseconds.
constexpr int64_t kGrainLanes = 64 * 1024;

class BoundLoop final : public BoundKernel {
 public:
  explicit BoundLoop(StripProgram program) : program_(std::move(program)) { count_tiles(); }

  Status run(std::span<void* const> buffers, ThreadPool& pool) override {
    if (tiles_ == 0) return ok_status();
    KernelFailure failure;
    const int64_t grain = program_.in_order ? tiles_ : grain_for(pool);
    pool.parallel_for(tiles_, grain, [&](int64_t begin, int64_t end) {
      if (!failure.failed()) run_tiles(buffers, begin, end, failure);
    });
    return failure.take();
  }

 private:
  int64_t step_of(size_t axis) const {
    const int k = static_cast<int>(axis);
    if (k == program_.tile.row_axis) return program_.tile.rows;
    return k == program_.tile.col_axis ? program_.tile.cols : 1;
  }

  void count_tiles() {
    int64_t lanes = program_.tile.rows * program_.tile.cols;
    for (size_t k = 0; k < program_.axes.size(); ++k) {
      const LoopAxis& axis = program_.axes[k];
      if (axis.inner) {
        if (static_cast<int>(k) != program_.tile.col_axis) lanes *= axis.extent;
        continue;
      }
      ++parallel_axes_;
      tiles_ *= (axis.extent + step_of(k) - 1) / step_of(k);
    }
    if (program_.tile.cols_are_inner) {
      lanes = program_.tile.rows;
      for (const LoopAxis& axis : program_.axes) lanes *= axis.inner ? axis.extent : 1;
    }
    int64_t ops = 1;
    for (const StripBlock& block : program_.blocks) {
      ops += static_cast<int64_t>(block.ops.size());
    }
    tile_cost_ = std::max<int64_t>(lanes, 16) * ops;
  }

  int64_t grain_for(const ThreadPool& pool) const {
    const int64_t worthwhile = std::max<int64_t>(kGrainLanes / tile_cost_, 1);
    // A few pieces per thread even out their speeds.
    const int64_t even = tiles_ / (int64_t{4} * pool.thread_count());
    return std::max(worthwhile, even);
  }

  void run_tiles(std::span<void* const> buffers, int64_t begin, int64_t end,
                 KernelFailure& failure) const {
    StripMachine machine(program_, buffers, failure);
    if (!machine.is_ready()) return;
    const std::span<int64_t> at = machine.coordinates();
    int64_t rest = begin;
    for (size_t k = parallel_axes_; k-- > 0;) {
      const int64_t count = (program_.axes[k].extent + step_of(k) - 1) / step_of(k);
      at[k] = rest % count * step_of(k);
      rest /= count;
    }
    const TileShape& tile = program_.tile;
    for (int64_t t = begin; t < end; ++t) {
      int64_t rows = 1;
      int64_t cols = 1;
      if (tile.row_axis != kNoAxis) rows = left(at, tile.row_axis, tile.rows);
      if (tile.col_axis != kNoAxis) {
        cols = tile.cols_are_inner ? tile.cols : left(at, tile.col_axis, tile.cols);
      }
      if (!machine.run_tile(rows, cols)) return;
      for (size_t k = parallel_axes_; k-- > 0;) {
        at[k] += step_of(k);
        if (at[k] < program_.axes[k].extent) break;
        at[k] = 0;
      }
    }
  }

  int64_t left(std::span<const int64_t> at, int axis, int64_t most) const {
    const auto k = static_cast<size_t>(axis);
    return std::min(most, program_.axes[k].extent - at[k]);
  }

  StripProgram program_;
  size_t parallel_axes_ = 0;
  int64_t tiles_ = 1;
  int64_t tile_cost_ = 1;
};

class PreparedLoop final : public PreparedKernel {
 public:
  PreparedLoop(const program::Kernel& kernel, Isa isa) : kernel_(kernel), isa_(isa) {}

  Result<std::unique_ptr<BoundKernel>> bind(const LaunchSizes& sizes) const override {
    INGOT_ASSIGN_OR_RETURN(const LoopNest nest,
                           build_loop_nest(kernel_.body, sizes, AxisFreedom::kFree));
    INGOT_ASSIGN_OR_RETURN(StripProgram program,
                           compile_strips({.kernel = &kernel_,
                                           .body = &kernel_.body,
                                           .nest = &nest,
                                           .tile = choose_tile(kernel_.body, nest),
                                           .buffer_elements = sizes.buffer_elements,
                                           .table = &lane_table(isa_)}));
    return std::unique_ptr<BoundKernel>(std::make_unique<BoundLoop>(std::move(program)));
  }

 private:
  const program::Kernel& kernel_;
  Isa isa_;
};

}  // namespace

Result<std::unique_ptr<PreparedKernel>> prepare_loop(const program::Kernel& kernel, Isa isa) {
  return std::unique_ptr<PreparedKernel>(std::make_unique<PreparedLoop>(kernel, isa));
}

}  // namespace ingot::runtime::cpu
