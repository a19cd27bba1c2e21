// Reductions of lanes. Their order is fixed, whatever the vector length: a row of at least
// kPartials values is folded into kPartials partial results, value i into partial i % kPartials,
// which are folded pairwise; partial results of f32 sums are added up in f64.
#pragma once

#include "runtime/cpu/lanes/lanes.h"

namespace ingot::runtime::cpu::INGOT_LANES {

inline constexpr int64_t kPartials = 64;

// How an operation folds: identity, one step, and the type that accumulates across strips.
template <typename T>
struct SumFold {
  using Acc = typename Wrapping<T>::Type;
  static Acc identity() { return 0; }
  template <typename X>
  static X step(X acc, X x) {
    return static_cast<X>(acc + x);
  }
};
template <>
struct SumFold<float> {
  using Acc = double;
  static Acc identity() { return 0; }
  template <typename X>
  static X step(X acc, X x) {
    return acc + x;
  }
};
template <>
struct SumFold<double> : SumFold<float> {};

template <typename T>
struct ProdFold {
  using Acc = typename Wrapping<T>::Type;
  static Acc identity() { return 1; }
  template <typename X>
  static X step(X acc, X x) {
    return static_cast<X>(static_cast<uint64_t>(acc) * static_cast<uint64_t>(x));
  }
};
template <>
struct ProdFold<float> {
  using Acc = double;
  static Acc identity() { return 1; }
  template <typename X>
  static X step(X acc, X x) {
    return acc * x;
  }
};
template <>
struct ProdFold<double> : ProdFold<float> {};

template <typename T>
struct Limits;
template <>
struct Limits<uint8_t> {
  static constexpr uint8_t kLowest = 0;
  static constexpr uint8_t kHighest = 255;
};
template <>
struct Limits<int8_t> {
  static constexpr int8_t kLowest = INT8_MIN;
  static constexpr int8_t kHighest = INT8_MAX;
};
template <>
struct Limits<int16_t> {
  static constexpr int16_t kLowest = INT16_MIN;
  static constexpr int16_t kHighest = INT16_MAX;
};
template <>
struct Limits<int32_t> {
  static constexpr int32_t kLowest = INT32_MIN;
  static constexpr int32_t kHighest = INT32_MAX;
};
template <>
struct Limits<int64_t> {
  static constexpr int64_t kLowest = INT64_MIN;
  static constexpr int64_t kHighest = INT64_MAX;
};
template <>
struct Limits<float> {
  static constexpr float kLowest = -__builtin_inff();
  static constexpr float kHighest = __builtin_inff();
};
template <>
struct Limits<double> {
  static constexpr double kLowest = -__builtin_inf();
  static constexpr double kHighest = __builtin_inf();
};

// A NaN, once met, stays.
template <typename T>
struct MinFold {
  using Acc = T;
  static Acc identity() { return Limits<T>::kHighest; }
  static T step(T acc, T x) {
    const T least = x < acc ? x : acc;
    return x != x ? x : least;
  }
};
template <typename T>
struct MaxFold {
  using Acc = T;
  static Acc identity() { return Limits<T>::kLowest; }
  static T step(T acc, T x) {
    const T most = x > acc ? x : acc;
    return x != x ? x : most;
  }
};

struct AnyFold {
  using Acc = uint8_t;
  static Acc identity() { return 0; }
  static Acc step(Acc acc, Acc x) { return static_cast<Acc>(acc | (x != 0)); }
};
struct AllFold {
  using Acc = uint8_t;
  static Acc identity() { return 1; }
  static Acc step(Acc acc, Acc x) { return static_cast<Acc>(acc & (x != 0)); }
};
struct BoolMinFold : AllFold {};
struct BoolMaxFold : AnyFold {};

// The loops of a fold over values of type T.
template <typename T, typename Fold>
struct FoldLoops {
  using Acc = typename Fold::Acc;

  static void init(void* acc, int64_t*, int64_t n) {
    auto* out = static_cast<Acc*>(acc);
    for (int64_t i = 0; i < n; ++i) out[i] = Fold::identity();
  }

  static Acc long_row(const T* values, int64_t n) {
    T partial[kPartials];
    for (int64_t k = 0; k < kPartials; ++k) partial[k] = values[k];
    int64_t i = kPartials;
    for (; i + kPartials <= n; i += kPartials) {
      INGOT_INDEPENDENT
      for (int64_t k = 0; k < kPartials; ++k) {
        partial[k] = static_cast<T>(Fold::step(partial[k], values[i + k]));
      }
    }
    for (int64_t k = 0; i + k < n; ++k) {
      partial[k] = static_cast<T>(Fold::step(partial[k], values[i + k]));
    }
    for (int64_t half = kPartials / 2; half >= 8; half /= 2) {
      INGOT_INDEPENDENT
      for (int64_t k = 0; k < half; ++k) {
        partial[k] = static_cast<T>(Fold::step(partial[k], partial[k + half]));
      }
    }
    Acc result = Fold::identity();
    for (int64_t k = 0; k < 8; ++k) result = Fold::step(result, static_cast<Acc>(partial[k]));
    return result;
  }

  static Acc short_row(const T* values, int64_t n) {
    Acc result = Fold::identity();
    for (int64_t i = 0; i < n; ++i) result = Fold::step(result, static_cast<Acc>(values[i]));
    return result;
  }

  static void rows(const FoldStep& step) {
    auto* acc = static_cast<Acc*>(step.acc);
    const auto* values = static_cast<const T*>(step.values);
    for (int64_t r = 0; r < step.rows; ++r, values += step.cols) {
      const Acc row =
          step.cols < kPartials ? short_row(values, step.cols) : long_row(values, step.cols);
      acc[r] = Fold::step(acc[r], row);
    }
  }

  static void lanes(const FoldStep& step) {
    auto* acc = static_cast<Acc*>(step.acc);
    const auto* values = static_cast<const T*>(step.values);
    const int64_t n = step.rows * step.cols;
    INGOT_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) acc[i] = Fold::step(acc[i], static_cast<Acc>(values[i]));
  }

  static void finish(void* dst, const void* acc, const int64_t*, int64_t n) {
    auto* out = static_cast<T*>(dst);
    const auto* in = static_cast<const Acc*>(acc);
    for (int64_t i = 0; i < n; ++i) out[i] = static_cast<T>(in[i]);
  }
};

constexpr DType acc_dtype(DType dtype, bool widens) {
  return widens && dtype == DType::kF32 ? DType::kF64 : dtype;
}

template <DType kType, typename Fold>
void set_fold(LaneTable& table, program::ReduceOp op, bool widens) {
  using Loop = FoldLoops<Lane<kType>, Fold>;
  table.fold[static_cast<int>(op)][static_cast<int>(kType)] = {
      acc_dtype(kType, widens), Loop::init, Loop::rows, Loop::lanes, Loop::finish};
}

}  // namespace ingot::runtime::cpu::INGOT_LANES
