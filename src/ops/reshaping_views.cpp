// Views that change the shape alone: all become ingot.reshape.
#include "ops/broadcast.h"
#include "ops/index_space.h"
#include "ops/op_def.h"

namespace ingot::ops {
namespace {

using SizesFn = Sizes (*)(const Node& node);

// A requested size of -1 stands for whatever is left.
Sizes solved(const Sizes& requested, const sym::Expr& elements) {
  Sizes sizes = requested;
  sym::Expr known = 1;
  int unknown = -1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i].is_const(-1)) {
      unknown = static_cast<int>(i);
    } else {
      known = known * sizes[i];
    }
  }
  if (unknown >= 0) {
    const bool is_empty = known.is_const(0);
    sizes[static_cast<size_t>(unknown)] = is_empty ? sym::Expr(0) : sym::floor_div(elements, known);
  }
  return sizes;
}

Sizes reshape_sizes(const Node& node) {
  const char* param = node.has_param("shape") ? "shape" : "size";
  return solved(node.integers(param), node.tensor("self")->type.elements());
}

Sizes like_other(const Node& node) { return node.tensor("other")->type.sizes; }

Sizes flatten_sizes(const Node& node) {
  const Value* self = node.tensor("self");
  if (self->rank() == 0) return {1};
  const size_t first = normal_dim(node.constant("start_dim"), self->rank());
  const size_t last = normal_dim(node.constant("end_dim"), self->rank());
  Sizes sizes;
  for (size_t i = 0; i < self->type.sizes.size(); ++i) {
    if (i > first && i <= last) {
      sizes.back() = sizes.back() * self->type.sizes[i];
    } else {
      sizes.push_back(self->type.sizes[i]);
    }
  }
  return sizes;
}

Sizes unflatten_sizes(const Node& node) {
  const Value* self = node.tensor("self");
  const size_t dim = normal_dim(node.constant("dim"), self->rank());
  Sizes sizes(self->type.sizes.begin(), self->type.sizes.begin() + static_cast<long>(dim));
  const Sizes inner = solved(node.integers("sizes"), self->type.sizes[dim]);
  sizes.insert(sizes.end(), inner.begin(), inner.end());
  sizes.insert(sizes.end(), self->type.sizes.begin() + static_cast<long>(dim) + 1,
               self->type.sizes.end());
  return sizes;
}

Sizes unsqueeze_sizes(const Node& node) {
  const Value* self = node.tensor("self");
  Sizes sizes = self->type.sizes;
  const size_t dim = normal_dim(node.constant("dim"), self->rank() + 1);
  sizes.insert(sizes.begin() + static_cast<long>(dim), sym::Expr(1));
  return sizes;
}

Sizes squeeze_sizes(const Node& node) {
  const Value* self = node.tensor("self");
  std::vector<bool> chosen(self->type.sizes.size(), !node.has_param("dim"));
  if (node.has_param("dim") && self->rank() > 0) {
    const bool is_list = std::holds_alternative<std::vector<sym::Expr>>(node.arg("dim"));
    const std::vector<int64_t> dims =
        is_list ? node.constants("dim") : std::vector<int64_t>{node.constant("dim")};
    for (const int64_t dim : dims) chosen[normal_dim(dim, self->rank())] = true;
  }
  Sizes sizes;
  for (size_t i = 0; i < chosen.size(); ++i) {
    if (!(chosen[i] && self->type.sizes[i].is_const(1))) sizes.push_back(self->type.sizes[i]);
  }
  return sizes;
}

constexpr std::string_view kReshapeSchemas[] = {
    "aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)",
    "aten::reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)",
    "aten::_unsafe_view(Tensor self, SymInt[] size) -> Tensor",
    "aten::_reshape_alias(Tensor(a) self, SymInt[] size, SymInt[] stride) -> Tensor(a)"};
constexpr std::string_view kViewAsSchemas[] = {
    "aten::view_as(Tensor(a) self, Tensor other) -> Tensor(a)",
    "aten::reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)"};
constexpr std::string_view kFlattenSchemas[] = {
    "aten::flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)"};
constexpr std::string_view kUnflattenSchemas[] = {
    "aten::unflatten.int(Tensor(a) self, int dim, SymInt[] sizes) -> Tensor(a)"};
constexpr std::string_view kUnsqueezeSchemas[] = {
    "aten::unsqueeze(Tensor(a) self, int dim) -> Tensor(a)"};
constexpr std::string_view kSqueezeSchemas[] = {
    "aten::squeeze(Tensor(a) self) -> Tensor(a)",
    "aten::squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)",
    "aten::squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)"};

std::vector<RefTensor> reference(const RefArgs& args) {
  RefTensor result = args.tensor("self");
  result.sizes = args.result_sizes[0];
  return {result};
}

Case make_case(std::string schema, std::vector<CaseArg> args, bool dynamic = false) {
  Case made{.schema = std::move(schema), .args = std::move(args)};
  made.dtypes = {DType::kF32, DType::kI64};
  made.dynamic = dynamic;
  return made;
}

using Dims = std::vector<int64_t>;

std::vector<Case> reshape_cases() {
  return first_dynamic(
      {make_case("aten.view.default", {TensorArg{{4, 6}}, Dims{2, -1, 3}}),
       make_case("aten.reshape.default", {TensorArg{{4, 6}}, Dims{-1}}, true),
       make_case("aten._unsafe_view.default", {TensorArg{{0, 6}}, Dims{3, 0}}),
       make_case("aten._reshape_alias.default", {TensorArg{{4, 6}}, Dims{24}, Dims{1}})});
}
std::vector<Case> view_as_cases() {
  return first_dynamic(
      {make_case("aten.view_as.default", {TensorArg{{4, 6}}, TensorArg{{2, 12}}}),
       make_case("aten.reshape_as.default", {TensorArg{{4, 6}}, TensorArg{{6, 4}}}, true)});
}
std::vector<Case> flatten_cases() {
  return {make_case("aten.flatten.using_ints", {TensorArg{{2, 3, 4, 5}}, int64_t{1}, int64_t{-2}},
                    true),
          make_case("aten.flatten.using_ints", {TensorArg{{}}})};
}
std::vector<Case> unflatten_cases() {
  return {make_case("aten.unflatten.int", {TensorArg{{2, 12}}, int64_t{-1}, Dims{3, -1}}, true)};
}
std::vector<Case> unsqueeze_cases() {
  return {make_case("aten.unsqueeze.default", {TensorArg{{2, 3}}, int64_t{-1}}, true),
          make_case("aten.unsqueeze.default", {TensorArg{{2, 3}}, int64_t{0}})};
}
std::vector<Case> squeeze_cases() {
  return {make_case("aten.squeeze.default", {TensorArg{{1, 3, 1}}}),
          make_case("aten.squeeze.dim", {TensorArg{{1, 3, 1}}, int64_t{-1}}, true),
          make_case("aten.squeeze.dims", {TensorArg{{1, 3, 1}}, Dims{0, 1}})};
}

// The definition of one view from the sizes of its result.
template <SizesFn kSizes>
constexpr OpDef make_view(std::string_view name, std::span<const std::string_view> schemas,
                          CasesFn cases) {
  return {.name = name,
          .schemas = schemas,
          .kind = OpKind::kComposite,
          .infer = [](const Node& node) -> std::vector<TensorType> {
            return {{node.tensor("self")->dtype(), kSizes(node)}};
          },
          .decompose = [](ir::Builder& b, const Node& node) -> std::vector<Value*> {
            return {b.reshape(node.tensor("self"), kSizes(node))};
          },
          .reference = reference,
          .cases = cases};
}

constexpr OpDef kDefs[] = {
    make_view<flatten_sizes>("flatten", kFlattenSchemas, flatten_cases),
    make_view<reshape_sizes>("reshape", kReshapeSchemas, reshape_cases),
    make_view<squeeze_sizes>("squeeze", kSqueezeSchemas, squeeze_cases),
    make_view<unflatten_sizes>("unflatten", kUnflattenSchemas, unflatten_cases),
    make_view<unsqueeze_sizes>("unsqueeze", kUnsqueezeSchemas, unsqueeze_cases),
    make_view<like_other>("view_as", kViewAsSchemas, view_as_cases),
};

}  // namespace

extern constexpr OpFamily k_reshaping_views{kDefs};

}  // namespace ingot::ops
