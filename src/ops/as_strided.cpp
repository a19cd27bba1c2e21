// as_strided, which looks at memory: only where the memory of its operand is beyond doubt, the
// fresh result of an operator with a single dimension longer than 1. PyTorch's decompositions leave
// such calls behind; they change nothing.
#include "ops/broadcast.h"
#include "ops/op_def.h"
#include "support/diagnostics.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kSchemas[] = {
    "aten::as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? "
    "storage_offset=None) -> Tensor(a)"};

bool is_fresh_line(const Node& node) {
  const Value* self = node.tensor("self");
  const Sizes size = node.integers("size");
  const Sizes stride = node.integers("stride");
  if (self->producer && self->producer->op->schema.is_view()) return false;
  if (!ir::is_none(node.arg("storage_offset")) && !node.integer("storage_offset").is_const(0)) {
    return false;
  }
  int long_dims = 0;
  for (const sym::Expr& extent : self->type.sizes) long_dims += extent.is_const(1) ? 0 : 1;
  if (long_dims > 1 || size.size() != stride.size()) return false;
  for (size_t i = 0; i < size.size(); ++i) {
    if (!size[i].is_const(1) && !stride[i].is_const(1)) return false;
  }
  return sym::product(size) == self->type.elements();
}

std::vector<TensorType> infer(const Node& node) {
  if (!is_fresh_line(node)) {
    throw CompileError(Diag::kUnsupportedCase,
                       "as_strided of " + sizes_text(node.tensor("self")->type.sizes) + " to " +
                           sizes_text(node.integers("size")) +
                           ", which depends on how its operand lies in memory");
  }
  return {{node.tensor("self")->dtype(), node.integers("size")}};
}

std::vector<Value*> decompose(ir::Builder& b, const Node& node) {
  return {b.reshape(node.tensor("self"), infer(node)[0].sizes)};
}

std::vector<RefTensor> reference(const RefArgs& args) {
  RefTensor result = args.tensor("self");
  result.sizes = args.result_sizes[0];
  return {result};
}

std::vector<Case> cases() {
  Case made{.schema = "aten.as_strided.default",
            .args = {TensorArg{{1, 6, 1, 1}}, std::vector<int64_t>{1, 6, 1, 1},
                     std::vector<int64_t>{6, 1, 6, 6}},
            .dtypes = {DType::kF32, DType::kBF16},
            .dynamic = true,
            .dynamic_args = {"size"}};
  return {made};
}

}  // namespace

extern constexpr OpDef k_as_strided{.name = "as_strided",
                                    .schemas = kSchemas,
                                    .kind = OpKind::kComposite,
                                    .infer = infer,
                                    .decompose = decompose,
                                    .reference = reference,
                                    .cases = cases};

}  // namespace ingot::ops
