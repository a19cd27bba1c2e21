// Running folds along rows, which are shared between threads.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "program/validate_kernel.h"
#include "runtime/cpu/row_operand.h"
#include "runtime/cpu/row_templates.h"

namespace ingot::runtime::cpu {
namespace {

using program::ReduceOp;

constexpr int64_t kPiece = EpilogueRunner::kMaxStrip;

// What a row has come to so far. Floats add and multiply in f64, as eager PyTorch does.
struct RowState {
  double real = 0;
  int64_t integer = 0;
  int64_t position = 0;
  int64_t count = 0;
};

// log(exp(a) + exp(b)), taken from the larger one.
double log_add(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  const double high = std::max(a, b);
  if (std::isinf(high)) return high;
  return high + std::log1p(std::exp(std::min(a, b) - high));
}

// The folds of one element type, in place over `values`. The state is that of the row so far.
template <typename T>
struct ScanLoops {
  static constexpr bool kReal = std::is_floating_point_v<T>;

  static void sum(T* values, int64_t n, RowState& state) {
    for (int64_t i = 0; i < n; ++i) {
      if constexpr (kReal) {
        values[i] = static_cast<T>(state.real += values[i]);
      } else {
        state.integer = static_cast<int64_t>(static_cast<uint64_t>(state.integer) +
                                             static_cast<uint64_t>(values[i]));
        values[i] = static_cast<T>(state.integer);
      }
    }
  }

  static void product(T* values, int64_t n, RowState& state) {
    if (state.count == 0) state = {.real = 1, .integer = 1, .position = 0, .count = 0};
    for (int64_t i = 0; i < n; ++i) {
      if constexpr (kReal) {
        values[i] = static_cast<T>(state.real *= values[i]);
      } else {
        state.integer = static_cast<int64_t>(static_cast<uint64_t>(state.integer) *
                                             static_cast<uint64_t>(values[i]));
        values[i] = static_cast<T>(state.integer);
      }
    }
    state.count += n;
  }

  static void log_sum_exp(T* values, int64_t n, RowState& state) {
    if (state.count == 0) state.real = -std::numeric_limits<double>::infinity();
    for (int64_t i = 0; i < n; ++i) {
      state.real = log_add(state.real, static_cast<double>(values[i]));
      values[i] = static_cast<T>(state.real);
    }
    state.count += n;
  }

  // The running extremum, NaN above all, and where its last occurrence was.
  template <bool kGreatest>
  static void extremum(T* values, int64_t* positions, int64_t n, RowState& state) {
    T best{};
    std::memcpy(&best, kReal ? static_cast<const void*>(&state.real) : &state.integer, sizeof(T));
    for (int64_t i = 0; i < n; ++i) {
      const T x = values[i];
      const bool behind = kGreatest ? x < best : x > best;
      const bool held = state.count > 0 && (best != best ? x == x : behind);
      if (!held) {
        best = x;
        state.position = state.count;
      }
      ++state.count;
      values[i] = best;
      positions[i] = state.position;
    }
    std::memcpy(kReal ? static_cast<void*>(&state.real) : &state.integer, &best, sizeof(T));
  }

  static void run(const program::ScanTemplate& scan, void* values, int64_t* positions, int64_t n,
                  RowState& state) {
    auto* lanes = static_cast<T*>(values);
    if (scan.log_sum_exp) return log_sum_exp(lanes, n, state);
    switch (scan.op) {
      case ReduceOp::kSum:
        return sum(lanes, n, state);
      case ReduceOp::kProd:
        return product(lanes, n, state);
      case ReduceOp::kMin:
      case ReduceOp::kAll:
      case ReduceOp::kArgMin:
        return extremum<false>(lanes, positions, n, state);
      case ReduceOp::kMax:
      case ReduceOp::kAny:
      case ReduceOp::kArgMax:
        return extremum<true>(lanes, positions, n, state);
    }
  }
};

using ScanFn = void (*)(const program::ScanTemplate&, void*, int64_t*, int64_t, RowState&);

ScanFn scan_loop(DType dtype) {
  switch (dtype) {
    case DType::kBool:
    case DType::kU8:
      return ScanLoops<uint8_t>::run;
    case DType::kI8:
      return ScanLoops<int8_t>::run;
    case DType::kI16:
      return ScanLoops<int16_t>::run;
    case DType::kI32:
      return ScanLoops<int32_t>::run;
    case DType::kI64:
      return ScanLoops<int64_t>::run;
    case DType::kF32:
      return ScanLoops<float>::run;
    case DType::kF64:
      return ScanLoops<double>::run;
    default:
      return nullptr;
  }
}

class ScanKernel final : public BoundKernel {
 public:
  ScanKernel(const program::Kernel& kernel, const LaneTable& table)
      : kernel_(kernel), table_(table), loop_(scan_loop(kernel.accumulator)) {}

  Status init(const LaunchSizes& sizes) {
    INGOT_RETURN_IF_ERROR(program::check_template_sizes(kernel_, sizes));
    if (loop_ == nullptr) return make_status(Diag::kBadPackage, "a scan in a type without loops");
    INGOT_ASSIGN_OR_RETURN(rows_, bind_sizes(kernel_.scan.rows, sizes));
    INGOT_ASSIGN_OR_RETURN(extent_, program::evaluate_size(kernel_.scan.extent, sizes.scalars));
    INGOT_ASSIGN_OR_RETURN(BoundOperand input, bind_operand(kernel_, 0, sizes));
    input_ = RowOperand(std::move(input), table_);
    if (kernel_.scan.op == ReduceOp::kArgMin || kernel_.scan.op == ReduceOp::kArgMax) {
      INGOT_ASSIGN_OR_RETURN(BoundOperand positions, bind_operand(kernel_, 1, sizes));
      positions_ = RowOperand(std::move(positions), table_);
      has_positions_ = true;
    }
    for (const int64_t size : rows_) row_count_ *= size;
    INGOT_ASSIGN_OR_RETURN(
        epilogue_,
        EpilogueRunner::bind(kernel_, kernel_.body, static_cast<uint32_t>(rows_.size()), sizes));
    return ok_status();
  }

  Status run(std::span<void* const> buffers, ThreadPool& pool) override {
    if (extent_ == 0) return ok_status();
    const int64_t grain = std::max<int64_t>(8 * kPiece / extent_, 1);
    pool.parallel_for(row_count_, grain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end && !failure_.failed(); ++row) run_row(buffers, row);
    });
    return failure_.take();
  }

 private:
  void run_row(std::span<void* const> buffers, int64_t row) {
    alignas(64) std::byte raw[kPiece * 8];
    alignas(64) std::byte values[kPiece * 8];
    int64_t positions[kPiece];
    // A program has at most kMaxRank dimensions.
    int64_t coordinates[program::kMaxRank + 1];
    const std::span<int64_t> point(coordinates, rows_.size() + 1);
    row_point(row, rows_, point.first(rows_.size()));
    const void* const in = input_.row(buffers, point);
    const LaneFn cast =
        table_.cast[static_cast<int>(input_.dtype())][static_cast<int>(kernel_.accumulator)];
    const bool same = input_.dtype() == kernel_.accumulator;
    RowState state;
    for (int64_t first = 0; first < extent_; first += kPiece) {
      const int64_t n = std::min(kPiece, extent_ - first);
      input_.load(same ? values : raw, in, first, n);
      if (!same) cast(values, raw, nullptr, nullptr, n);
      loop_(kernel_.scan, values, positions, n, state);
      point.back() = first;
      if (has_positions_) positions_.store(positions_.row(buffers, point), positions, first, n);
      epilogue_->run_strip(buffers, point, values, n, failure_);
    }
  }

  const program::Kernel& kernel_;
  const LaneTable& table_;
  const ScanFn loop_;
  std::vector<int64_t> rows_;
  int64_t row_count_ = 1;
  int64_t extent_ = 0;
  RowOperand input_;
  RowOperand positions_;
  bool has_positions_ = false;
  std::unique_ptr<EpilogueRunner> epilogue_;
  KernelFailure failure_;
};

}  // namespace

Result<std::unique_ptr<BoundKernel>> bind_scan(const program::Kernel& kernel,
                                               const LaunchSizes& sizes, Isa isa) {
  auto bound = std::make_unique<ScanKernel>(kernel, lane_table(isa));
  INGOT_RETURN_IF_ERROR(bound->init(sizes));
  return std::unique_ptr<BoundKernel>(std::move(bound));
}

}  // namespace ingot::runtime::cpu
