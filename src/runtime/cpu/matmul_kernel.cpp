// Batched matrix products: tiles of sums, shared between threads, each finished by the epilogue.
#include <algorithm>

#include "runtime/cpu/contraction.h"

namespace ingot::runtime::cpu {
namespace {

// Rows of a tile: enough that packing the columns is little work beside them.
constexpr int64_t kTileRows = 192;
constexpr int64_t kFewRows = 3;

class MatmulKernel final : public BoundKernel {
 public:
  MatmulKernel(const MatmulLanes& lanes) : lanes_(lanes) {}

  Status init(const program::Kernel& kernel, const LaunchSizes& sizes) {
    INGOT_RETURN_IF_ERROR(program::check_template_sizes(kernel, sizes));
    INGOT_ASSIGN_OR_RETURN(batch_, bind_sizes(kernel.matmul.batch, sizes));
    INGOT_ASSIGN_OR_RETURN(m_, program::evaluate_size(kernel.matmul.m, sizes.scalars));
    INGOT_ASSIGN_OR_RETURN(n_, program::evaluate_size(kernel.matmul.n, sizes.scalars));
    INGOT_ASSIGN_OR_RETURN(k_, program::evaluate_size(kernel.matmul.k, sizes.scalars));
    INGOT_ASSIGN_OR_RETURN(a_, bind_operand(kernel, 0, sizes));
    INGOT_ASSIGN_OR_RETURN(b_, bind_operand(kernel, 1, sizes));
    INGOT_ASSIGN_OR_RETURN(
        epilogue_,
        EpilogueRunner::bind(kernel, kernel.body, static_cast<uint32_t>(batch_.size()) + 1, sizes));
    for (const int64_t size : batch_) batches_ *= size;
    choose_tile();
    return ok_status();
  }

  Status run(std::span<void* const> buffers, ThreadPool& pool) override {
    if (batches_ == 0 || m_ == 0 || n_ == 0) return ok_status();
    const int64_t row_tiles = (m_ + tile_rows_ - 1) / tile_rows_;
    const int64_t column_tiles = (n_ + tile_columns_ - 1) / tile_columns_;
    pool.parallel_for(batches_ * row_tiles * column_tiles, 1, [&](int64_t begin, int64_t end) {
      for (int64_t tile = begin; tile < end && !failure_.failed(); ++tile) {
        const int64_t row = tile / column_tiles % row_tiles * tile_rows_;
        run_tile(buffers, tile / column_tiles / row_tiles, row,
                 tile % column_tiles * tile_columns_);
      }
    });
    return failure_.take();
  }

 private:
  // Wide tiles for few rows (each column is read once), and at least a few tiles to share.
  void choose_tile() {
    tile_rows_ = std::min(m_, kTileRows);
    tile_columns_ = std::min<int64_t>(n_, m_ <= kFewRows ? 64 : 128);
    if (n_ <= EpilogueRunner::kMaxStrip / 2) tile_columns_ = n_;
    if (n_ <= EpilogueRunner::kMaxStrip / 2 && m_ > kFewRows)
      tile_rows_ = std::min<int64_t>(m_, 96);
    tile_columns_ = std::max<int64_t>(tile_columns_, 1);
    tile_rows_ = std::max<int64_t>(tile_rows_, 1);
  }

  void run_tile(std::span<void* const> buffers, int64_t batch, int64_t row, int64_t column) {
    const int64_t rows = std::min(tile_rows_, m_ - row);
    const int64_t columns = std::min(tile_columns_, n_ - column);
    std::vector<int64_t> point(batch_.size() + 2);
    int64_t a_start = 0;
    int64_t b_start = 0;
    for (size_t i = batch_.size(); i-- > 0;) {
      point[i] = batch % batch_[i];
      batch /= batch_[i];
      a_start += point[i] * a_.strides[i];
      b_start += point[i] * b_.strides[i];
    }
    const size_t rank = batch_.size();
    const int64_t a_rows = a_.strides[rank];
    const int64_t b_columns = b_.strides[rank + 1];
    const MatrixView a{a_.at(buffers, a_start + row * a_rows), a_.dtype, a_rows,
                       a_.strides[rank + 1]};
    const MatrixView b{b_.at(buffers, b_start + column * b_columns), b_.dtype, b_.strides[rank],
                       b_columns};
    float* sums = thread_scratch(0, rows * columns);
    float* scratch = thread_scratch(1, lanes_.scratch_floats(rows, columns));
    if (sums == nullptr || scratch == nullptr) {
      failure_.report(make_status(Diag::kOutOfMemory, "scratch memory of a matmul"));
      return;
    }
    lanes_.tile(a, b, rows, columns, k_, sums, scratch);
    point[rank + 1] = column;
    for (int64_t r = 0; r < rows; ++r) {
      point[rank] = row + r;
      epilogue_->run_strip(buffers, point, sums + r * columns, columns, failure_);
    }
  }

  const MatmulLanes& lanes_;
  std::vector<int64_t> batch_;
  int64_t batches_ = 1;
  int64_t m_ = 0, n_ = 0, k_ = 0;
  int64_t tile_rows_ = 1, tile_columns_ = 1;
  BoundOperand a_, b_;
  std::unique_ptr<EpilogueRunner> epilogue_;
  KernelFailure failure_;
};

}  // namespace

Result<std::unique_ptr<BoundKernel>> bind_matmul(const program::Kernel& kernel,
                                                 const LaunchSizes& sizes, Isa isa) {
  auto bound = std::make_unique<MatmulKernel>(matmul_lanes(isa));
  INGOT_RETURN_IF_ERROR(bound->init(kernel, sizes));
  return std::unique_ptr<BoundKernel>(std::move(bound));
}

}  // namespace ingot::runtime::cpu
