// Elementary functions: the hot ones of f32 as vector code, powers by their usual exponents.
#include "runtime/cpu/lanes/vector_math.h"

namespace ingot::runtime::cpu::INGOT_LANES {
namespace {

using program::ScalarOp;

struct Exp {
  static float apply(float x) { return exp_lane(x); }
};
struct Tanh {
  static float apply(float x) { return tanh_lane(x); }
};
struct Erf {
  static float apply(float x) { return erf_lane(x); }
};
struct Log {
  static float apply(float x) { return log_lane(x); }
};

struct Square {
  static float apply(float x) { return x * x; }
};
struct Cube {
  static float apply(float x) { return x * x * x; }
};
struct SquareRoot {
  static float apply(float x) { return __builtin_sqrtf(x); }
};
struct InverseRoot {
  static float apply(float x) { return 1.0f / __builtin_sqrtf(x); }
};
struct Inverse {
  static float apply(float x) { return 1.0f / x; }
};
struct InverseSquare {
  static float apply(float x) { return 1.0f / (x * x); }
};
struct Pow {
  static float apply(float x, float y) { return powf(x, y); }
};

// Exponents that eager PyTorch computes by multiplication and roots are computed so here.
void pow_uniform(void* dst, const void* a, const void* b, const void* c, int64_t n) {
  const float exponent = *static_cast<const float*>(b);
  if (exponent == 2.0f) return Loops<Square, float, float>::unary(dst, a, b, c, n);
  if (exponent == 3.0f) return Loops<Cube, float, float>::unary(dst, a, b, c, n);
  if (exponent == 0.5f) return Loops<SquareRoot, float, float>::unary(dst, a, b, c, n);
  if (exponent == -0.5f) return Loops<InverseRoot, float, float>::unary(dst, a, b, c, n);
  if (exponent == -1.0f) return Loops<Inverse, float, float>::unary(dst, a, b, c, n);
  if (exponent == -2.0f) return Loops<InverseSquare, float, float>::unary(dst, a, b, c, n);
  Loops<Pow, float, float>::binary_uniform_b(dst, a, b, c, n);
}

}  // namespace

void fill_float_functions(LaneTable& table) {
  set_unary<Exp, DType::kF32>(table, ScalarOp::kExp);
  set_unary<Tanh, DType::kF32>(table, ScalarOp::kTanh);
  set_unary<Erf, DType::kF32>(table, ScalarOp::kErf);
  set_unary<Log, DType::kF32>(table, ScalarOp::kLog);
  table.compute[static_cast<int>(ScalarOp::kPow)][static_cast<int>(DType::kF32)][kUniformB] =
      pow_uniform;
}

}  // namespace ingot::runtime::cpu::INGOT_LANES
