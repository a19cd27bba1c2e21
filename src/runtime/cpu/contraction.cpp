#include "runtime/cpu/contraction.h"

#include <cstdlib>

namespace ingot::runtime::cpu {

const MatmulLanes& matmul_lanes(Isa isa) {
#ifdef INGOT_X86_LANES
  if (isa == Isa::kAvx512) return lanes_avx512::matmul_lanes();
  if (isa == Isa::kAvx2) return lanes_avx2::matmul_lanes();
#endif
  (void)isa;
  return lanes_baseline::matmul_lanes();
}

Result<BoundOperand> bind_operand(const program::Kernel& kernel, size_t index,
                                  const LaunchSizes& sizes) {
  const program::Operand& operand = kernel.operands[index];
  BoundOperand bound;
  bound.buffer = operand.buffer;
  bound.dtype = kernel.buffers[operand.buffer].dtype;
  INGOT_ASSIGN_OR_RETURN(bound.offset, program::evaluate_size(operand.offset, sizes.scalars));
  INGOT_ASSIGN_OR_RETURN(bound.strides, bind_sizes(operand.strides, sizes));
  return bound;
}

Result<std::vector<int64_t>> bind_sizes(std::span<const sym::Expr> exprs,
                                        const LaunchSizes& sizes) {
  std::vector<int64_t> values;
  values.reserve(exprs.size());
  for (const sym::Expr& expr : exprs) {
    INGOT_ASSIGN_OR_RETURN(const int64_t value, program::evaluate_size(expr, sizes.scalars));
    values.push_back(value);
  }
  return values;
}

bool uses_f32_lanes(const program::Kernel& kernel) {
  if (kernel.accumulator != DType::kF32) return false;
  for (const program::Operand& operand : kernel.operands) {
    const DType dtype = kernel.buffers[operand.buffer].dtype;
    if (dtype != DType::kF32 && !is_half(dtype)) return false;
  }
  return true;
}

float* thread_scratch(int slot, int64_t floats) {
  constexpr int kSlots = 4;
  constexpr size_t kAlignment = 64;
  struct Free {
    void operator()(float* memory) const { std::free(memory); }
  };
  thread_local std::unique_ptr<float, Free> memory[kSlots];
  thread_local size_t capacity[kSlots] = {};
  const size_t bytes =
      (static_cast<size_t>(floats) * sizeof(float) + kAlignment) / kAlignment * kAlignment;
  if (capacity[slot] < bytes) {
    memory[slot].reset(static_cast<float*>(std::aligned_alloc(kAlignment, bytes)));
    capacity[slot] = memory[slot] ? bytes : 0;
  }
  return memory[slot].get();
}

}  // namespace ingot::runtime::cpu
