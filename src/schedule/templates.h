// Template kernels: how matmul, convolution, attention, scan and sort nodes become kernels.
#pragma once

#include <vector>

#include "schedule/grouping.h"
#include "schedule/kernel_bodies.h"

namespace ingot::schedule {

// The operands that the template reads from memory (an attention's mask is computed in place).
std::vector<const ir::Value*> memory_operands(const ir::Node& node);

// Whether pointwise work on its result can run inside the template.
bool has_epilogue(const ir::Node& node);

// The dimensions of the operand that a reduction node folds, ascending.
std::vector<int64_t> reduced_dims(const ir::Node& node);

// The kernel of a kTemplate group.
BuiltKernel build_template_kernel(const Group& group, const Placement& placement,
                                  const sym::Ranges& ranges);

}  // namespace ingot::schedule
