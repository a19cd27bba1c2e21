// The inner loops of the strip machine: one function per operation and element type, compiled once
// per instruction set from the same source (lanes/) and chosen at run time.
//
// All give the same results on every instruction set: nothing is contracted or reassociated, and
// reductions have a fixed order.
#pragma once

#include <cstdint>
#include <string_view>

#include "program/kernel.h"

namespace ingot::runtime::cpu {

inline constexpr int kLaneTypes = 10;   // DType::kBool … kF64
inline constexpr int kIndexKinds = 16;  // sym::ExprKind

// dst[i] = f(a[i], b[i], c[i]) for n lanes. Operands may be dst itself, but not overlap it
// otherwise.
using LaneFn = void (*)(void* dst, const void* a, const void* b, const void* c, int64_t n);

// Operands that are one element for all lanes.
enum UniformOperands : uint8_t { kAllVary = 0, kUniformA = 1, kUniformB = 2, kUniformC = 4 };

// One step of a reduction: values[rows][cols] folded into acc. Positions are those of arg
// reductions: the first column is at `position`.
struct FoldStep {
  void* acc = nullptr;
  int64_t* positions = nullptr;
  const void* values = nullptr;
  int64_t rows = 1;
  int64_t cols = 1;
  int64_t position = 0;
};

struct FoldFns {
  DType acc_dtype = DType::kF32;
  void (*init)(void* acc, int64_t* positions, int64_t n) = nullptr;
  void (*rows)(const FoldStep& step) = nullptr;   // acc[r] with values[r][0..cols)
  void (*lanes)(const FoldStep& step) = nullptr;  // acc[i] with values[i], rows * cols lanes
  void (*finish)(void* dst, const void* acc, const int64_t* positions, int64_t n) = nullptr;
};

// Copies between lanes and memory for elements of one size.
struct MoveFns {
  void (*broadcast)(void* dst, const void* src, int64_t n) = nullptr;
  void (*repeat_each)(void* dst, const void* src, int64_t rows, int64_t cols) = nullptr;
  void (*tile)(void* dst, const void* src, int64_t rows, int64_t cols) = nullptr;
  // Strides in elements: dst[r * cols + c] = src[r * row_stride + c * col_stride], and back.
  void (*load)(void* dst, const void* src, int64_t row_stride, int64_t col_stride, int64_t rows,
               int64_t cols) = nullptr;
  void (*store)(void* dst, const void* src, int64_t row_stride, int64_t col_stride, int64_t rows,
                int64_t cols) = nullptr;
  void (*gather)(void* dst, const void* src, const int64_t* offsets, int64_t n) = nullptr;
  void (*scatter)(void* dst, const void* src, const int64_t* offsets, int64_t n) = nullptr;
  // Lanes whose mask is 0 are left out (gather: give 0).
  void (*gather_masked)(void* dst, const void* src, const int64_t* offsets, const uint8_t* mask,
                        int64_t n) = nullptr;
  void (*scatter_masked)(void* dst, const void* src, const int64_t* offsets, const uint8_t* mask,
                         int64_t n) = nullptr;
  void (*clear_masked)(void* values, const uint8_t* mask, int64_t n) = nullptr;
  LaneFn select[8] = {};  // by UniformOperands; a is the mask (bytes)
};

struct IndexFns {
  // dst[r * cols + c] = base + r * row_stride + c * col_stride.
  void (*affine)(int64_t* dst, int64_t base, int64_t row_stride, int64_t col_stride, int64_t rows,
                 int64_t cols) = nullptr;
  // dst[i] += scale * src[i]
  void (*add_scaled)(int64_t* dst, const int64_t* src, int64_t scale, int64_t n) = nullptr;
  // On i64 lanes by sym::ExprKind, two operands (kNot: one, kSelect: three); conditions give 0, 1.
  LaneFn op[kIndexKinds] = {};
  // floor division and remainder by a number above 0.
  void (*floor_div)(int64_t* dst, const int64_t* a, int64_t divisor, int64_t n) = nullptr;
  void (*mod)(int64_t* dst, const int64_t* a, int64_t divisor, int64_t n) = nullptr;
  // Smallest and largest of n > 0 lanes, of those with a mask other than 0 if there is a mask;
  // false if there are none.
  bool (*range)(const int64_t* values, const uint8_t* mask, int64_t n, int64_t* low,
                int64_t* high) = nullptr;
  // dst[i] = index[i], plus extent if negative. Returns the first lane outside [0, extent), or -1;
  // lanes with mask 0 give 0 and are not looked at.
  int64_t (*check)(int64_t* dst, const int64_t* index, const int64_t* extent, bool uniform_extent,
                   const uint8_t* mask, int64_t n) = nullptr;
};

enum class MaskState : uint8_t { kNone, kSome, kAll };

struct LaneTable {
  // By op, DType of the operands (kSelect: see MoveFns) and UniformOperands. The entries for
  // kAllVary are there for all that program::accepts; the others are null where not worth it.
  LaneFn compute[program::kScalarOpCount][kLaneTypes][8] = {};
  LaneFn cast[kLaneTypes][kLaneTypes] = {};  // [from][to]
  FoldFns fold[program::kReduceOpCount][kLaneTypes] = {};
  MoveFns move[4] = {};  // by log2 of the element's bytes
  IndexFns index;
  MaskState (*mask_state)(const uint8_t* mask, int64_t n) = nullptr;
  // dst[offsets[i]] = op(dst[offsets[i]], values[i]) one after another; by StoreMode and DType.
  void (*combine[program::kStoreModeCount][kLaneTypes])(void* dst, const void* values,
                                                        const int64_t* offsets, const uint8_t* mask,
                                                        int64_t n) = {};
};

constexpr int log2_bytes(DType dtype) {
  switch (dtype) {
    case DType::kBool:
    case DType::kU8:
    case DType::kI8:
      return 0;
    case DType::kI16:
    case DType::kF16:
    case DType::kBF16:
      return 1;
    case DType::kI32:
    case DType::kF32:
      return 2;
    default:
      return 3;
  }
}

enum class Isa : uint8_t { kBaseline = 0, kAvx2 = 1, kAvx512 = 2 };
std::string_view to_string(Isa isa);

// The best that this processor has, or what INGOT_CPU_ISA=baseline|avx2|avx512 says if it has that.
Isa default_isa();
bool is_supported(Isa isa);
// The loops for `isa`, which must be supported.
const LaneTable& lane_table(Isa isa);

}  // namespace ingot::runtime::cpu
