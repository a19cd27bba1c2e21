// softmax and log_softmax over one dimension, computed in f32 for 16-bit operands and rounded once.
#include <algorithm>
#include <cmath>

#include "ops/index_space.h"
#include "ops/op_def.h"
#include "ops/pointwise.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kSoftmaxSchemas[] = {
    "aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
    "aten::_softmax(Tensor self, int dim, bool half_to_float) -> Tensor"};
constexpr std::string_view kLogSoftmaxSchemas[] = {
    "aten::log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
    "aten::_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor"};

DType result_dtype(const Node& node) {
  const DType dtype = node.tensor("self")->dtype();
  if (node.has_param("half_to_float")) return node.flag("half_to_float") ? DType::kF32 : dtype;
  return node.dtype_or("dtype", dtype);
}

std::vector<TensorType> infer(const Node& node) {
  return {{result_dtype(node), node.tensor("self")->type.sizes}};
}

// exp(x - max) and the sum of that, over the node's dimension.
struct Shifted {
  Value* centred;
  Value* exponential;
  Value* total;
};
Shifted shift(ir::Builder& b, const Node& node) {
  Value* self = node.tensor("self");
  const DType wide = compute_type(result_dtype(node));
  // A requested dtype is converted to first, as PyTorch does.
  Value* x = b.cast(self, wide);
  if (self->rank() == 0) x = b.reshape(x, {1});
  const int64_t dims[] = {
      static_cast<int64_t>(normal_dim(node.constant("dim"), std::max<int64_t>(x->rank(), 1)))};
  Value* centred = b.sub(x, b.amax(x, dims, true));
  Value* exponential = b.call("aten.exp.default", {centred});
  return {centred, exponential, b.sum(exponential, dims, true)};
}

std::vector<Value*> finish(ir::Builder& b, const Node& node, Value* result) {
  return {b.cast(b.reshape(result, node.tensor("self")->type.sizes), result_dtype(node))};
}

std::vector<Value*> decompose_softmax(ir::Builder& b, const Node& node) {
  const Shifted s = shift(b, node);
  return finish(b, node, b.div(s.exponential, s.total));
}

std::vector<Value*> decompose_log_softmax(ir::Builder& b, const Node& node) {
  const Shifted s = shift(b, node);
  return finish(b, node, b.sub(s.centred, b.call("aten.log.default", {s.total})));
}

std::vector<RefTensor> reference(const RefArgs& args, bool log) {
  RefTensor result = args.tensor("self");
  result.dtype = args.result_dtype;
  std::vector<int64_t> rows = result.sizes;
  const auto rank = static_cast<int64_t>(rows.size());
  const size_t dim = rank == 0 ? 0 : normal_dim(args.integer("dim"), rank);
  const int64_t length = rank == 0 ? 1 : rows[dim];
  if (rank > 0) rows[dim] = 1;
  for_each_index(rows, [&](std::vector<int64_t> index) {
    const auto at = [&](int64_t i) -> double& {
      if (rank > 0) index[dim] = i;
      return result.data[static_cast<size_t>(result.offset(index))];
    };
    double largest = -INFINITY;
    for (int64_t i = 0; i < length; ++i) largest = std::max(largest, at(i));
    double total = 0;
    for (int64_t i = 0; i < length; ++i) total += std::exp(at(i) - largest);
    for (int64_t i = 0; i < length; ++i) {
      const double x = at(i) - largest;
      at(i) = log ? x - std::log(total) : std::exp(x) / total;
    }
  });
  return {result};
}

std::vector<Case> cases(std::string_view name) {
  const auto make = [&](std::vector<int64_t> sizes, int64_t dim) {
    Case made{.schema = std::string(name), .args = {TensorArg{sizes}, dim}};
    made.dtypes = {DType::kF32, DType::kF16, DType::kBF16};
    made.dynamic = true;
    return made;
  };
  Case core{.schema = name.starts_with("aten.log") ? "aten._log_softmax.default"
                                                   : "aten._softmax.default",
            .args = {TensorArg{{3, 7}}, int64_t{1}, false}};
  core.dtypes = {DType::kF32, DType::kBF16};
  return {core,        make({3, 70}, -1), make({3, 70}, 0), make({2, 5, 6}, 1), make({4, 1000}, 1),
          make({1}, 0)};
}

constexpr OpDef kDefs[] = {
    {
        .name = "softmax",
        .schemas = kSoftmaxSchemas,
        .kind = OpKind::kComposite,
        .infer = infer,
        .decompose = decompose_softmax,
        .reference = [](const RefArgs& args) { return reference(args, false); },
        .cases = [] { return cases("aten.softmax.int"); },
    },
    {
        .name = "log_softmax",
        .schemas = kLogSoftmaxSchemas,
        .kind = OpKind::kComposite,
        .infer = infer,
        .decompose = decompose_log_softmax,
        .reference = [](const RefArgs& args) { return reference(args, true); },
        .cases = [] { return cases("aten.log_softmax.int"); },
    }};

}  // namespace

extern constexpr OpFamily k_softmax{kDefs};

}  // namespace ingot::ops
