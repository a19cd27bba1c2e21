// Matrix products of small tiles in f32, compiled once per instruction set.
#pragma once

#include <cstdint>

#include "support/dtype.h"

namespace ingot::runtime::cpu {

// A strided matrix of f32, f16 or bf16 elements; 16-bit ones are widened as they are read.
struct MatrixView {
  const void* data = nullptr;
  DType dtype = DType::kF32;
  int64_t row_stride = 0;  // elements
  int64_t column_stride = 0;
};

struct MatmulLanes {
  // c[rows][columns] (row-major, `columns` apart) = a[rows][depth] * b[depth][columns]. `scratch`
  // has `scratch_floats(rows, columns)` elements, 64-byte aligned.
  void (*tile)(const MatrixView& a, const MatrixView& b, int64_t rows, int64_t columns,
               int64_t depth, float* c, float* scratch);
  int64_t (*scratch_floats)(int64_t rows, int64_t columns);
  // sums[i] += x[i] * w[i] for i in [0, count).
  void (*multiply_add)(const float* x, const float* w, float* sums, int64_t count);
  // row[i] = exp(row[i] - largest); returns the sum.
  float (*exp_row)(float* row, float largest, int64_t count);
  float (*max_of_row)(const float* row, int64_t count);
  void (*scale_row)(float* row, float factor, int64_t count);
  // Elements of any of the three types to f32, `stride` apart in `source`.
  void (*widen)(const void* source, DType dtype, int64_t stride, float* target, int64_t count);
};

namespace lanes_baseline {
const MatmulLanes& matmul_lanes();
}
namespace lanes_avx2 {
const MatmulLanes& matmul_lanes();
}
namespace lanes_avx512 {
const MatmulLanes& matmul_lanes();
}

}  // namespace ingot::runtime::cpu
