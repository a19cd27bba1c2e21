// Panels of both operands are packed so that the innermost loop reads memory in order: NR columns
// of b at a time against MR rows of a, MR x NR sums in registers.
#include "runtime/cpu/lanes/matmul.h"

#include <algorithm>
#include <cstring>

#include "runtime/cpu/lanes/vector_math.h"

#ifdef __F16C__
#include <immintrin.h>
#endif

namespace ingot::runtime::cpu::INGOT_LANES {
namespace {

#if defined(__AVX512F__)
constexpr int64_t kWidth = 16;
constexpr int kRows = 12;
#elif defined(__AVX2__)
constexpr int64_t kWidth = 8;
constexpr int kRows = 6;
#else
constexpr int64_t kWidth = 4;
constexpr int kRows = 4;
#endif
using Vector = float __attribute__((vector_size(kWidth * 4), aligned(4), may_alias));
constexpr int64_t kColumns = 2 * kWidth;
constexpr int64_t kDepth = 256;  // of a panel: it stays in the first-level cache
constexpr int64_t kFewRows = 3;

Vector load(const float* from) { return *reinterpret_cast<const Vector*>(from); }
void store(float* to, Vector value) { *reinterpret_cast<Vector*>(to) = value; }

float element(const void* data, DType dtype, int64_t at) {
  switch (dtype) {
    case DType::kF16: {
      const uint16_t bits = static_cast<const uint16_t*>(data)[at];
#ifdef __F16C__
      return _cvtsh_ss(bits);
#else
      return f16_to_f32(bits);
#endif
    }
    case DType::kBF16:
      return as_float(static_cast<uint32_t>(static_cast<const uint16_t*>(data)[at]) << 16);
    default:
      return static_cast<const float*>(data)[at];
  }
}

void widen(const void* source, DType dtype, int64_t stride, float* target, int64_t count) {
  if (dtype == DType::kF32) {
    const auto* from = static_cast<const float*>(source);
    if (stride == 1) {
      std::memcpy(target, from, static_cast<size_t>(count) * sizeof(float));
      return;
    }
    for (int64_t i = 0; i < count; ++i) target[i] = from[i * stride];
    return;
  }
  if (dtype == DType::kBF16) {
    const auto* from = static_cast<const uint16_t*>(source);
    for (int64_t i = 0; i < count; ++i) {
      target[i] = as_float(static_cast<uint32_t>(from[i * stride]) << 16);
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i) target[i] = element(source, dtype, i * stride);
}

const void* advance(const void* data, DType dtype, int64_t elements) {
  return static_cast<const char*>(data) + elements * (dtype == DType::kF32 ? 4 : 2);
}

// packed[k][kRows] of rows [0, rows) and depth [begin, end); missing rows are 0.
void pack_rows(const MatrixView& a, int64_t first, int64_t rows, int64_t begin, int64_t end,
               float* packed) {
  float line[kDepth];
  for (int64_t r = 0; r < kRows; ++r) {
    if (r < rows) {
      const int64_t at = (first + r) * a.row_stride + begin * a.column_stride;
      widen(advance(a.data, a.dtype, at), a.dtype, a.column_stride, line, end - begin);
    } else {
      std::memset(line, 0, sizeof(line));
    }
    for (int64_t k = 0; k < end - begin; ++k) packed[k * kRows + r] = line[k];
  }
}

// packed[k][kColumns] of columns [first, first + columns); missing columns are 0.
void pack_columns(const MatrixView& b, int64_t first, int64_t columns, int64_t begin, int64_t end,
                  float* packed) {
  if (b.column_stride == 1) {
    for (int64_t k = begin; k < end; ++k) {
      float* line = packed + (k - begin) * kColumns;
      widen(advance(b.data, b.dtype, k * b.row_stride + first), b.dtype, 1, line, columns);
      for (int64_t c = columns; c < kColumns; ++c) line[c] = 0;
    }
    return;
  }
  float line[kDepth];
  for (int64_t c = 0; c < kColumns; ++c) {
    if (c < columns) {
      const int64_t at = (first + c) * b.column_stride + begin * b.row_stride;
      widen(advance(b.data, b.dtype, at), b.dtype, b.row_stride, line, end - begin);
    } else {
      std::memset(line, 0, sizeof(line));
    }
    for (int64_t k = 0; k < end - begin; ++k) packed[k * kColumns + c] = line[k];
  }
}

// sums[kRows][kColumns] of two panels.
void multiply_panels(const float* a, const float* b, int64_t depth, Vector (&sums)[kRows][2]) {
  for (int r = 0; r < kRows; ++r) sums[r][0] = sums[r][1] = Vector{};
  for (int64_t k = 0; k < depth; ++k) {
    const Vector b0 = load(b);
    const Vector b1 = load(b + kWidth);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      sums[r][0] += a[r] * b0;
      sums[r][1] += a[r] * b1;
    }
    a += kRows;
    b += kColumns;
  }
}

void add_block(const Vector (&sums)[kRows][2], int64_t rows, int64_t columns, bool is_first,
               float* c, int64_t stride) {
  for (int64_t r = 0; r < rows; ++r) {
    float* line = c + r * stride;
    if (columns == kColumns) {
      store(line, is_first ? sums[r][0] : load(line) + sums[r][0]);
      store(line + kWidth, is_first ? sums[r][1] : load(line + kWidth) + sums[r][1]);
      continue;
    }
    float tail[kColumns];
    store(tail, sums[r][0]);
    store(tail + kWidth, sums[r][1]);
    for (int64_t i = 0; i < columns; ++i) line[i] = is_first ? tail[i] : line[i] + tail[i];
  }
}

float dot(const float* x, const float* y, int64_t count) {
  Vector sums[4] = {};
  int64_t i = 0;
  for (; i + 4 * kWidth <= count; i += 4 * kWidth) {
    for (int64_t j = 0; j < 4; ++j) sums[j] += load(x + i + j * kWidth) * load(y + i + j * kWidth);
  }
  for (; i + kWidth <= count; i += kWidth) sums[0] += load(x + i) * load(y + i);
  const Vector total = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  float sum = 0;
  for (int64_t j = 0; j < kWidth; ++j) sum += total[j];
  for (; i < count; ++i) sum += x[i] * y[i];
  return sum;
}

void multiply_add(const float* x, const float* w, float* sums, int64_t count) {
  for (int64_t i = 0; i < count; ++i) sums[i] += x[i] * w[i];
}

// A few rows do not pay for packing b: each element of it is used as it is read.
void few_rows(const MatrixView& a, const MatrixView& b, int64_t rows, int64_t columns,
              int64_t depth, float* c) {
  float row[kDepth];
  float line[kDepth];
  std::fill(c, c + rows * columns, 0.0f);
  for (int64_t begin = 0; begin < depth; begin += kDepth) {
    const int64_t count = std::min(kDepth, depth - begin);
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t at = r * a.row_stride + begin * a.column_stride;
      widen(advance(a.data, a.dtype, at), a.dtype, a.column_stride, row, count);
      float* sums = c + r * columns;
      if (b.column_stride == 1 && b.dtype == DType::kF32) {
        for (int64_t k = 0; k < count; ++k) {
          const float factor = row[k];
          const float* from = static_cast<const float*>(b.data) + (begin + k) * b.row_stride;
          for (int64_t i = 0; i < columns; ++i) sums[i] += factor * from[i];
        }
        continue;
      }
      for (int64_t i = 0; i < columns; ++i) {
        const void* from = advance(b.data, b.dtype, i * b.column_stride + begin * b.row_stride);
        if (b.dtype == DType::kF32 && b.row_stride == 1) {
          sums[i] += dot(row, static_cast<const float*>(from), count);
          continue;
        }
        widen(from, b.dtype, b.row_stride, line, count);
        sums[i] += dot(row, line, count);
      }
    }
  }
}

int64_t padded_columns(int64_t columns) { return (columns + kColumns - 1) / kColumns * kColumns; }

int64_t scratch_floats(int64_t, int64_t columns) {
  return kDepth * (kRows + kColumns - 1 + padded_columns(columns));
}

void tile(const MatrixView& a, const MatrixView& b, int64_t rows, int64_t columns, int64_t depth,
          float* c, float* scratch) {
  if (rows <= kFewRows || depth == 0) {
    few_rows(a, b, rows, columns, depth, c);
    return;
  }
  float* packed_b = scratch;
  float* packed_a = scratch + kDepth * padded_columns(columns);
  for (int64_t begin = 0; begin < depth; begin += kDepth) {
    const int64_t end = std::min(depth, begin + kDepth);
    for (int64_t first = 0; first < columns; first += kColumns) {
      pack_columns(b, first, std::min(kColumns, columns - first), begin, end,
                   packed_b + first * kDepth);
    }
    for (int64_t row = 0; row < rows; row += kRows) {
      const int64_t row_count = std::min<int64_t>(kRows, rows - row);
      pack_rows(a, row, row_count, begin, end, packed_a);
      for (int64_t first = 0; first < columns; first += kColumns) {
        Vector sums[kRows][2];
        multiply_panels(packed_a, packed_b + first * kDepth, end - begin, sums);
        add_block(sums, row_count, std::min(kColumns, columns - first), begin == 0,
                  c + row * columns + first, columns);
      }
    }
  }
}

float exp_row(float* row, float largest, int64_t count) {
  for (int64_t i = 0; i < count; ++i) row[i] = exp_lane(row[i] - largest);
  Vector sums[2] = {};
  int64_t i = 0;
  for (; i + 2 * kWidth <= count; i += 2 * kWidth) {
    sums[0] += load(row + i);
    sums[1] += load(row + i + kWidth);
  }
  const Vector both = sums[0] + sums[1];
  float sum = 0;
  for (int64_t j = 0; j < kWidth; ++j) sum += both[j];
  for (; i < count; ++i) sum += row[i];
  return sum;
}

float max_of_row(const float* row, int64_t count) {
  float largest = row[0];
  for (int64_t i = 1; i < count; ++i) {
    // A NaN stays: nothing is larger than it, and it is taken when met.
    largest = row[i] > largest || row[i] != row[i] ? row[i] : largest;
  }
  return largest;
}

void scale_row(float* row, float factor, int64_t count) {
  for (int64_t i = 0; i < count; ++i) row[i] *= factor;
}

}  // namespace

const MatmulLanes& matmul_lanes() {
  static constexpr MatmulLanes kLanes = {tile,       scratch_floats, multiply_add, exp_row,
                                         max_of_row, scale_row,      widen};
  return kLanes;
}

}  // namespace ingot::runtime::cpu::INGOT_LANES
