// Views that repeat dimensions of size 1: all become ingot.expand.
#include "ops/broadcast.h"
#include "ops/op_def.h"
#include "ops/pointwise.h"
#include "ops/reference_view.h"

namespace ingot::ops {
namespace {

using Dims = std::vector<int64_t>;

// The requested sizes with -1 replaced by the size that the dimension has.
Sizes expanded_sizes(const Node& node) {
  const Value* self = node.tensor("self");
  if (node.has_param("other")) return node.tensor("other")->type.sizes;
  Sizes sizes = node.integers("size");
  const size_t added = sizes.size() - self->type.sizes.size();
  if (sizes.size() < self->type.sizes.size()) {
    throw CompileError(Diag::kShapeMismatch, "cannot expand " + sizes_text(self->type.sizes) +
                                                 " to " + sizes_text(sizes));
  }
  for (size_t i = added; i < sizes.size(); ++i) {
    if (sizes[i].is_const(-1)) sizes[i] = self->type.sizes[i - added];
  }
  return sizes;
}

std::vector<TensorType> infer(const Node& node) {
  return {{node.tensor("self")->dtype(), expanded_sizes(node)}};
}

std::vector<Value*> decompose(ir::Builder& b, const Node& node) {
  return {b.expand(node.tensor("self"), expanded_sizes(node))};
}

Sizes joint_sizes(const Node& node) {
  Sizes sizes;
  for (const Value* value : node.tensors("tensors")) {
    sizes = broadcast_sizes(sizes, value->type.sizes);
  }
  return sizes;
}

std::vector<TensorType> infer_joint(const Node& node) {
  std::vector<TensorType> types;
  for (const Value* value : node.tensors("tensors")) {
    types.push_back({value->dtype(), joint_sizes(node)});
  }
  return types;
}

std::vector<Value*> decompose_joint(ir::Builder& b, const Node& node) {
  const Sizes sizes = joint_sizes(node);
  std::vector<Value*> results;
  for (Value* value : node.tensors("tensors")) results.push_back(b.expand(value, sizes));
  return results;
}

std::vector<RefTensor> reference(const RefArgs& args) {
  return {expanded(args.tensor("self"), args.result_sizes[0])};
}

std::vector<RefTensor> joint_reference(const RefArgs& args) {
  std::vector<RefTensor> results;
  for (const RefTensor& tensor : args.tensors("tensors")) {
    results.push_back(expanded(tensor, args.result_sizes[0]));
  }
  return results;
}

constexpr std::string_view kExpandSchemas[] = {
    "aten::expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)",
    "aten::expand_as(Tensor(a) self, Tensor other) -> Tensor(a)",
    "aten::broadcast_to(Tensor(a) self, SymInt[] size) -> Tensor(a)"};
constexpr std::string_view kJointSchemas[] = {
    "aten::broadcast_tensors(Tensor[] tensors) -> Tensor[]"};

Case make_case(std::string schema, std::vector<CaseArg> args, bool dynamic = false) {
  Case made{.schema = std::move(schema), .args = std::move(args)};
  made.dtypes = {DType::kF32, DType::kI64};
  made.dynamic = dynamic;
  return made;
}

std::vector<Case> expand_cases() {
  return {make_case("aten.expand.default", {TensorArg{{3, 1}}, Dims{2, -1, 4}}),
          make_case("aten.expand_as.default", {TensorArg{{1, 5}}, TensorArg{{3, 5}}}, true),
          make_case("aten.broadcast_to.default", {TensorArg{{}}, Dims{2, 2}})};
}

std::vector<Case> joint_cases() {
  return {make_case("aten.broadcast_tensors.default",
                    {std::vector<TensorArg>{TensorArg{{3, 1}}, TensorArg{{4}}}}, true)};
}

constexpr OpDef kDefs[] = {
    {.name = "broadcast_tensors",
     .schemas = kJointSchemas,
     .kind = OpKind::kComposite,
     .infer = infer_joint,
     .decompose = decompose_joint,
     .reference = joint_reference,
     .cases = joint_cases},
    {.name = "expand",
     .schemas = kExpandSchemas,
     .kind = OpKind::kComposite,
     .infer = infer,
     .decompose = decompose,
     .reference = reference,
     .cases = expand_cases},
};

}  // namespace

extern constexpr OpFamily k_expanding_views{kDefs};

}  // namespace ingot::ops
