// Positions of extrema: the first of equal ones; a NaN beats everything.
#include "runtime/cpu/lanes/baseline/rare.h"

namespace ingot::runtime::cpu::INGOT_LANES {
namespace {

using program::ReduceOp;

template <typename T, bool kGreatest>
struct ArgFold {
  // `x` beats the `best` so far.
  static bool beats(T x, T best) {
    if (best != best) return false;
    return x != x || (kGreatest ? x > best : x < best);
  }

  static void init(void* acc, int64_t* positions, int64_t n) {
    auto* best = static_cast<T*>(acc);
    for (int64_t i = 0; i < n; ++i) {
      best[i] = T(0);
      positions[i] = -1;
    }
  }

  static void rows(const FoldStep& step) {
    auto* best = static_cast<T*>(step.acc);
    const auto* values = static_cast<const T*>(step.values);
    for (int64_t r = 0; r < step.rows; ++r, values += step.cols) {
      T winner = best[r];
      int64_t position = step.positions[r];
      for (int64_t c = 0; c < step.cols; ++c) {
        if (position >= 0 && !beats(values[c], winner)) continue;
        winner = values[c];
        position = step.position + c;
      }
      best[r] = winner;
      step.positions[r] = position;
    }
  }

  static void lanes(const FoldStep& step) {
    auto* best = static_cast<T*>(step.acc);
    const auto* values = static_cast<const T*>(step.values);
    for (int64_t i = 0; i < step.rows * step.cols; ++i) {
      if (step.positions[i] >= 0 && !beats(values[i], best[i])) continue;
      best[i] = values[i];
      step.positions[i] = step.position;
    }
  }

  static void finish(void* dst, const void*, const int64_t* positions, int64_t n) {
    auto* out = static_cast<int64_t*>(dst);
    for (int64_t i = 0; i < n; ++i) out[i] = positions[i] < 0 ? 0 : positions[i];
  }
};

template <DType kType>
void fill(LaneTable& table) {
  using Least = ArgFold<Lane<kType>, false>;
  using Greatest = ArgFold<Lane<kType>, true>;
  table.fold[static_cast<int>(ReduceOp::kArgMin)][static_cast<int>(kType)] = {
      kType, Least::init, Least::rows, Least::lanes, Least::finish};
  table.fold[static_cast<int>(ReduceOp::kArgMax)][static_cast<int>(kType)] = {
      kType, Greatest::init, Greatest::rows, Greatest::lanes, Greatest::finish};
}

}  // namespace

void fill_arg_folds(LaneTable& table) {
  fill<DType::kBool>(table);
  fill<DType::kU8>(table);
  fill<DType::kI8>(table);
  fill<DType::kI16>(table);
  fill<DType::kI32>(table);
  fill<DType::kI64>(table);
  fill<DType::kF32>(table);
  fill<DType::kF64>(table);
}

}  // namespace ingot::runtime::cpu::INGOT_LANES
