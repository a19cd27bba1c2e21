// Loop kernels written by hand: the strip machine against the scalar executor and known results.
#include "runtime/cpu/kernel_sketch.h"

namespace ingot::runtime::cpu {
namespace {

TEST(LoopKernel, SumsRows) {
  KernelSketch k;
  k.parallel(3);
  k.inner(16);
  const uint32_t in = k.buffer(DType::kI32);
  const uint32_t out = k.buffer(DType::kI32);
  k.inner_stage();
  const InstId x = k.load(in, axis(0) * 16 + sym::floor_div(axis(1) + 1, 4));
  const InstId sum = k.reduce(ReduceOp::kSum, x);
  k.row_stage();
  k.store(out, axis(0), sum);
  TestBuffer data(DType::kI32, 48);
  for (int i = 0; i < 48; ++i) data.set(i, i);
  expect_same(k.kernel(), {data, TestBuffer(DType::kI32, 3)});
}

}  // namespace
}  // namespace ingot::runtime::cpu
