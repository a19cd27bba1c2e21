// Gated linear unit: one half of a dimension times the sigmoid of the other.
#include <cmath>

#include "ops/index_space.h"
#include "ops/pointwise.h"
#include "ops/term.h"
#include "support/diagnostics.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kSchemas[] = {"aten::glu(Tensor self, int dim=-1) -> Tensor"};

std::vector<TensorType> infer(const Node& node) {
  TensorType type = node.tensor("self")->type;
  sym::Expr& size = type.sizes[normal_dim(node.constant("dim"), type.rank())];
  if (const auto constant = size.as_const(); constant && *constant % 2 != 0) {
    throw CompileError(Diag::kShapeMismatch, "the halved dimension has an odd size");
  }
  size = sym::floor_div(size, 2);
  return {type};
}

Scalar element(ElementBuilder& e, const Node& node, uint32_t, const Index& index) {
  const Value* self = node.tensor("self");
  const size_t dim = normal_dim(node.constant("dim"), self->rank());
  Index gate_index = index;
  gate_index[dim] = index[dim] + sym::floor_div(self->type.sizes[dim], 2);
  const DType wide = compute_type(self->dtype());
  const Term x = Term(e, e.load(self, index)).cast(wide);
  const Term gate = Term(e, e.load(self, gate_index)).cast(wide);
  return e.cast(x * (1 / (exp(-gate) + 1)), self->dtype());
}

std::vector<RefTensor> reference(const RefArgs& args) {
  const RefTensor& self = args.tensor("self");
  const size_t dim = normal_dim(args.integer("dim"), static_cast<int64_t>(self.sizes.size()));
  RefTensor result{args.result_dtype, args.result_sizes[0], {}};
  for_each_index(result.sizes, [&](std::vector<int64_t> index) {
    const double x = self.data[static_cast<size_t>(self.offset(index))];
    index[dim] += result.sizes[dim];
    const double gate = self.data[static_cast<size_t>(self.offset(index))];
    result.data.push_back(x / (1 + std::exp(-gate)));
  });
  return {result};
}

std::vector<Case> cases() {
  Case outer{"aten.glu.default", {TensorArg{{4, 3}}, int64_t{0}}, all_float_dtypes(), "outer"};
  outer.dynamic = true;
  outer.dynamic_sizes = {3};
  return {
      {"aten.glu.default", {TensorArg{{2, 3, 6}}}, all_float_dtypes()},
      {"aten.glu.default", {TensorArg{{0, 4}}}, float32_dtypes(), "empty"},
      outer,
  };
}

}  // namespace

extern constexpr OpDef k_glu{
    .name = "glu",
    .schemas = kSchemas,
    .kind = OpKind::kIndexing,
    .infer = infer,
    .element = element,
    .reference = reference,
    .cases = cases,
};

}  // namespace ingot::ops
