// Operators whose result is a copy of `self` with some elements replaced or added to.
#include <algorithm>

#include "ops/broadcast.h"
#include "ops/op_def.h"
#include "ops/operand.h"
#include "ops/reference_view.h"

namespace ingot::ops {
namespace {

using Dims = std::vector<int64_t>;
using program::StoreMode;

std::vector<TensorType> infer_self(const Node& node) { return {node.tensor("self")->type}; }

size_t dim_of(const Node& node) {
  return normal_dim(node.constant("dim"), std::max<int64_t>(node.tensor("self")->rank(), 1));
}

sym::Expr read_index(ElementBuilder& e, const Value* indices, const Index& at,
                     const sym::Expr& extent) {
  return e.checked_index(e.cast(e.load(indices, at), DType::kI64), extent);
}

// --- slice_scatter, select_scatter: a part of one dimension is replaced by `src`.

struct Bounds {
  sym::Expr start, step;
};

sym::Expr clamped(const sym::Expr& position, const sym::Expr& size) {
  const auto value = position.as_const();
  if (value) {
    if (*value == INT64_MAX) return size;
    return *value < 0 ? sym::max(position + size, 0) : sym::min(position, size);
  }
  if (position == size) return size;
  return sym::min(sym::max(sym::select(sym::lt(position, 0), position + size, position), 0), size);
}

Bounds slice_bounds(const Node& node) {
  const sym::Expr& size = node.tensor("self")->type.sizes[dim_of(node)];
  Bounds bounds{0, node.integer("step")};
  if (!ir::is_none(node.arg("start"))) bounds.start = clamped(node.integer("start"), size);
  return bounds;
}

std::vector<sym::Expr> src_sizes(const Node& node) { return node.tensor("src")->type.sizes; }

ScatterStore store_slice(ElementBuilder& e, const Node& node, const Index& index) {
  const Bounds bounds = slice_bounds(node);
  Index target = index;
  target[dim_of(node)] = bounds.start + index[dim_of(node)] * bounds.step;
  return {target, operand(e, node, "src", index, node.tensor("self")->dtype()), StoreMode::kSet};
}

ScatterStore store_select(ElementBuilder& e, const Node& node, const Index& index) {
  const size_t dim = dim_of(node);
  sym::Expr position = node.integer("index");
  const auto value = position.as_const();
  if (value && *value < 0) position += node.tensor("self")->type.sizes[dim];
  Index target = index;
  target.insert(target.begin() + static_cast<long>(dim), position);
  return {target, operand(e, node, "src", index, node.tensor("self")->dtype()), StoreMode::kSet};
}

// --- diagonal_scatter: a diagonal, which is the last dimension of `src`.

ScatterStore store_diagonal(ElementBuilder& e, const Node& node, const Index& index) {
  const Value* self = node.tensor("self");
  const size_t dim1 = normal_dim(node.constant("dim1"), self->rank());
  const size_t dim2 = normal_dim(node.constant("dim2"), self->rank());
  const int64_t offset = node.constant("offset");
  Index target(self->type.sizes.size());
  size_t next = 0;
  for (size_t i = 0; i < target.size(); ++i) {
    if (i == dim1) {
      target[i] = index.back() + std::max<int64_t>(-offset, 0);
    } else {
      target[i] = i == dim2 ? index.back() + std::max<int64_t>(offset, 0) : index[next++];
    }
  }
  return {target, operand(e, node, "src", index, self->dtype()), StoreMode::kSet};
}

std::vector<RefTensor> diagonal_reference(const RefArgs& args) {
  RefTensor result = args.tensor("self");
  const RefTensor& src = args.tensor("src");
  const auto rank = static_cast<int64_t>(result.sizes.size());
  const size_t dim1 = normal_dim(args.integer("dim1"), rank);
  const size_t dim2 = normal_dim(args.integer("dim2"), rank);
  const int64_t offset = args.integer("offset");
  size_t position = 0;
  for_each_index(src.sizes, [&](const Dims& index) {
    Dims at(result.sizes.size());
    size_t next = 0;
    for (size_t i = 0; i < at.size(); ++i) {
      if (i != dim1 && i != dim2) at[i] = index[next++];
    }
    at[dim1] = index.back() + std::max<int64_t>(-offset, 0);
    at[dim2] = index.back() + std::max<int64_t>(offset, 0);
    result.data[static_cast<size_t>(result.offset(at))] = src.data[position++];
  });
  return {result};
}

// --- index_copy, index_add, index_fill: whole slices at the positions of a vector of indices.

std::vector<sym::Expr> sliced_sizes(const Node& node) {
  Sizes sizes = node.tensor("self")->type.sizes;
  if (!sizes.empty()) sizes[dim_of(node)] = node.tensor("index")->type.elements();
  return sizes;
}

ScatterStore store_index(ElementBuilder& e, const Node& node, const Index& index) {
  const Value* self = node.tensor("self");
  const Value* indices = node.tensor("index");
  Index target = index;
  const size_t dim = dim_of(node);
  if (!target.empty()) {
    const Index at = indices->rank() == 0 ? Index{} : Index{index[dim]};
    target[dim] = read_index(e, indices, at, self->type.sizes[dim]);
  }
  const std::string& base = node.op->schema.base;
  if (base == "index_fill") {
    return {target, operand(e, node, "value", {}, self->dtype()), StoreMode::kSet};
  }
  const Scalar value = operand(e, node, "source", index, self->dtype());
  if (base == "index_copy") return {target, value, StoreMode::kSet};
  const double alpha = node.number("alpha");
  const Scalar scaled =
      alpha == 1 ? value : e.apply(ScalarOp::kMul, value, e.number(self->dtype(), alpha));
  return {target, scaled, StoreMode::kAdd};
}

// --- scatter and its reductions: one position per element of `index`.

std::vector<sym::Expr> index_sizes(const Node& node) { return node.tensor("index")->type.sizes; }

StoreMode scatter_mode(const Node& node) {
  if (node.op->schema.base == "scatter_add") return StoreMode::kAdd;
  if (!node.has_param("reduce")) return StoreMode::kSet;
  const std::string& reduce = node.text("reduce");
  if (reduce == "add" || reduce == "sum") return StoreMode::kAdd;
  if (reduce == "multiply" || reduce == "prod") return StoreMode::kMul;
  if (reduce == "amax") return StoreMode::kMax;
  if (reduce == "amin") return StoreMode::kMin;
  throw CompileError(Diag::kUnsupportedCase, "scatter with reduce='" + reduce + "'");
}

ScatterStore store_scatter(ElementBuilder& e, const Node& node, const Index& index) {
  const Value* self = node.tensor("self");
  if (node.has_param("include_self") && !node.flag("include_self")) {
    throw CompileError(Diag::kUnsupportedCase, "scatter_reduce with include_self=False");
  }
  Index target = index;
  if (!target.empty()) {
    const size_t dim = dim_of(node);
    target[dim] = read_index(e, node.tensor("index"), index, self->type.sizes[dim]);
  }
  if (node.has_param("value")) {
    return {target, number_operand(e, node, "value", self->dtype()), scatter_mode(node)};
  }
  return {target, e.cast(e.load(node.tensor("src"), index), self->dtype()), scatter_mode(node)};
}

// --- index_put: advanced indexing on the left of an assignment.

struct Layout {
  std::vector<Value*> indices;  // one per dimension of self, null: the whole dimension
  Sizes joint;
  size_t joint_at = 0;
  Sizes domain;
};

Layout put_layout(const Node& node) {
  const Value* self = node.tensor("self");
  Layout layout;
  layout.indices = node.tensors("indices");
  layout.indices.resize(self->type.sizes.size(), nullptr);
  std::vector<size_t> indexed;
  for (size_t d = 0; d < layout.indices.size(); ++d) {
    if (!layout.indices[d]) {
      layout.domain.push_back(self->type.sizes[d]);
      continue;
    }
    layout.joint = broadcast_sizes(layout.joint, layout.indices[d]->type.sizes);
    indexed.push_back(d);
  }
  const bool neighbours =
      !indexed.empty() && indexed.back() - indexed.front() + 1 == indexed.size();
  layout.joint_at = neighbours ? indexed.front() : 0;
  layout.domain.insert(layout.domain.begin() + static_cast<long>(layout.joint_at),
                       layout.joint.begin(), layout.joint.end());
  return layout;
}

std::vector<sym::Expr> put_sizes(const Node& node) { return put_layout(node).domain; }

ScatterStore store_put(ElementBuilder& e, const Node& node, const Index& index) {
  const Value* self = node.tensor("self");
  const Layout layout = put_layout(node);
  const auto begin = index.begin() + static_cast<long>(layout.joint_at);
  const Index joint(begin, begin + static_cast<long>(layout.joint.size()));
  Index target;
  size_t next = 0;
  for (size_t d = 0; d < layout.indices.size(); ++d) {
    if (const Value* indices = layout.indices[d]) {
      target.push_back(
          read_index(e, indices, broadcast_index(indices->type.sizes, joint), self->type.sizes[d]));
    } else {
      if (next == layout.joint_at) next += layout.joint.size();
      target.push_back(index[next++]);
    }
  }
  return {target, operand(e, node, "values", index, self->dtype()),
          node.flag("accumulate") ? StoreMode::kAdd : StoreMode::kSet};
}

// --- References: walk the same stores on doubles.

int64_t wrapped(double position, int64_t size) {
  const auto at = static_cast<int64_t>(position);
  return at < 0 ? at + size : at;
}

double at_broadcast(const RefTensor& tensor, const Dims& index) {
  Dims own(index.end() - static_cast<long>(tensor.sizes.size()), index.end());
  for (size_t i = 0; i < own.size(); ++i) {
    if (tensor.sizes[i] == 1) own[i] = 0;
  }
  return tensor.data[static_cast<size_t>(tensor.offset(own))];
}

std::vector<RefTensor> slice_reference(const RefArgs& args) {
  RefTensor result = args.tensor("self");
  const RefTensor& src = args.tensor("src");
  const size_t dim = normal_dim(args.integer("dim"), static_cast<int64_t>(result.sizes.size()));
  const bool selects = src.sizes.size() < result.sizes.size();
  int64_t start = 0;
  if (selects) start = wrapped(static_cast<double>(args.integer("index")), result.sizes[dim]);
  if (!selects && args.has("start")) {
    start = wrapped(static_cast<double>(args.integer("start")), result.sizes[dim]);
  }
  const int64_t step = selects ? 1 : args.integer("step");
  size_t position = 0;
  for_each_index(src.sizes, [&](Dims index) {
    if (selects) index.insert(index.begin() + static_cast<long>(dim), 0);
    index[dim] = start + index[dim] * step;
    result.data[static_cast<size_t>(result.offset(index))] = src.data[position++];
  });
  return {result};
}

bool has_name(const RefArgs& args, std::string_view name) {
  return std::find(args.names.begin(), args.names.end(), name) != args.names.end();
}

// What index_copy and index_add store, or the value of index_fill at every place.
RefTensor stored_slices(const RefArgs& args, size_t dim) {
  if (has_name(args, "source")) return args.tensor("source");
  RefTensor filled = args.tensor("self");
  filled.sizes[dim] = args.tensor("index").elements();
  const double value = args.tensor_or_number("value").data.at(0);
  filled.data.assign(static_cast<size_t>(filled.elements()), value);
  return filled;
}

std::vector<RefTensor> index_reference(const RefArgs& args) {
  RefTensor result = args.tensor("self");
  const RefTensor& indices = args.tensor("index");
  const size_t dim = normal_dim(args.integer("dim"), static_cast<int64_t>(result.sizes.size()));
  const RefTensor source = stored_slices(args, dim);
  const bool adds = has_name(args, "alpha");
  size_t position = 0;
  for_each_index(source.sizes, [&](Dims index) {
    index[dim] = wrapped(indices.data[static_cast<size_t>(index[dim])], result.sizes[dim]);
    double& target = result.data[static_cast<size_t>(result.offset(index))];
    const double value = source.data[position++];
    target = adds ? target + args.number("alpha") * value : value;
  });
  return {result};
}

std::vector<RefTensor> scatter_reference(const RefArgs& args, bool adds) {
  RefTensor result = args.tensor("self");
  const RefTensor& indices = args.tensor("index");
  const size_t dim = normal_dim(args.integer("dim"), static_cast<int64_t>(result.sizes.size()));
  size_t position = 0;
  const bool fills = has_name(args, "value");
  adds = adds || has_name(args, "reduce");  // the cases reduce by adding
  for_each_index(indices.sizes, [&](const Dims& index) {
    Dims at = index;
    at[dim] = wrapped(indices.data[position++], result.sizes[dim]);
    double& target = result.data[static_cast<size_t>(result.offset(at))];
    const double value =
        fills ? args.number("value")
              : args.tensor("src").data[static_cast<size_t>(args.tensor("src").offset(index))];
    target = adds ? target + value : value;
  });
  return {result};
}

// For indices on the leading dimensions.
std::vector<RefTensor> put_reference(const RefArgs& args) {
  RefTensor result = args.tensor("self");
  const std::vector<RefTensor>& given = args.tensors("indices");
  Dims joint;
  for (const RefTensor& indices : given) {
    if (indices.sizes.size() > joint.size()) joint = indices.sizes;
  }
  Dims domain = joint;
  domain.insert(domain.end(), result.sizes.begin() + static_cast<long>(given.size()),
                result.sizes.end());
  for_each_index(domain, [&](const Dims& index) {
    const Dims at_joint(index.begin(), index.begin() + static_cast<long>(joint.size()));
    Dims target;
    for (size_t i = 0; i < given.size(); ++i) {
      target.push_back(wrapped(at_broadcast(given[i], at_joint), result.sizes[i]));
    }
    target.insert(target.end(), index.begin() + static_cast<long>(joint.size()), index.end());
    double& element = result.data[static_cast<size_t>(result.offset(target))];
    const double value = at_broadcast(args.tensor("values"), index);
    element = args.flag("accumulate") ? element + value : value;
  });
  return {result};
}

constexpr std::string_view kSliceSchemas[] = {
    "aten::slice_scatter(Tensor self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None, "
    "SymInt step=1) -> Tensor"};
constexpr std::string_view kDiagonalSchemas[] = {
    "aten::diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> "
    "Tensor"};
constexpr std::string_view kSelectSchemas[] = {
    "aten::select_scatter(Tensor self, Tensor src, int dim, SymInt index) -> Tensor"};
constexpr std::string_view kIndexSchemas[] = {
    "aten::index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor",
    "aten::index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> "
    "Tensor",
    "aten::index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor",
    "aten::index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor"};
constexpr std::string_view kScatterSchemas[] = {
    "aten::scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
    "aten::scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor",
    "aten::scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> "
    "Tensor",
    "aten::scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool "
    "include_self=True) -> Tensor"};
constexpr std::string_view kScatterAddSchemas[] = {
    "aten::scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor"};
constexpr std::string_view kPutSchemas[] = {
    "aten::index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> "
    "Tensor",
    "aten::_unsafe_index_put(Tensor self, Tensor?[] indices, Tensor values, bool "
    "accumulate=False) -> Tensor"};

TensorArg indices_arg(Dims sizes, int64_t bound) {
  TensorArg arg{std::move(sizes), Fill::kIndices};
  arg.bound = bound;
  return arg;
}

Case make_case(std::string schema, std::vector<CaseArg> args, bool dynamic = false) {
  Case made{.schema = std::move(schema), .args = std::move(args)};
  made.dtypes = {DType::kF32, DType::kI32};
  made.dynamic = dynamic;
  return made;
}

std::vector<Case> slice_cases() {
  return {make_case("aten.slice_scatter.default", {TensorArg{{4, 8}}, TensorArg{{4, 3}}, int64_t{1},
                                                   int64_t{2}, int64_t{8}, int64_t{2}}),
          make_case("aten.slice_scatter.default", {TensorArg{{4, 8}}, TensorArg{{4, 8}}}, true)};
}
std::vector<Case> diagonal_cases() {
  return first_dynamic({make_case("aten.diagonal_scatter.default",
                                  {TensorArg{{4, 6}}, TensorArg{{4}}, int64_t{1}})});
}
std::vector<Case> select_cases() {
  return {make_case("aten.select_scatter.default",
                    {TensorArg{{4, 8}}, TensorArg{{4}}, int64_t{1}, int64_t{-2}}, true)};
}
// Positions of a single row, so that no two stores meet.
std::vector<Case> index_cases() {
  return first_dynamic(
      {make_case("aten.index_copy.default",
                 {TensorArg{{4, 6, 2}}, int64_t{1}, indices_arg({1}, 6), TensorArg{{4, 1, 2}}}),
       make_case("aten.index_add.default", {TensorArg{{4, 6}}, int64_t{0}, indices_arg({9}, 4),
                                            TensorArg{{9, 6}}, int64_t{2}}),
       make_case("aten.index_fill.int_Scalar",
                 {TensorArg{{4, 6}}, int64_t{1}, indices_arg({2}, 6), 2.0}),
       make_case("aten.index_fill.int_Tensor",
                 {TensorArg{{4, 6}}, int64_t{1}, indices_arg({2}, 6), TensorArg{{}}})});
}
std::vector<Case> scatter_cases() {
  return first_dynamic(
      {make_case("aten.scatter.value",
                 {TensorArg{{4, 6}}, int64_t{1}, indices_arg({4, 3}, 6), 2.0}),
       make_case("aten.scatter.src",
                 {TensorArg{{4, 6}}, int64_t{1}, indices_arg({4, 1}, 6), TensorArg{{4, 2}}}),
       make_case("aten.scatter.reduce", {TensorArg{{4, 6}}, int64_t{1}, indices_arg({4, 1}, 6),
                                         TensorArg{{4, 2}}, std::string("add")}),
       make_case("aten.scatter_reduce.two", {TensorArg{{4, 6}}, int64_t{1}, indices_arg({4, 1}, 6),
                                             TensorArg{{4, 2}}, std::string("sum")})});
}
std::vector<Case> scatter_add_cases() {
  return first_dynamic(
      {make_case("aten.scatter_add.default",
                 {TensorArg{{4, 6}}, int64_t{0}, indices_arg({9, 5}, 4), TensorArg{{9, 6}}})});
}
std::vector<Case> put_cases() {
  return first_dynamic({make_case("aten.index_put.default",
                                  {TensorArg{{5, 6}}, std::vector<TensorArg>{indices_arg({9}, 5)},
                                   TensorArg{{9, 6}}, true}),
                        make_case("aten.index_put.default",
                                  {TensorArg{{5, 6, 3}},
                                   std::vector<TensorArg>{indices_arg({1}, 5), indices_arg({1}, 6)},
                                   TensorArg{{3}}}),
                        make_case("aten._unsafe_index_put.default",
                                  {TensorArg{{5, 6}}, std::vector<TensorArg>{indices_arg({1}, 5)},
                                   TensorArg{{6}}})});
}

constexpr OpDef make_scatter(std::string_view name, std::span<const std::string_view> schemas,
                             ScatterDef scatter, ReferenceFn reference, CasesFn cases) {
  return {.name = name,
          .schemas = schemas,
          .kind = OpKind::kScatter,
          .infer = infer_self,
          .scatter = scatter,
          .reference = reference,
          .cases = cases};
}

constexpr OpDef kDefs[] = {
    make_scatter("diagonal_scatter", kDiagonalSchemas, {src_sizes, store_diagonal},
                 diagonal_reference, diagonal_cases),
    make_scatter("index_copy", kIndexSchemas, {sliced_sizes, store_index}, index_reference,
                 index_cases),
    make_scatter("index_put", kPutSchemas, {put_sizes, store_put}, put_reference, put_cases),
    make_scatter(
        "scatter", kScatterSchemas, {index_sizes, store_scatter},
        [](const RefArgs& args) { return scatter_reference(args, false); }, scatter_cases),
    make_scatter(
        "scatter_add", kScatterAddSchemas, {index_sizes, store_scatter},
        [](const RefArgs& args) { return scatter_reference(args, true); }, scatter_add_cases),
    make_scatter("select_scatter", kSelectSchemas, {src_sizes, store_select}, slice_reference,
                 select_cases),
    make_scatter("slice_scatter", kSliceSchemas, {src_sizes, store_slice}, slice_reference,
                 slice_cases),
};

}  // namespace

extern constexpr OpFamily k_scattering{kDefs};

}  // namespace ingot::ops
