// Sorting along rows, which are shared between threads.
#include <algorithm>
#include <bit>

#include "program/validate_kernel.h"
#include "runtime/cpu/row_operand.h"
#include "runtime/cpu/row_templates.h"

namespace ingot::runtime::cpu {
namespace {

// An element as a number that sorts as it does, and its position.
struct SortKey {
  int64_t key = 0;
  int64_t position = 0;
};

// Orders f64 as integers: NaN above all, both zeros alike.
int64_t real_key(double value) {
  if (value != value) return INT64_MAX;
  const auto bits = std::bit_cast<int64_t>(value + 0.0);
  return bits < 0 ? bits ^ INT64_MAX : bits;
}

class SortKernel final : public BoundKernel {
 public:
  SortKernel(const program::Kernel& kernel, const LaneTable& table)
      : kernel_(kernel), table_(table) {}

  Status init(const LaunchSizes& sizes) {
    INGOT_RETURN_IF_ERROR(program::check_template_sizes(kernel_, sizes));
    INGOT_ASSIGN_OR_RETURN(rows_, bind_sizes(kernel_.sort.rows, sizes));
    INGOT_ASSIGN_OR_RETURN(extent_, program::evaluate_size(kernel_.sort.extent, sizes.scalars));
    INGOT_ASSIGN_OR_RETURN(keep_, program::evaluate_size(kernel_.sort.keep, sizes.scalars));
    RowOperand* const operands[] = {&input_, &values_, &positions_};
    for (size_t i = 0; i < std::size(operands); ++i) {
      INGOT_ASSIGN_OR_RETURN(BoundOperand operand, bind_operand(kernel_, i, sizes));
      *operands[i] = RowOperand(std::move(operand), table_);
    }
    for (const int64_t size : rows_) row_count_ *= size;
    return ok_status();
  }

  Status run(std::span<void* const> buffers, ThreadPool& pool) override {
    if (keep_ == 0) return ok_status();
    const int64_t grain = std::max<int64_t>(1024 / extent_, 1);
    pool.parallel_for(row_count_, grain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) sort_row(buffers, row);
    });
    return ok_status();
  }

 private:
  void sort_row(std::span<void* const> buffers, int64_t row) const {
    // Kept by the thread, so that nothing is allocated once it is large enough.
    thread_local std::vector<SortKey> keys;
    keys.resize(std::max(keys.size(), static_cast<size_t>(extent_)));
    int64_t coordinates[program::kMaxRank];
    const std::span<int64_t> point(coordinates, rows_.size());
    row_point(row, rows_, point);
    const void* const in = input_.row(buffers, point);
    read_keys(in, keys);
    order(keys);
    write(in, keys, values_.row(buffers, point), positions_.row(buffers, point));
  }

  void read_keys(const void* in, std::vector<SortKey>& keys) const {
    constexpr int64_t kPiece = 512;
    alignas(64) std::byte raw[kPiece * 8];
    double reals[kPiece];
    int64_t integers[kPiece];
    const bool real = is_float(input_.dtype());
    const DType wide = real ? DType::kF64 : DType::kI64;
    const LaneFn cast = table_.cast[static_cast<int>(input_.dtype())][static_cast<int>(wide)];
    void* const widened = real ? static_cast<void*>(reals) : integers;
    const bool same = input_.dtype() == wide;
    for (int64_t first = 0; first < extent_; first += kPiece) {
      const int64_t n = std::min(kPiece, extent_ - first);
      input_.load(same ? widened : raw, in, first, n);
      if (!same) cast(widened, raw, nullptr, nullptr, n);
      for (int64_t i = 0; i < n; ++i) {
        keys[static_cast<size_t>(first + i)] = {real ? real_key(reals[i]) : integers[i], first + i};
      }
    }
  }

  // Equal elements stay in their order, also when descending.
  void order(std::vector<SortKey>& keys) const {
    const bool descending = kernel_.sort.descending;
    const auto before = [descending](const SortKey& a, const SortKey& b) {
      if (a.key != b.key) return descending ? a.key > b.key : a.key < b.key;
      return a.position < b.position;
    };
    const auto end = keys.begin() + extent_;
    if (keep_ < extent_ / 8) {
      std::partial_sort(keys.begin(), keys.begin() + keep_, end, before);
    } else {
      std::sort(keys.begin(), end, before);
    }
  }

  void write(const void* in, const std::vector<SortKey>& keys, void* values,
             void* positions) const {
    constexpr int64_t kPiece = 512;
    alignas(64) std::byte sorted[kPiece * 8];
    int64_t where[kPiece];
    int64_t offsets[kPiece];
    for (int64_t first = 0; first < keep_; first += kPiece) {
      const int64_t n = std::min(kPiece, keep_ - first);
      for (int64_t i = 0; i < n; ++i) {
        where[i] = keys[static_cast<size_t>(first + i)].position;
        offsets[i] = where[i] * input_.stride();
      }
      table_.move[log2_bytes(input_.dtype())].gather(sorted, in, offsets, n);
      values_.store(values, sorted, first, n);
      positions_.store(positions, where, first, n);
    }
  }

  const program::Kernel& kernel_;
  const LaneTable& table_;
  std::vector<int64_t> rows_;
  int64_t row_count_ = 1;
  int64_t extent_ = 0;
  int64_t keep_ = 0;
  RowOperand input_;
  RowOperand values_;
  RowOperand positions_;
};

}  // namespace

Result<std::unique_ptr<BoundKernel>> bind_sort(const program::Kernel& kernel,
                                               const LaunchSizes& sizes, Isa isa) {
  auto bound = std::make_unique<SortKernel>(kernel, lane_table(isa));
  INGOT_RETURN_IF_ERROR(bound->init(sizes));
  return std::unique_ptr<BoundKernel>(std::move(bound));
}

}  // namespace ingot::runtime::cpu
