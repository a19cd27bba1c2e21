// Turns groups into kernels.
#pragma once

#include <vector>

#include "program/kernel.h"
#include "schedule/grouping.h"
#include "schedule/kernel_builder.h"

namespace ingot::schedule {

// A kernel over the program's symbols (not yet renamed to d0, d1, …) and the values its buffer
// parameters stand for.
struct BuiltKernel {
  program::Kernel kernel;
  std::vector<const ir::Value*> buffers;
};

// The loop kernel of a kLoop group. Throws Unfusable.
BuiltKernel build_loop_kernel(const Group& group, const Placement& placement,
                              const sym::Ranges& ranges);

// The stores into the result of a kScatter group's node.
BuiltKernel build_scatter_kernel(const Group& group, const Placement& placement,
                                 const sym::Ranges& ranges);

// The epilogue of a kTemplate group: axes are the dimensions of the template's result. Throws
// Unfusable when a root cannot be computed from the template's result point by point.
void build_epilogue(KernelBuilder& builder, const Group& group, const Placement& placement,
                    DType accumulator);

// A readable name for the kernel of a group: "matmul_add_gelu".
std::string kernel_stem(const Group& group, const Placement& placement);

// The dtype a template accumulates a result of `dtype` in.
DType accumulator_type(DType dtype);

}  // namespace ingot::schedule
