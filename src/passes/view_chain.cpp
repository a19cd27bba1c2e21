#include "passes/view_chain.h"

#include <fmt/core.h>

#include <algorithm>

#include "ops/op_def.h"
#include "support/diagnostics.h"

namespace ingot::passes {

namespace {

using ir::Value;
using Exprs = std::vector<sym::Expr>;

bool is_step(const ViewStep& step, std::string_view name) { return step.op->schema.name == name; }

const Exprs& exprs_arg(const ViewStep& step, std::string_view param) {
  return std::get<Exprs>(step.args.at(static_cast<size_t>(step.op->schema.find_param(param))));
}
const sym::Expr& expr_arg(const ViewStep& step, std::string_view param) {
  return std::get<sym::Expr>(step.args.at(static_cast<size_t>(step.op->schema.find_param(param))));
}
size_t dim_arg(const ViewStep& step, std::string_view param) {
  const int64_t rank = step.before.rank();
  int64_t dim = expr_arg(step, param).as_const().value_or(0);
  if (dim < 0) dim += rank;
  INGOT_CHECK(dim >= 0 && dim < rank, fmt::format("{} has a bad dimension", step.op->schema.name));
  return static_cast<size_t>(dim);
}

std::vector<int64_t> permutation(const ViewStep& step) {
  std::vector<int64_t> dims;
  for (const sym::Expr& dim : exprs_arg(step, "dims")) {
    const int64_t value = dim.as_const().value_or(0);
    dims.push_back(value < 0 ? value + step.before.rank() : value);
  }
  return dims;
}

// The position of the tensor that a view operator views.
std::optional<size_t> viewed_param(const ir::Node& node) {
  if (!node.op->def || node.op->def->kind != ops::OpKind::kView) return std::nullopt;
  for (size_t i = 0; i < node.args.size(); ++i) {
    if (std::holds_alternative<Value*>(node.args[i])) return i;
  }
  return std::nullopt;
}

// Whether an expand repeats elements, rather than only adding dimensions of size 1.
bool repeats_elements(const ViewStep& step) {
  const size_t added = step.after.sizes.size() - step.before.sizes.size();
  for (size_t i = 0; i < step.after.sizes.size(); ++i) {
    const sym::Expr before = i < added ? sym::Expr(1) : step.before.sizes[i - added];
    if (before != step.after.sizes[i]) return true;
  }
  return false;
}

[[noreturn]] void fail_overlap() {
  throw CompileError(Diag::kUnsupportedCase,
                     "a tensor is written whose elements share memory (an expanded view); PyTorch "
                     "asks to clone it before the write");
}

// The source of one step after its view has become `written`.
Value* write_back(ir::Builder& b, const ViewStep& step, Value* source, Value* written) {
  if (is_step(step, "ingot.reshape.default")) return b.reshape(written, step.before.sizes);
  if (is_step(step, "aten.permute.default")) {
    const std::vector<int64_t> dims = permutation(step);
    std::vector<int64_t> inverse(dims.size());
    for (size_t i = 0; i < dims.size(); ++i) {
      inverse[static_cast<size_t>(dims[i])] = static_cast<int64_t>(i);
    }
    return b.permute(written, inverse);
  }
  if (is_step(step, "ingot.expand.default")) {
    if (repeats_elements(step)) fail_overlap();
    return b.reshape(written, step.before.sizes);
  }
  if (is_step(step, "ingot.slice.default")) {
    return b.call("aten.slice_scatter.default",
                  {source, written, expr_arg(step, "dim"), expr_arg(step, "start"),
                   expr_arg(step, "end"), expr_arg(step, "step")});
  }
  if (is_step(step, "aten.diagonal.default")) {
    return b.call("aten.diagonal_scatter.default",
                  {source, written, expr_arg(step, "offset"), expr_arg(step, "dim1"),
                   expr_arg(step, "dim2")});
  }
  throw CompileError(
      Diag::kUnsupportedCase,
      fmt::format("a write through the view that {} makes is not supported", step.op->schema.name));
}

// The strides of a reshaped tensor, or nothing if its elements are not evenly spaced. Runs of
// dimensions that lie densely behind each other may be divided anew; the borders between runs must
// stay.
std::optional<Strides> reshaped_strides(const Exprs& sizes, const Strides& strides,
                                        const Exprs& new_sizes) {
  Strides result(new_sizes.size(), sym::Expr(1));
  size_t next = new_sizes.size();
  sym::Expr run_stride = strides.empty() ? sym::Expr(1) : strides.back();
  sym::Expr run_elements = 1;
  for (size_t dim = sizes.size(); dim-- > 0;) {
    run_elements *= sizes[dim];
    const bool run_continues =
        dim > 0 && (sizes[dim - 1].is_const(1) || strides[dim - 1] == run_elements * run_stride);
    if (run_continues) continue;
    sym::Expr taken = 1;
    while (next > 0 && (taken != run_elements || new_sizes[next - 1].is_const(1))) {
      --next;
      result[next] = taken * run_stride;
      taken *= new_sizes[next];
    }
    if (taken != run_elements) return std::nullopt;
    if (dim > 0) run_stride = strides[dim - 1];
    run_elements = 1;
  }
  return next == 0 || sizes.empty() ? std::optional(result) : std::nullopt;
}

}  // namespace

std::optional<ViewChain> chain_between(const Value* source, const Value* view) {
  ViewChain chain;
  while (view != source) {
    const ir::Node* node = view->producer;
    if (!node || node->results.size() != 1) return std::nullopt;
    const std::optional<size_t> self = viewed_param(*node);
    if (!self) return std::nullopt;
    const Value* viewed = std::get<Value*>(node->args[*self]);
    chain.push_back({node->op, node->args, *self, viewed->type, view->type});
    view = viewed;
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

Value* apply_step(ir::Builder& builder, const ViewStep& step, Value* source) {
  std::vector<ir::Arg> args = step.args;
  args[step.self] = source;
  return builder.call(step.op->schema.name, std::move(args));
}

Value* apply_chain(ir::Builder& builder, const ViewChain& chain, Value* source) {
  for (const ViewStep& step : chain) source = apply_step(builder, step, source);
  return source;
}

Value* write_through(ir::Builder& builder, const ViewChain& chain, Value* source, Value* written) {
  // What each step views; the last one's view is replaced as a whole.
  std::vector<Value*> sources;
  for (size_t i = 0; i < chain.size(); ++i) {
    sources.push_back(source);
    if (i + 1 < chain.size()) source = apply_step(builder, chain[i], source);
  }
  for (size_t i = chain.size(); i-- > 0;) {
    written = write_back(builder, chain[i], sources[i], written);
  }
  return written;
}

Strides contiguous_strides(std::span<const sym::Expr> sizes) {
  Strides strides(sizes.size(), sym::Expr(1));
  for (size_t dim = sizes.size(); dim-- > 1;) strides[dim - 1] = strides[dim] * sizes[dim];
  return strides;
}

std::optional<Strides> strides_after(const ViewStep& step, const Strides& strides) {
  if (is_step(step, "ingot.reshape.default")) {
    return reshaped_strides(step.before.sizes, strides, step.after.sizes);
  }
  if (is_step(step, "aten.permute.default")) {
    Strides result;
    for (int64_t dim : permutation(step)) result.push_back(strides[static_cast<size_t>(dim)]);
    return result;
  }
  if (is_step(step, "ingot.expand.default")) {
    const size_t added = step.after.sizes.size() - step.before.sizes.size();
    Strides result(added, sym::Expr(0));
    for (size_t i = 0; i < strides.size(); ++i) {
      const bool repeats = step.before.sizes[i] != step.after.sizes[i + added];
      result.push_back(repeats ? sym::Expr(0) : strides[i]);
    }
    return result;
  }
  if (is_step(step, "ingot.slice.default")) {
    Strides result = strides;
    sym::Expr& stride = result[dim_arg(step, "dim")];
    stride = stride * expr_arg(step, "step");
    return result;
  }
  if (is_step(step, "aten.diagonal.default")) {
    Strides result;
    const size_t dim1 = dim_arg(step, "dim1");
    const size_t dim2 = dim_arg(step, "dim2");
    for (size_t dim = 0; dim < strides.size(); ++dim) {
      if (dim != dim1 && dim != dim2) result.push_back(strides[dim]);
    }
    result.push_back(strides[dim1] + strides[dim2]);
    return result;
  }
  return std::nullopt;
}

}  // namespace ingot::passes
