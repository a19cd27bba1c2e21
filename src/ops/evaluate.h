// A slow graph evaluator: every element of every value by its operator's own element function, in
// the exact dtypes. The oracle for passes and for the operators themselves.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "ir/graph.h"
#include "ops/host_tensor.h"
#include "ops/testing.h"

namespace ingot::ops {

// The graph's outputs for concrete inputs, one per graph input. Symbols that stand alone as the
// size of an input are bound to it; others must be in `symbols`. Composite operators are
// decomposed, template operators run their double-precision reference. Throws CompileError if an
// index read from data is outside its range or sizes do not fit, InternalError if an operator reads
// out of bounds.
std::vector<HostTensor> evaluate(const ir::Graph& graph, std::span<const HostTensor> inputs,
                                 sym::Values symbols = {});

// The arguments of a node as references see them; every operand must be among `tensors`.
using Tensors = std::map<const ir::Value*, HostTensor>;
RefArgs reference_args(const ir::Node& node, const Tensors& tensors, const sym::Values& symbols);

// Conversions between tensors in their own dtype and the doubles that references work on.
RefTensor to_reference(const HostTensor& tensor);
HostTensor from_reference(const RefTensor& tensor);

}  // namespace ingot::ops
