#include "schedule/view_trace.h"

#include "ops/op_def.h"
#include "schedule/kernel_builder.h"
#include "support/diagnostics.h"

namespace ingot::schedule {
namespace {

using ops::Index;
using ops::Scalar;

// Records where a view's element function reads; everything but one load is refused.
class ReadRecorder final : public ops::ElementBuilder {
 public:
  std::optional<Traced> read;

  Scalar load(const ir::Value* value, const Index& index) override {
    if (read) throw Unfusable{"a view that reads twice"};
    read = Traced{value, index};
    return {0, value->dtype()};
  }
  Scalar apply(ops::ScalarOp, std::span<const Scalar>) override { refuse(); }
  Scalar cast(Scalar value, DType dtype) override {
    if (value.dtype != dtype) refuse();
    return value;
  }
  Scalar bitcast(Scalar, DType) override { refuse(); }
  Scalar constant(DType, double) override { refuse(); }
  Scalar integer(DType, int64_t) override { refuse(); }
  Scalar index_value(const sym::Expr&) override { refuse(); }
  Scalar reduce(ops::ReduceOp, std::span<const sym::Expr>,
                const std::function<Scalar(const Index&)>&) override {
    refuse();
  }
  sym::Expr checked_index(Scalar, const sym::Expr&) override { refuse(); }
  sym::Expr trusted_index(Scalar) override { refuse(); }
  Scalar guarded(Scalar, const std::function<Scalar()>&, Scalar) override { refuse(); }

 private:
  [[noreturn]] void refuse() { throw Unfusable{"not a plain view"}; }
};

}  // namespace

std::optional<Traced> trace_views(const Placement& placement, const ir::Value* value,
                                  const Index& index) {
  Traced traced{value, index};
  while (!placement.is_placed(traced.base)) {
    const ir::Node* node = traced.base->producer;
    if (!node || !node->op->def || node->op->def->kind != ops::OpKind::kView) break;
    ReadRecorder recorder;
    try {
      node->op->def->element(recorder, *node, traced.base->result, traced.index);
    } catch (const Unfusable&) {
      return std::nullopt;
    }
    if (!recorder.read) return std::nullopt;
    traced = *recorder.read;
  }
  return traced;
}

std::optional<Strided> trace_strided(const Placement& placement, const ir::Value* value,
                                     const sym::Ranges& ranges) {
  Index index;
  sym::Extents extents;
  for (size_t i = 0; i < value->type.sizes.size(); ++i) {
    // A dimension of size 1 is only ever at 0; its stride does not matter.
    if (value->type.sizes[i].is_const(1)) {
      index.push_back(0);
      continue;
    }
    const std::string name = "a" + std::to_string(i);
    index.push_back(sym::Expr::symbol(name));
    extents[name] = value->type.sizes[i];
  }
  const auto traced = trace_views(placement, value, index);
  if (!traced || !placement.is_placed(traced->base)) return std::nullopt;
  Strided result{traced->base, {}, {}};
  result.offset =
      sym::simplify(linear_offset(traced->index, placement.strides(traced->base)), ranges, extents);
  for (const sym::Expr& position : index) {
    if (position.is_const()) {
      result.strides.push_back(0);
      continue;
    }
    const auto linear = sym::split_linear(result.offset, position.symbol_name());
    if (!linear) return std::nullopt;
    for (const auto& [name, extent] : extents) {
      if (sym::uses_symbol(linear->coefficient, name)) return std::nullopt;
    }
    result.strides.push_back(linear->coefficient);
    result.offset = linear->rest;
  }
  return result;
}

std::optional<Index> forward_index(const ir::Node& view, const Index& index) {
  const ir::Value* result = view.results[0];
  if (view.target() == "aten.permute.default") {
    Index forward;
    const int64_t rank = result->rank();
    for (const int64_t dim : view.constants("dims")) {
      forward.push_back(index[static_cast<size_t>(dim < 0 ? dim + rank : dim)]);
    }
    return forward;
  }
  if (view.target() == "ingot.reshape.default") {
    const ir::Value* operand = view.tensor("self");
    const sym::Expr linear =
        linear_offset(index, strides_of(operand->type.sizes, row_major(operand->rank())));
    Index forward;
    for (size_t i = 0; i < result->type.sizes.size(); ++i) {
      const sym::Expr& size = result->type.sizes[i];
      sym::Expr inner = 1;
      for (size_t j = i + 1; j < result->type.sizes.size(); ++j) {
        inner = inner * result->type.sizes[j];
      }
      sym::Expr position = sym::floor_div(linear, inner);
      if (i > 0) position = sym::mod(position, size);
      forward.push_back(size.is_const(1) ? sym::Expr(0) : position);
    }
    return forward;
  }
  return std::nullopt;
}

}  // namespace ingot::schedule
