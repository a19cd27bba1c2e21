// Concatenation and stacking.
#include "ops/broadcast.h"
#include "ops/op_def.h"
#include "ops/promotion.h"
#include "ops/reference_view.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kCatSchemas[] = {
    "aten::cat(Tensor[] tensors, int dim=0) -> Tensor",
    "aten::concat(Tensor[] tensors, int dim=0) -> Tensor",
    "aten::concatenate(Tensor[] tensors, int dim=0) -> Tensor"};
constexpr std::string_view kStackSchemas[] = {"aten::stack(Tensor[] tensors, int dim=0) -> Tensor"};

// PyTorch lets empty 1-dimensional tensors take part in any concatenation.
bool takes_part(const Value* value) { return !(value->rank() == 1 && value->size(0).is_const(0)); }

std::vector<Value*> parts_of(const Node& node) {
  std::vector<Value*> parts;
  for (Value* value : node.tensors("tensors")) {
    if (takes_part(value)) parts.push_back(value);
  }
  if (parts.empty()) parts.push_back(node.tensors("tensors").at(0));
  return parts;
}

DType joint_dtype(const Node& node) {
  DType dtype = node.tensors("tensors").at(0)->dtype();
  for (const Value* value : node.tensors("tensors")) dtype = promote_types(dtype, value->dtype());
  return dtype;
}

std::vector<TensorType> infer_cat(const Node& node) {
  const std::vector<Value*> parts = parts_of(node);
  TensorType type{joint_dtype(node), parts[0]->type.sizes};
  const size_t dim = normal_dim(node.constant("dim"), type.rank());
  for (size_t i = 1; i < parts.size(); ++i) {
    const Sizes& sizes = parts[i]->type.sizes;
    for (size_t d = 0; d < sizes.size() && sizes.size() == type.sizes.size(); ++d) {
      if (d != dim && provably_differ(sizes[d], type.sizes[d])) {
        throw CompileError(Diag::kShapeMismatch, "cannot concatenate " + sizes_text(sizes) +
                                                     " to " + sizes_text(type.sizes));
      }
    }
    type.sizes[dim] += sizes.at(dim);
  }
  return {type};
}

// The part that the position falls into, tested from the first to the last.
Scalar element(ElementBuilder& e, const Node& node, const std::vector<Value*>& parts, size_t at,
               size_t dim, const sym::Expr& start, DType dtype, const Index& index) {
  const Value* part = parts[at];
  const auto load = [&] {
    Index source = index;
    source[dim] = index[dim] - start;
    return e.cast(e.load(part, source), dtype);
  };
  const sym::Expr end = start + part->type.sizes[dim];
  if (at + 1 == parts.size()) {
    return e.guarded(e.condition(sym::le(start, index[dim])), load, e.number(dtype, 0));
  }
  const Scalar rest = element(e, node, parts, at + 1, dim, end, dtype, index);
  const Scalar inside =
      e.condition(sym::logical_and(sym::le(start, index[dim]), sym::lt(index[dim], end)));
  return e.guarded(inside, load, rest);
}

std::vector<RefTensor> join_reference(const RefArgs& args) {
  std::vector<RefTensor> parts;
  // The last one: cat ignores one-dimensional empty tensors, which mostly come first.
  const bool stacks = args.tensors("tensors").back().sizes.size() < args.result_sizes[0].size();
  const size_t dim =
      normal_dim(args.integer("dim"), static_cast<int64_t>(args.result_sizes[0].size()));
  for (RefTensor part : args.tensors("tensors")) {
    if (stacks) part.sizes.insert(part.sizes.begin() + static_cast<long>(dim), 1);
    if (part.sizes.size() == args.result_sizes[0].size()) parts.push_back(part);
  }
  RefTensor result;
  result.dtype = args.result_dtype;
  result.sizes = args.result_sizes[0];
  for_each_index(result.sizes, [&](std::vector<int64_t> index) {
    size_t part = 0;
    while (index[dim] >= parts[part].sizes[dim]) index[dim] -= parts[part++].sizes[dim];
    result.data.push_back(parts[part].data[static_cast<size_t>(parts[part].offset(index))]);
  });
  return {result};
}

std::vector<TensorType> infer_stack(const Node& node) {
  const std::vector<Value*>& tensors = node.tensors("tensors");
  TensorType type{joint_dtype(node), tensors.at(0)->type.sizes};
  const size_t dim = normal_dim(node.constant("dim"), type.rank() + 1);
  type.sizes.insert(type.sizes.begin() + static_cast<long>(dim),
                    sym::Expr(static_cast<int64_t>(tensors.size())));
  return {type};
}

std::vector<Value*> decompose_stack(ir::Builder& b, const Node& node) {
  const std::vector<Value*>& tensors = node.tensors("tensors");
  const auto dim =
      static_cast<int64_t>(normal_dim(node.constant("dim"), tensors.at(0)->rank() + 1));
  std::vector<Value*> parts;
  for (Value* tensor : tensors) parts.push_back(b.unsqueeze(tensor, dim));
  return {b.call("aten.cat.default", {parts, sym::Expr(dim)})};
}

Case make_case(std::string schema, std::vector<std::vector<int64_t>> tensors, int64_t dim,
               bool dynamic) {
  std::vector<TensorArg> parts;
  for (std::vector<int64_t>& sizes : tensors) parts.push_back(TensorArg{sizes});
  Case made{.schema = std::move(schema), .args = {parts, dim}};
  made.dtypes = {DType::kF32, DType::kBF16, DType::kI64, DType::kBool};
  made.dynamic = dynamic;
  return made;
}

constexpr OpDef kDefs[] = {
    {.name = "cat",
     .schemas = kCatSchemas,
     .kind = OpKind::kIndexing,
     .infer = infer_cat,
     .element =
         [](ElementBuilder& e, const Node& node, uint32_t, const Index& index) {
           const size_t dim = normal_dim(node.constant("dim"), static_cast<int64_t>(index.size()));
           return element(e, node, parts_of(node), 0, dim, 0, joint_dtype(node), index);
         },
     .reference = join_reference,
     .cases =
         [] {
           return std::vector<Case>{
               make_case("aten.cat.default", {{2, 3}, {2, 5}, {2, 1}}, -1, true),
               make_case("aten.cat.default", {{4, 3}}, 0, false),
               make_case("aten.cat.default", {{0}, {2, 3}}, 0, false),
               make_case("aten.concat.default", {{2, 3}, {1, 3}}, 0, false),
               make_case("aten.concatenate.default", {{2, 3}, {1, 3}}, 0, false)};
         }},
    {.name = "stack",
     .schemas = kStackSchemas,
     .kind = OpKind::kComposite,
     .infer = infer_stack,
     .decompose = decompose_stack,
     .reference = join_reference,
     .cases =
         [] {
           return std::vector<Case>{make_case("aten.stack.default", {{2, 3}, {2, 3}}, 1, true),
                                    make_case("aten.stack.default", {{4}, {4}, {4}}, -1, false)};
         }},
};

}  // namespace

extern constexpr OpFamily k_cat{kDefs};

}  // namespace ingot::ops
