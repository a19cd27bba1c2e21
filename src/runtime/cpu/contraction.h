// What matmul, convolution and attention on the CPU share: operands with their sizes known, tiles
// of sums that an epilogue finishes, scratch memory.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "program/access.h"
#include "program/kernel.h"
#include "runtime/cpu/epilogue.h"
#include "runtime/cpu/lane_table.h"
#include "runtime/cpu/lanes/matmul.h"
#include "support/diagnostics.h"

namespace ingot::runtime::cpu {

const MatmulLanes& matmul_lanes(Isa isa);

// An operand of a template: element (i0, i1, …) is at offset + sum(i_k * strides[k]).
struct BoundOperand {
  uint32_t buffer = 0;
  DType dtype = DType::kF32;
  int64_t offset = 0;
  std::vector<int64_t> strides;

  // The address of an element.
  const void* at(std::span<void* const> buffers, int64_t position) const {
    return static_cast<const char*>(buffers[buffer]) + (offset + position) * size_of(dtype);
  }
};
Result<BoundOperand> bind_operand(const program::Kernel& kernel, size_t index,
                                  const LaunchSizes& sizes);

// The values of sizes over d0, d1, ….
Result<std::vector<int64_t>> bind_sizes(std::span<const sym::Expr> exprs, const LaunchSizes& sizes);

// True for operands that the f32 micro-kernels read: f32, f16 and bf16, accumulated in f32.
bool uses_f32_lanes(const program::Kernel& kernel);

// Scratch memory of the calling thread, 64-byte aligned, its contents undefined. One use at a time
// per `slot`.
float* thread_scratch(int slot, int64_t floats);

// Template kernels with micro-kernels of their own. `kernel` passes uses_f32_lanes().
Result<std::unique_ptr<BoundKernel>> bind_matmul(const program::Kernel& kernel,
                                                 const LaunchSizes& sizes, Isa isa);
Result<std::unique_ptr<BoundKernel>> bind_conv(const program::Kernel& kernel,
                                               const LaunchSizes& sizes, Isa isa);
Result<std::unique_ptr<BoundKernel>> bind_attention(const program::Kernel& kernel,
                                                    const LaunchSizes& sizes, Isa isa);

}  // namespace ingot::runtime::cpu
