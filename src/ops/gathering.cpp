// Elements picked by an index tensor: gather, index_select, and advanced indexing.
#include "ops/broadcast.h"
#include "ops/op_def.h"
#include "ops/reference_view.h"

namespace ingot::ops {
namespace {

using Dims = std::vector<int64_t>;

constexpr std::string_view kGatherSchemas[] = {
    "aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor"};
constexpr std::string_view kSelectSchemas[] = {
    "aten::index_select(Tensor self, int dim, Tensor index) -> Tensor"};
constexpr std::string_view kIndexSchemas[] = {
    "aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor",
    "aten::_unsafe_index.Tensor(Tensor self, Tensor?[] indices) -> Tensor"};

sym::Expr read_index(ElementBuilder& e, const Value* indices, const Index& at,
                     const sym::Expr& extent) {
  return e.checked_index(e.cast(e.load(indices, at), DType::kI64), extent);
}

Scalar gather_element(ElementBuilder& e, const Node& node, uint32_t, const Index& index) {
  const Value* self = node.tensor("self");
  if (self->rank() == 0) return e.load(self, {});
  const size_t dim = normal_dim(node.constant("dim"), self->rank());
  Index source = index;
  source[dim] = read_index(e, node.tensor("index"), index, self->type.sizes[dim]);
  return e.load(self, source);
}

std::vector<TensorType> infer_select(const Node& node) {
  const Value* self = node.tensor("self");
  TensorType type = self->type;
  if (self->rank() > 0) {
    type.sizes[normal_dim(node.constant("dim"), self->rank())] =
        node.tensor("index")->type.elements();
  }
  return {type};
}

Scalar select_element(ElementBuilder& e, const Node& node, uint32_t, const Index& index) {
  const Value* self = node.tensor("self");
  const Value* indices = node.tensor("index");
  if (self->rank() == 0) return e.load(self, {});
  const size_t dim = normal_dim(node.constant("dim"), self->rank());
  Index source = index;
  const Index at = indices->rank() == 0 ? Index{} : Index{index[dim]};
  source[dim] = read_index(e, indices, at, self->type.sizes[dim]);
  return e.load(self, source);
}

// How advanced indexing lays out its result: the broadcast index dimensions stand where the first
// index was if all indices are neighbours, else in front.
struct Layout {
  std::vector<Value*> indices;  // one per dimension of self, null: the whole dimension
  Sizes joint;                  // the broadcast sizes of the indices
  size_t joint_at = 0;          // position of the first joint dimension in the result
  Sizes result;
};

Layout layout_of(const Node& node) {
  const Value* self = node.tensor("self");
  Layout layout;
  layout.indices = node.tensors("indices");
  if (layout.indices.size() > self->type.sizes.size()) {
    throw CompileError(Diag::kShapeMismatch, "more indices than dimensions");
  }
  layout.indices.resize(self->type.sizes.size(), nullptr);
  std::vector<size_t> indexed;
  for (size_t d = 0; d < layout.indices.size(); ++d) {
    const Value* indices = layout.indices[d];
    if (!indices) continue;
    if (!is_int(indices->dtype())) {
      throw CompileError(Diag::kUnsupportedCase,
                         "indexing by a mask: the size of the result "
                         "depends on the data");
    }
    layout.joint = broadcast_sizes(layout.joint, indices->type.sizes);
    indexed.push_back(d);
  }
  const bool neighbours =
      !indexed.empty() && indexed.back() - indexed.front() + 1 == indexed.size();
  layout.joint_at = neighbours ? indexed.front() : 0;
  for (size_t d = 0; d < layout.indices.size(); ++d) {
    if (!layout.indices[d]) layout.result.push_back(self->type.sizes[d]);
  }
  layout.result.insert(layout.result.begin() + static_cast<long>(layout.joint_at),
                       layout.joint.begin(), layout.joint.end());
  return layout;
}

Scalar index_element(ElementBuilder& e, const Node& node, uint32_t, const Index& index) {
  const Value* self = node.tensor("self");
  const Layout layout = layout_of(node);
  const auto joint_begin = index.begin() + static_cast<long>(layout.joint_at);
  const Index joint(joint_begin, joint_begin + static_cast<long>(layout.joint.size()));
  Index source;
  size_t next = 0;
  for (size_t d = 0; d < layout.indices.size(); ++d) {
    if (const Value* indices = layout.indices[d]) {
      source.push_back(
          read_index(e, indices, broadcast_index(indices->type.sizes, joint), self->type.sizes[d]));
    } else {
      if (next == layout.joint_at) next += layout.joint.size();
      source.push_back(index[next++]);
    }
  }
  return e.load(self, source);
}

int64_t wrapped(double position, int64_t size) {
  const auto at = static_cast<int64_t>(position);
  return at < 0 ? at + size : at;
}

std::vector<RefTensor> gather_reference(const RefArgs& args) {
  const RefTensor& self = args.tensor("self");
  const RefTensor& indices = args.tensor("index");
  const size_t dim = normal_dim(args.integer("dim"), static_cast<int64_t>(self.sizes.size()));
  return {rearranged(self, args.result_sizes[0], [&](Dims index) {
    index[dim] = wrapped(indices.data[static_cast<size_t>(indices.offset(index))], self.sizes[dim]);
    return index;
  })};
}

std::vector<RefTensor> select_reference(const RefArgs& args) {
  const RefTensor& self = args.tensor("self");
  const RefTensor& indices = args.tensor("index");
  const size_t dim = normal_dim(args.integer("dim"), static_cast<int64_t>(self.sizes.size()));
  return {rearranged(self, args.result_sizes[0], [&](Dims index) {
    index[dim] = wrapped(indices.data[static_cast<size_t>(index[dim])], self.sizes[dim]);
    return index;
  })};
}

// For indices on neighbouring dimensions (others are covered by the archives of the tests).
std::vector<RefTensor> index_reference(const RefArgs& args) {
  const RefTensor& self = args.tensor("self");
  const std::vector<RefTensor>& given = args.tensors("indices");
  size_t first = 0;
  while (first < given.size() && given[first].data.empty()) ++first;
  size_t joint_rank = 0;
  for (const RefTensor& indices : given) joint_rank = std::max(joint_rank, indices.sizes.size());
  return {rearranged(self, args.result_sizes[0], [&](const Dims& index) {
    Dims source(index.begin(), index.begin() + static_cast<long>(first));
    const Dims joint(index.begin() + static_cast<long>(first),
                     index.begin() + static_cast<long>(first + joint_rank));
    for (size_t i = first; i < given.size(); ++i) {
      const RefTensor& indices = given[i];
      Dims at(joint.end() - static_cast<long>(indices.sizes.size()), joint.end());
      for (size_t d = 0; d < at.size(); ++d) {
        if (indices.sizes[d] == 1) at[d] = 0;
      }
      source.push_back(
          wrapped(indices.data[static_cast<size_t>(indices.offset(at))], self.sizes[i]));
    }
    source.insert(source.end(), index.begin() + static_cast<long>(first + joint_rank), index.end());
    return source;
  })};
}

TensorArg indices_arg(Dims sizes, int64_t bound) {
  TensorArg arg{std::move(sizes), Fill::kIndices};
  arg.bound = bound;
  return arg;
}

Case make_case(std::string schema, std::vector<CaseArg> args, bool dynamic) {
  Case made{.schema = std::move(schema), .args = std::move(args)};
  made.dtypes = {DType::kF32, DType::kBF16, DType::kI32};
  made.dynamic = dynamic;
  return made;
}

std::vector<Case> gather_cases() {
  return {make_case("aten.gather.default", {TensorArg{{4, 6}}, int64_t{-1}, indices_arg({4, 3}, 6)},
                    true),
          make_case("aten.gather.default", {TensorArg{{4, 6}}, int64_t{0}, indices_arg({2, 5}, 4)},
                    false)};
}
std::vector<Case> select_cases() {
  return {make_case("aten.index_select.default",
                    {TensorArg{{4, 6}}, int64_t{1}, indices_arg({9}, 6)}, true)};
}
std::vector<Case> index_cases() {
  TensorArg none{{0}};
  return first_dynamic(
      {make_case("aten.index.Tensor",
                 {TensorArg{{5, 6, 3}}, std::vector<TensorArg>{indices_arg({7}, 5)}}, true),
       make_case("aten.index.Tensor",
                 {TensorArg{{5, 6, 3}},
                  std::vector<TensorArg>{indices_arg({4, 1}, 5), indices_arg({1, 2}, 6)}},
                 false),
       make_case("aten._unsafe_index.Tensor",
                 {TensorArg{{5, 6}}, std::vector<TensorArg>{indices_arg({7}, 5)}}, false)});
}

constexpr OpDef kDefs[] = {
    {.name = "gather",
     .schemas = kGatherSchemas,
     .kind = OpKind::kIndexing,
     .infer = [](const Node& node) -> std::vector<TensorType> {
       return {{node.tensor("self")->dtype(), node.tensor("index")->type.sizes}};
     },
     .element = gather_element,
     .reference = gather_reference,
     .cases = gather_cases},
    {.name = "index",
     .schemas = kIndexSchemas,
     .kind = OpKind::kIndexing,
     .infer = [](const Node& node) -> std::vector<TensorType> {
       return {{node.tensor("self")->dtype(), layout_of(node).result}};
     },
     .element = index_element,
     .reference = index_reference,
     .cases = index_cases},
    {.name = "index_select",
     .schemas = kSelectSchemas,
     .kind = OpKind::kIndexing,
     .infer = infer_select,
     .element = select_element,
     .reference = select_reference,
     .cases = select_cases},
};

}  // namespace

extern constexpr OpFamily k_gathering{kDefs};

}  // namespace ingot::ops
