// Grids of coordinates, and elements repeated in place.
#include "ops/broadcast.h"
#include "ops/op_def.h"
#include "ops/reference_view.h"

namespace ingot::ops {
namespace {

using Dims = std::vector<int64_t>;

constexpr std::string_view kGridSchemas[] = {
    "aten::meshgrid(Tensor[] tensors) -> Tensor[]",
    "aten::meshgrid.indexing(Tensor[] tensors, *, str indexing) -> Tensor[]"};
constexpr std::string_view kRepeatSchemas[] = {
    "aten::repeat_interleave.self_int(Tensor self, SymInt repeats, int? dim=None, *, SymInt? "
    "output_size=None) -> Tensor"};

// The dimension of the grid that operand `t` runs along.
size_t grid_dim(size_t t, bool swaps) { return swaps && t < 2 ? 1 - t : t; }

bool swaps_axes(const Node& node) {
  return node.has_param("indexing") && node.text("indexing") == "xy" &&
         node.tensors("tensors").size() > 1;
}

Sizes grid_sizes(const Node& node) {
  const std::vector<Value*>& tensors = node.tensors("tensors");
  Sizes sizes(tensors.size());
  for (size_t t = 0; t < tensors.size(); ++t) {
    sizes[grid_dim(t, swaps_axes(node))] = tensors[t]->type.elements();
  }
  return sizes;
}

std::vector<TensorType> infer_grid(const Node& node) {
  std::vector<TensorType> types;
  for (const Value* tensor : node.tensors("tensors")) {
    types.push_back({tensor->dtype(), grid_sizes(node)});
  }
  return types;
}

std::vector<Value*> decompose_grid(ir::Builder& b, const Node& node) {
  const std::vector<Value*>& tensors = node.tensors("tensors");
  const Sizes sizes = grid_sizes(node);
  std::vector<Value*> results;
  for (size_t t = 0; t < tensors.size(); ++t) {
    Sizes own(sizes.size(), sym::Expr(1));
    own[grid_dim(t, swaps_axes(node))] = tensors[t]->type.elements();
    results.push_back(b.expand(b.reshape(tensors[t], own), sizes));
  }
  return results;
}

std::vector<RefTensor> grid_reference(const RefArgs& args) {
  const std::vector<RefTensor>& tensors = args.tensors("tensors");
  const bool swaps = args.names.back() == "indexing" && args.text("indexing") == "xy";
  std::vector<RefTensor> results;
  for (size_t t = 0; t < tensors.size(); ++t) {
    results.push_back(rearranged(tensors[t], args.result_sizes[t], [&](const Dims& index) {
      return Dims(tensors[t].sizes.size(), index[grid_dim(t, swaps)]);
    }));
  }
  return results;
}

// The operand, flattened when no dimension is named, and the dimension that is repeated.
Value* repeated_operand(ir::Builder& b, const Node& node, int64_t& dim) {
  Value* self = node.tensor("self");
  dim = 0;
  if (ir::is_none(node.arg("dim"))) return b.reshape(self, {self->type.elements()});
  dim = static_cast<int64_t>(normal_dim(node.constant("dim"), self->rank()));
  return self;
}

std::vector<TensorType> infer_repeat(const Node& node) {
  const Value* self = node.tensor("self");
  TensorType type = self->type;
  if (ir::is_none(node.arg("dim"))) type.sizes = {self->type.elements()};
  const size_t dim =
      ir::is_none(node.arg("dim")) ? 0 : normal_dim(node.constant("dim"), self->rank());
  type.sizes[dim] *= node.integer("repeats");
  return {type};
}

std::vector<Value*> decompose_repeat(ir::Builder& b, const Node& node) {
  int64_t dim = 0;
  Value* x = repeated_operand(b, node, dim);
  Sizes sizes = x->type.sizes;
  sizes.insert(sizes.begin() + dim + 1, node.integer("repeats"));
  return {b.reshape(b.expand(b.unsqueeze(x, dim + 1), sizes), infer_repeat(node)[0].sizes)};
}

std::vector<RefTensor> repeat_reference(const RefArgs& args) {
  RefTensor self = args.tensor("self");
  size_t dim = 0;
  if (args.has("dim")) {
    dim = normal_dim(args.integer("dim"), static_cast<int64_t>(self.sizes.size()));
  } else {
    self.sizes = {self.elements()};
  }
  return {rearranged(self, args.result_sizes[0], [&](Dims index) {
    index[dim] /= args.integer("repeats");
    return index;
  })};
}

Case make_case(std::string schema, std::vector<CaseArg> args) {
  Case made{.schema = std::move(schema), .args = std::move(args)};
  made.dtypes = {DType::kF32, DType::kI64};
  made.dynamic = true;
  return made;
}

constexpr OpDef kDefs[] = {
    {.name = "meshgrid",
     .schemas = kGridSchemas,
     .kind = OpKind::kComposite,
     .infer = infer_grid,
     .decompose = decompose_grid,
     .reference = grid_reference,
     .cases =
         [] {
           const std::vector<TensorArg> axes = {TensorArg{{3}}, TensorArg{{4}}, TensorArg{{2}}};
           return std::vector<Case>{make_case("aten.meshgrid.default", {axes}),
                                    make_case("aten.meshgrid.indexing", {axes, std::string("xy")})};
         }},
    {.name = "repeat_interleave",
     .schemas = kRepeatSchemas,
     .kind = OpKind::kComposite,
     .infer = infer_repeat,
     .decompose = decompose_repeat,
     .reference = repeat_reference,
     .cases =
         [] {
           return std::vector<Case>{
               make_case("aten.repeat_interleave.self_int",
                         {TensorArg{{3, 4}}, int64_t{3}, int64_t{0}}),
               make_case("aten.repeat_interleave.self_int", {TensorArg{{3, 4}}, int64_t{2}})};
         }},
};

}  // namespace

extern constexpr OpFamily k_repeating{kDefs};

}  // namespace ingot::ops
