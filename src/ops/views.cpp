// The primitive views that all others decompose into: each result element is one operand element.
#include "ops/index_space.h"
#include "ops/op_def.h"
#include "ops/reference_view.h"
#include "ops/reshape_index.h"

namespace ingot::ops {
namespace {

// rearranged() of `self` in the result's sizes.
template <typename Source>
std::vector<RefTensor> rearranged_self(const RefArgs& args, Source source) {
  return {rearranged(args.tensor("self"), args.result_sizes[0], source)};
}

std::vector<TensorType> infer_reshape(const Node& node) {
  const Value* self = node.tensor("self");
  TensorType type{self->dtype(), node.integers("size")};
  if (provably_differ(type.elements(), self->type.elements())) {
    throw CompileError(Diag::kShapeMismatch, "cannot reshape " + sizes_text(self->type.sizes) +
                                                 " to " + sizes_text(type.sizes));
  }
  return {type};
}

Scalar reshape_element(ElementBuilder& e, const Node& node, uint32_t, const Index& index) {
  const Value* self = node.tensor("self");
  return e.load(self, reshape_index(node.integers("size"), index, self->type.sizes));
}

std::vector<RefTensor> reshape_reference(const RefArgs& args) {
  RefTensor result = args.tensor("self");
  result.sizes = args.integers("size");
  return {result};
}

std::vector<Case> reshape_cases() {
  return first_dynamic({{.schema = "ingot.reshape.default",
                         .args = {TensorArg{{2, 6, 5}}, std::vector<int64_t>{2, 2, 3, 5}},
                         .dtypes = {DType::kF32, DType::kBF16, DType::kI64}},
                        {.schema = "ingot.reshape.default",
                         .args = {TensorArg{{4, 6}}, std::vector<int64_t>{3, 8}},
                         .dtypes = {DType::kF32}},
                        {.schema = "ingot.reshape.default",
                         .args = {TensorArg{{0, 6}}, std::vector<int64_t>{3, 0, 2}},
                         .dtypes = {DType::kF32}},
                        {.schema = "ingot.reshape.default",
                         .args = {TensorArg{{1, 7, 1}}, std::vector<int64_t>{7}},
                         .dtypes = {DType::kBool}}});
}

std::vector<TensorType> infer_permute(const Node& node) {
  const Value* self = node.tensor("self");
  TensorType type{self->dtype(), {}};
  for (const int64_t dim : node.constants("dims")) {
    type.sizes.push_back(self->type.sizes[normal_dim(dim, self->rank())]);
  }
  if (type.rank() != self->rank()) {
    throw CompileError(Diag::kShapeMismatch, "permute names another number of dimensions");
  }
  return {type};
}

Scalar permute_element(ElementBuilder& e, const Node& node, uint32_t, const Index& index) {
  const Value* self = node.tensor("self");
  const std::vector<int64_t> dims = node.constants("dims");
  Index source(index.size());
  for (size_t i = 0; i < dims.size(); ++i) source[normal_dim(dims[i], self->rank())] = index[i];
  return e.load(self, source);
}

std::vector<RefTensor> permute_reference(const RefArgs& args) {
  const std::vector<int64_t> dims = args.integers("dims");
  const auto rank = static_cast<int64_t>(dims.size());
  return rearranged_self(args, [&](const std::vector<int64_t>& index) {
    std::vector<int64_t> source(index.size());
    for (size_t i = 0; i < dims.size(); ++i) source[normal_dim(dims[i], rank)] = index[i];
    return source;
  });
}

std::vector<Case> permute_cases() {
  return {{.schema = "aten.permute.default",
           .args = {TensorArg{{2, 3, 5}}, std::vector<int64_t>{2, 0, 1}},
           .dtypes = {DType::kF32, DType::kI64},
           .dynamic = true},
          {.schema = "aten.permute.default",
           .args = {TensorArg{{4, 3}}, std::vector<int64_t>{-1, 0}},
           .dtypes = {DType::kBF16}}};
}

std::vector<TensorType> infer_expand(const Node& node) {
  const Value* self = node.tensor("self");
  return {{self->dtype(), node.integers("size")}};
}

Scalar expand_element(ElementBuilder& e, const Node& node, uint32_t, const Index& index) {
  const Value* self = node.tensor("self");
  return e.load(self, broadcast_index(self->type.sizes, index));
}

std::vector<RefTensor> expand_reference(const RefArgs& args) {
  const RefTensor& self = args.tensor("self");
  return rearranged_self(args, [&](const std::vector<int64_t>& index) {
    std::vector<int64_t> source(self.sizes.size());
    const size_t skipped = index.size() - source.size();
    for (size_t i = 0; i < source.size(); ++i) {
      source[i] = self.sizes[i] == 1 ? 0 : index[i + skipped];
    }
    return source;
  });
}

std::vector<Case> expand_cases() {
  return first_dynamic({{.schema = "ingot.expand.default",
                         .args = {TensorArg{{3, 1}}, std::vector<int64_t>{2, 3, 4}},
                         .dtypes = {DType::kF32, DType::kI32}},
                        {.schema = "ingot.expand.default",
                         .args = {TensorArg{{}}, std::vector<int64_t>{2, 2}},
                         .dtypes = {DType::kF32}}});
}

std::vector<TensorType> infer_slice(const Node& node) {
  const Value* self = node.tensor("self");
  TensorType type = self->type;
  const sym::Expr length = node.integer("end") - node.integer("start");
  type.sizes[normal_dim(node.constant("dim"), self->rank())] =
      sym::ceil_div(length, node.integer("step"));
  return {type};
}

Scalar slice_element(ElementBuilder& e, const Node& node, uint32_t, const Index& index) {
  const Value* self = node.tensor("self");
  Index source = index;
  sym::Expr& position = source[normal_dim(node.constant("dim"), self->rank())];
  position = node.integer("start") + position * node.integer("step");
  return e.load(self, source);
}

std::vector<RefTensor> slice_reference(const RefArgs& args) {
  const auto rank = static_cast<int64_t>(args.tensor("self").sizes.size());
  const size_t dim = normal_dim(args.integer("dim"), rank);
  return rearranged_self(args, [&](std::vector<int64_t> index) {
    index[dim] = args.integer("start") + index[dim] * args.integer("step");
    return index;
  });
}

std::vector<Case> slice_cases() {
  return first_dynamic(
      {{.schema = "ingot.slice.default",
        .args = {TensorArg{{3, 10}}, int64_t{1}, int64_t{2}, int64_t{9}, int64_t{3}},
        .dtypes = {DType::kF32, DType::kU8}},
       {.schema = "ingot.slice.default",
        .args = {TensorArg{{3, 10}}, int64_t{0}, int64_t{1}, int64_t{1}, int64_t{1}},
        .dtypes = {DType::kF32}}});
}

constexpr std::string_view kReshapeSchemas[] = {
    "ingot::reshape(Tensor(a) self, SymInt[] size) -> Tensor(a)"};
constexpr std::string_view kPermuteSchemas[] = {
    "aten::permute(Tensor(a) self, int[] dims) -> Tensor(a)"};
constexpr std::string_view kExpandSchemas[] = {
    "ingot::expand(Tensor(a) self, SymInt[] size) -> Tensor(a)"};
constexpr std::string_view kSliceSchemas[] = {
    "ingot::slice(Tensor(a) self, int dim, SymInt start, SymInt end, SymInt step) -> Tensor(a)"};

constexpr OpDef kViews[] = {
    {.name = "ingot_expand",
     .schemas = kExpandSchemas,
     .kind = OpKind::kView,
     .infer = infer_expand,
     .element = expand_element,
     .reference = expand_reference,
     .cases = expand_cases},
    {.name = "ingot_reshape",
     .schemas = kReshapeSchemas,
     .kind = OpKind::kView,
     .infer = infer_reshape,
     .element = reshape_element,
     .reference = reshape_reference,
     .cases = reshape_cases},
    {.name = "ingot_slice",
     .schemas = kSliceSchemas,
     .kind = OpKind::kView,
     .infer = infer_slice,
     .element = slice_element,
     .reference = slice_reference,
     .cases = slice_cases},
    {.name = "permute",
     .schemas = kPermuteSchemas,
     .kind = OpKind::kView,
     .infer = infer_permute,
     .element = permute_element,
     .reference = permute_reference,
     .cases = permute_cases},
};

}  // namespace

extern constexpr OpFamily k_views{kViews};

}  // namespace ingot::ops
