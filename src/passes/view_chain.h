// Views as chains of primitive view operators: how to read through them and how to write back.
#pragma once

#include <optional>
#include <vector>

#include "ir/builder.h"
#include "ir/graph.h"

namespace ingot::passes {

// One view operator applied to a tensor.
struct ViewStep {
  const ir::Operator* op = nullptr;
  std::vector<ir::Arg> args;  // complete; the one at `self` is the tensor that is viewed
  size_t self = 0;
  ir::TensorType before;  // types of the viewed tensor and the view
  ir::TensorType after;
};

// From a base tensor to a view of it.
using ViewChain = std::vector<ViewStep>;

// The steps that lead from `source` to `view`, or nothing if `view` is not made of it by view
// operators alone (it is a copy, then). No steps if they are one value.
std::optional<ViewChain> chain_between(const ir::Value* source, const ir::Value* view);

// The view of `source`.
ir::Value* apply_step(ir::Builder& builder, const ViewStep& step, ir::Value* source);
ir::Value* apply_chain(ir::Builder& builder, const ViewChain& chain, ir::Value* source);

// The contents of `source` after its view through `chain` has been overwritten with `written`.
// Throws CompileError (kUnsupportedCase) if elements of the view share memory, as PyTorch does.
ir::Value* write_through(ir::Builder& builder, const ViewChain& chain, ir::Value* source,
                         ir::Value* written);

// Strides in elements, and what becomes of them in a view.
using Strides = std::vector<sym::Expr>;
Strides contiguous_strides(std::span<const sym::Expr> sizes);
// Nothing if a tensor with `strides` cannot be viewed like that without a copy.
std::optional<Strides> strides_after(const ViewStep& step, const Strides& strides);

}  // namespace ingot::passes
