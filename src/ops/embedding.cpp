// Rows of a table picked by index.
#include "ops/op_def.h"
#include "ops/reference_view.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kSchemas[] = {
    "aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool "
    "scale_grad_by_freq=False, bool sparse=False) -> Tensor"};

std::vector<TensorType> infer(const Node& node) {
  const Value* weight = node.tensor("weight");
  TensorType type{weight->dtype(), node.tensor("indices")->type.sizes};
  type.sizes.insert(type.sizes.end(), weight->type.sizes.begin() + 1, weight->type.sizes.end());
  return {type};
}

Scalar element(ElementBuilder& e, const Node& node, uint32_t, const Index& index) {
  const Value* weight = node.tensor("weight");
  const Value* indices = node.tensor("indices");
  const auto split = index.begin() + static_cast<long>(indices->rank());
  Index source = {e.checked_index(e.cast(e.load(indices, Index(index.begin(), split)), DType::kI64),
                                  weight->size(0))};
  source.insert(source.end(), split, index.end());
  return e.load(weight, source);
}

std::vector<RefTensor> reference(const RefArgs& args) {
  const RefTensor& indices = args.tensor("indices");
  return {rearranged(
      args.tensor("weight"), args.result_sizes[0], [&](const std::vector<int64_t>& index) {
        const auto split = index.begin() + static_cast<long>(indices.sizes.size());
        const std::vector<int64_t> at(index.begin(), split);
        std::vector<int64_t> source = {
            static_cast<int64_t>(indices.data[static_cast<size_t>(indices.offset(at))])};
        source.insert(source.end(), split, index.end());
        return source;
      })};
}

std::vector<Case> cases() {
  TensorArg indices{{2, 5}, Fill::kIndices};
  indices.bound = 10;
  Case made{.schema = "aten.embedding.default", .args = {TensorArg{{10, 8}}, indices}};
  made.dtypes = {DType::kF32, DType::kBF16};
  made.dynamic = true;
  return {made};
}

}  // namespace

extern constexpr OpDef k_embedding{.name = "embedding",
                                   .schemas = kSchemas,
                                   .kind = OpKind::kIndexing,
                                   .infer = infer,
                                   .element = element,
                                   .reference = reference,
                                   .cases = cases};

}  // namespace ingot::ops
