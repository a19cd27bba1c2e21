// Stores that combine with what is there, one lane after another.
#include "runtime/cpu/lanes/baseline/rare.h"
#include "runtime/cpu/lanes/cast_loops.h"
#include "runtime/cpu/lanes/integer_ops.h"

namespace ingot::runtime::cpu::INGOT_LANES {
namespace {

using program::StoreMode;

template <StoreMode kMode, typename T>
T combine_real(T old, T value) {
  if (kMode == StoreMode::kAdd) return old + value;
  if (kMode == StoreMode::kMul) return old * value;
  if (old != old || value != value) return old != old ? old : value;
  if (kMode == StoreMode::kMin) return value < old ? value : old;
  return value > old ? value : old;
}

template <StoreMode kMode, DType kType>
Lane<kType> combine(Lane<kType> old, Lane<kType> value) {
  using T = Lane<kType>;
  if constexpr (kIsHalf<T>) {
    T result;
    narrow(combine_real<kMode>(widen(old), widen(value)), result);
    return result;
  } else if constexpr (kIsReal<T>) {
    return combine_real<kMode>(old, value);
  } else if constexpr (kType == DType::kBool) {
    constexpr bool kOr = kMode == StoreMode::kAdd || kMode == StoreMode::kMax;
    return kOr ? Or::apply(old, value) : And::apply(old, value);
  } else {
    if (kMode == StoreMode::kAdd) return Add::apply(old, value);
    if (kMode == StoreMode::kMul) return Mul::apply(old, value);
    return kMode == StoreMode::kMin ? Min::apply(old, value) : Max::apply(old, value);
  }
}

template <StoreMode kMode, DType kType>
void combine_loop(void* dst, const void* values, const int64_t* offsets, const uint8_t* mask,
                  int64_t n) {
  auto* out = static_cast<Lane<kType>*>(dst);
  const auto* in = static_cast<const Lane<kType>*>(values);
  for (int64_t i = 0; i < n; ++i) {
    if (mask != nullptr && mask[i] == 0) continue;
    out[offsets[i]] = combine<kMode, kType>(out[offsets[i]], in[i]);
  }
}

template <DType kType>
void fill(LaneTable& table) {
  constexpr int kIndex = static_cast<int>(kType);
  table.combine[static_cast<int>(StoreMode::kAdd)][kIndex] = combine_loop<StoreMode::kAdd, kType>;
  table.combine[static_cast<int>(StoreMode::kMul)][kIndex] = combine_loop<StoreMode::kMul, kType>;
  table.combine[static_cast<int>(StoreMode::kMin)][kIndex] = combine_loop<StoreMode::kMin, kType>;
  table.combine[static_cast<int>(StoreMode::kMax)][kIndex] = combine_loop<StoreMode::kMax, kType>;
}

}  // namespace

void fill_combines(LaneTable& table) {
  fill<DType::kBool>(table);
  fill<DType::kU8>(table);
  fill<DType::kI8>(table);
  fill<DType::kI16>(table);
  fill<DType::kI32>(table);
  fill<DType::kI64>(table);
  fill<DType::kF16>(table);
  fill<DType::kBF16>(table);
  fill<DType::kF32>(table);
  fill<DType::kF64>(table);
}

}  // namespace ingot::runtime::cpu::INGOT_LANES
