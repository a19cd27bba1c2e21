// Copies between lanes and memory, by element size.
#include "runtime/cpu/lanes/lanes.h"

namespace ingot::runtime::cpu::INGOT_LANES {
namespace {

template <typename T>
struct Moves {
  static void broadcast(void* dst, const void* src, int64_t n) {
    auto* out = static_cast<T*>(dst);
    const T value = *static_cast<const T*>(src);
    for (int64_t i = 0; i < n; ++i) out[i] = value;
  }

  static void repeat_each(void* dst, const void* src, int64_t rows, int64_t cols) {
    auto* out = static_cast<T*>(dst);
    const auto* in = static_cast<const T*>(src);
    for (int64_t r = 0; r < rows; ++r) {
      const T value = in[r];
      for (int64_t c = 0; c < cols; ++c) out[r * cols + c] = value;
    }
  }

  static void tile(void* dst, const void* src, int64_t rows, int64_t cols) {
    auto* out = static_cast<T*>(dst);
    const auto* in = static_cast<const T*>(src);
    for (int64_t r = 0; r < rows; ++r) {
      INGOT_INDEPENDENT
      for (int64_t c = 0; c < cols; ++c) out[r * cols + c] = in[c];
    }
  }

  static void load(void* dst, const void* src, int64_t row_stride, int64_t col_stride, int64_t rows,
                   int64_t cols) {
    auto* out = static_cast<T*>(dst);
    const auto* in = static_cast<const T*>(src);
    if (col_stride == 1) {
      for (int64_t r = 0; r < rows; ++r) {
        INGOT_INDEPENDENT
        for (int64_t c = 0; c < cols; ++c) out[r * cols + c] = in[r * row_stride + c];
      }
      return;
    }
    // The inner loop follows memory.
    if (row_stride == 1) {
      for (int64_t c = 0; c < cols; ++c) {
        INGOT_INDEPENDENT
        for (int64_t r = 0; r < rows; ++r) out[r * cols + c] = in[r + c * col_stride];
      }
      return;
    }
    for (int64_t r = 0; r < rows; ++r) {
      INGOT_INDEPENDENT
      for (int64_t c = 0; c < cols; ++c) out[r * cols + c] = in[r * row_stride + c * col_stride];
    }
  }

  static void store(void* dst, const void* src, int64_t row_stride, int64_t col_stride,
                    int64_t rows, int64_t cols) {
    auto* out = static_cast<T*>(dst);
    const auto* in = static_cast<const T*>(src);
    if (col_stride == 1) {
      for (int64_t r = 0; r < rows; ++r) {
        INGOT_INDEPENDENT
        for (int64_t c = 0; c < cols; ++c) out[r * row_stride + c] = in[r * cols + c];
      }
      return;
    }
    // One after another: with stride 0 the last one counts.
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < cols; ++c) out[r * row_stride + c * col_stride] = in[r * cols + c];
    }
  }

  static void gather(void* dst, const void* src, const int64_t* offsets, int64_t n) {
    auto* out = static_cast<T*>(dst);
    const auto* in = static_cast<const T*>(src);
    for (int64_t i = 0; i < n; ++i) out[i] = in[offsets[i]];
  }

  static void scatter(void* dst, const void* src, const int64_t* offsets, int64_t n) {
    auto* out = static_cast<T*>(dst);
    const auto* in = static_cast<const T*>(src);
    for (int64_t i = 0; i < n; ++i) out[offsets[i]] = in[i];
  }

  static void gather_masked(void* dst, const void* src, const int64_t* offsets, const uint8_t* mask,
                            int64_t n) {
    auto* out = static_cast<T*>(dst);
    const auto* in = static_cast<const T*>(src);
    for (int64_t i = 0; i < n; ++i) {
      if (mask[i] != 0) {
        out[i] = in[offsets[i]];
      } else {
        out[i] = T(0);
      }
    }
  }

  static void scatter_masked(void* dst, const void* src, const int64_t* offsets,
                             const uint8_t* mask, int64_t n) {
    auto* out = static_cast<T*>(dst);
    const auto* in = static_cast<const T*>(src);
    for (int64_t i = 0; i < n; ++i) {
      if (mask[i] != 0) out[offsets[i]] = in[i];
    }
  }

  static void clear_masked(void* values, const uint8_t* mask, int64_t n) {
    auto* out = static_cast<T*>(values);
    INGOT_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) out[i] = mask[i] != 0 ? out[i] : T(0);
  }

  // kB and kC say whether the operand varies.
  template <bool kB, bool kC>
  static void select(void* dst, const void* a, const void* b, const void* c, int64_t n) {
    auto* out = static_cast<T*>(dst);
    const auto* mask = static_cast<const uint8_t*>(a);
    const auto* x = static_cast<const T*>(b);
    const auto* y = static_cast<const T*>(c);
    const T x0 = *x;
    const T y0 = *y;
    INGOT_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) {
      const T if_true = kB ? x[i] : x0;
      const T if_false = kC ? y[i] : y0;
      out[i] = mask[i] != 0 ? if_true : if_false;
    }
  }

  static void fill(MoveFns& move) {
    move.broadcast = broadcast;
    move.repeat_each = repeat_each;
    move.tile = tile;
    move.load = load;
    move.store = store;
    move.gather = gather;
    move.scatter = scatter;
    move.gather_masked = gather_masked;
    move.scatter_masked = scatter_masked;
    move.clear_masked = clear_masked;
    move.select[kAllVary] = select<true, true>;
    move.select[kUniformB] = select<false, true>;
    move.select[kUniformC] = select<true, false>;
    move.select[kUniformB | kUniformC] = select<false, false>;
  }
};

MaskState mask_state(const uint8_t* mask, int64_t n) {
  uint8_t any = 0;
  uint8_t all = 1;
  for (int64_t i = 0; i < n; ++i) {
    const uint8_t bit = mask[i] != 0;
    any |= bit;
    all &= bit;
  }
  if (all != 0) return MaskState::kAll;
  return any != 0 ? MaskState::kSome : MaskState::kNone;
}

}  // namespace

void fill_moves(LaneTable& table) {
  Moves<uint8_t>::fill(table.move[0]);
  Moves<uint16_t>::fill(table.move[1]);
  Moves<uint32_t>::fill(table.move[2]);
  Moves<uint64_t>::fill(table.move[3]);
  table.mask_state = mask_state;
}

}  // namespace ingot::runtime::cpu::INGOT_LANES
