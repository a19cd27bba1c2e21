// Vector norms, weight normalisation, and differences of neighbours.
#include <algorithm>
#include <cmath>

#include "ops/broadcast.h"
#include "ops/reduction_dims.h"
#include "ops/reference_view.h"

namespace ingot::ops {
namespace {

using Dims = std::vector<int64_t>;

constexpr std::string_view kNormSchemas[] = {
    "aten::linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, "
    "ScalarType? dtype=None) -> Tensor",
    "aten::norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor",
    "aten::norm.Scalar(Tensor self, Scalar p=2) -> Tensor"};
constexpr std::string_view kWeightSchemas[] = {
    "aten::_weight_norm(Tensor v, Tensor g, int dim=0) -> Tensor"};
constexpr std::string_view kDiffSchemas[] = {
    "aten::diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> "
    "Tensor"};

double order_of(const Node& node) {
  const char* name = node.has_param("ord") ? "ord" : "p";
  return ir::is_none(node.arg(name)) ? 2 : node.number(name);
}

DType norm_dtype(const Node& node) {
  const DType dtype = node.tensor("self")->dtype();
  return node.has_param("dtype") ? node.dtype_or("dtype", dtype) : dtype;
}

std::vector<TensorType> infer_norm(const Node& node) {
  const Value* self = node.tensor("self");
  return {{norm_dtype(node),
           folded_sizes(self->type.sizes, fold_dims(node, self->rank()), keeps_dims(node))}};
}

// The norm of `order` over `dims`, in the computing type.
Value* norm_of(ir::Builder& b, Value* x, double order, const Dims& dims, bool keepdim) {
  Value* size = b.call("aten.abs.default", {x});
  if (std::isinf(order)) {
    const Sizes list(dims.begin(), dims.end());
    return b.call(order > 0 ? "ingot.amax.default" : "ingot.amin.default", {size, list, keepdim});
  }
  if (order == 0) {
    Value* counted = b.cast(b.call("aten.ne.Scalar", {x, sym::Expr(0)}), x->dtype());
    return b.sum(counted, dims, keepdim);
  }
  if (order == 1) return b.sum(size, dims, keepdim);
  if (order == 2) return b.call("aten.sqrt.default", {b.sum(b.mul(x, x), dims, keepdim)});
  Value* powers = b.sum(b.call("aten.pow.Tensor_Scalar", {size, order}), dims, keepdim);
  return b.call("aten.pow.Tensor_Scalar", {powers, 1 / order});
}

std::vector<Value*> decompose_norm(ir::Builder& b, const Node& node) {
  Value* self = node.tensor("self");
  const DType result = norm_dtype(node);
  Value* x = b.cast(self, compute_type(result));
  return {b.cast(norm_of(b, x, order_of(node), fold_dims(node, self->rank()), keeps_dims(node)),
                 result)};
}

std::vector<RefTensor> norm_reference(const RefArgs& args) {
  const RefTensor& self = args.tensor("self");
  const bool named = std::find(args.names.begin(), args.names.end(), "ord") != args.names.end();
  const double order = named ? args.number("ord") : args.number("p");
  const Dims dims = fold_dims(args, static_cast<int64_t>(self.sizes.size()));
  RefTensor result{args.result_dtype, args.result_sizes[0], {}};
  result.data.assign(static_cast<size_t>(folded_count(self, dims)), 0);
  for_each_folded(self, dims, [&](size_t at, double x) {
    double& sum = result.data[at];
    sum = std::isinf(order) ? std::max(sum, std::abs(x)) : sum + std::pow(std::abs(x), order);
  });
  for (double& x : result.data) {
    if (!std::isinf(order)) x = std::pow(x, 1 / order);
  }
  return {result};
}

// v * (g / |v|), the norm over all dimensions but `dim`.
std::vector<Value*> decompose_weight(ir::Builder& b, const Node& node) {
  Value* v = node.tensor("v");
  const DType wide = compute_type(v->dtype());
  const auto kept = static_cast<int64_t>(normal_dim(node.constant("dim"), v->rank()));
  Dims dims;
  for (int64_t dim = 0; dim < v->rank(); ++dim) {
    if (dim != kept) dims.push_back(dim);
  }
  Value* x = b.cast(v, wide);
  Value* scale = b.div(b.cast(node.tensor("g"), wide), norm_of(b, x, 2, dims, true));
  return {b.cast(b.mul(x, scale), v->dtype())};
}

std::vector<RefTensor> weight_reference(const RefArgs& args) {
  const RefTensor& v = args.tensor("v");
  const size_t dim = normal_dim(args.integer("dim"), static_cast<int64_t>(v.sizes.size()));
  std::vector<double> squares(static_cast<size_t>(v.sizes[dim]), 0);
  size_t position = 0;
  for_each_index(v.sizes, [&](const Dims& index) {
    squares[static_cast<size_t>(index[dim])] += std::pow(v.data[position++], 2);
  });
  RefTensor result = v;
  position = 0;
  for_each_index(v.sizes, [&](const Dims& index) {
    const auto at = static_cast<size_t>(index[dim]);
    result.data[position++] *= args.tensor("g").data[at] / std::sqrt(squares[at]);
  });
  return {result};
}

// The operand with what is put before and after it along the dimension.
Value* joined(ir::Builder& b, const Node& node, int64_t dim) {
  std::vector<Value*> parts;
  if (Value* before = node.tensor_or_null("prepend")) parts.push_back(before);
  parts.push_back(node.tensor("self"));
  if (Value* after = node.tensor_or_null("append")) parts.push_back(after);
  return parts.size() == 1 ? parts[0] : b.call("aten.cat.default", {parts, sym::Expr(dim)});
}

std::vector<TensorType> infer_diff(const Node& node) {
  TensorType type = node.tensor("self")->type;
  sym::Expr& size = type.sizes[normal_dim(node.constant("dim"), type.rank())];
  for (const char* name : {"prepend", "append"}) {
    if (const Value* part = node.tensor_or_null(name)) {
      size += part->type.sizes[normal_dim(node.constant("dim"), type.rank())];
    }
  }
  size = sym::max(size - node.constant("n"), 0);
  return {type};
}

std::vector<Value*> decompose_diff(ir::Builder& b, const Node& node) {
  const int64_t rank = node.tensor("self")->rank();
  const auto dim = static_cast<int64_t>(normal_dim(node.constant("dim"), rank));
  Value* x = joined(b, node, dim);
  for (int64_t i = 0; i < node.constant("n"); ++i) {
    const sym::Expr size = x->size(dim);
    Value* later = b.slice(x, dim, 1, size);
    Value* earlier = b.slice(x, dim, 0, size - 1);
    x = x->dtype() == DType::kBool ? b.call("aten.logical_xor.default", {later, earlier})
                                   : b.sub(later, earlier);
  }
  return {x};
}

std::vector<RefTensor> diff_reference(const RefArgs& args) {
  RefTensor x = args.tensor("self");
  const size_t dim = normal_dim(args.integer("dim"), static_cast<int64_t>(x.sizes.size()));
  for (int64_t i = 0; i < args.integer("n"); ++i) {
    RefTensor next{x.dtype, x.sizes, {}};
    --next.sizes[dim];
    for_each_index(next.sizes, [&](Dims index) {
      const double earlier = x.data[static_cast<size_t>(x.offset(index))];
      ++index[dim];
      next.data.push_back(x.data[static_cast<size_t>(x.offset(index))] - earlier);
    });
    x = next;
  }
  return {x};
}

Case make_case(std::string schema, std::vector<CaseArg> args) {
  Case made{.schema = std::move(schema), .args = std::move(args)};
  made.dtypes = {DType::kF32, DType::kBF16};
  made.dynamic = true;
  return made;
}

constexpr OpDef make_op(std::string_view name, std::span<const std::string_view> schemas,
                        InferFn infer, DecomposeFn decompose, ReferenceFn reference,
                        CasesFn cases) {
  return {.name = name,
          .schemas = schemas,
          .kind = OpKind::kComposite,
          .infer = infer,
          .decompose = decompose,
          .reference = reference,
          .cases = cases};
}

std::vector<Case> norm_cases() {
  return {make_case("aten.linalg_vector_norm.default", {TensorArg{{3, 40}}, 2.0, Dims{-1}, true}),
          make_case("aten.linalg_vector_norm.default", {TensorArg{{3, 40}}, 1.0}),
          make_case("aten.linalg_vector_norm.default", {TensorArg{{3, 40}}, 3.0, Dims{0}}),
          make_case("aten.norm.ScalarOpt_dim", {TensorArg{{3, 40}}, 2.0, Dims{1}}),
          make_case("aten.norm.Scalar", {TensorArg{{3, 4}}})};
}
std::vector<Case> weight_cases() {
  return {make_case("aten._weight_norm.default",
                    {TensorArg{{4, 3, 5}}, TensorArg{{1, 1, 5}}, int64_t{2}})};
}
std::vector<Case> diff_cases() {
  return {make_case("aten.diff.default", {TensorArg{{3, 8}}}),
          make_case("aten.diff.default", {TensorArg{{8, 3}}, int64_t{2}, int64_t{0}})};
}

constexpr OpDef kDefs[] = {
    make_op(
        "_weight_norm", kWeightSchemas,
        [](const Node& node) -> std::vector<TensorType> { return {node.tensor("v")->type}; },
        decompose_weight, weight_reference, weight_cases),
    make_op("diff", kDiffSchemas, infer_diff, decompose_diff, diff_reference, diff_cases),
    make_op("linalg_vector_norm", kNormSchemas, infer_norm, decompose_norm, norm_reference,
            norm_cases),
};

}  // namespace

extern constexpr OpFamily k_norms{kDefs};

}  // namespace ingot::ops
