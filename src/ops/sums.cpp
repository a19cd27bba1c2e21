// sum, mean, prod, amax, amin, any, all, var, std and their kin over some or all dimensions.
// 16-bit floats are folded in f32 and rounded once; integers and bools sum to i64.
#include <cmath>
#include <functional>

#include "ops/broadcast.h"
#include "ops/family.h"
#include "ops/reduction_dims.h"

namespace ingot::ops {
namespace {

using Dims = std::vector<int64_t>;

enum class Kind : uint8_t { kSum, kMean, kProd, kMax, kMin, kAny, kAll, kVar, kStd, kVarMean };

struct Row {
  std::string_view name;
  Kind kind;
  RowSchemas schemas;
};

constexpr Row kRows[] = {
    {"all",
     Kind::kAll,
     {"aten::all(Tensor self) -> Tensor",
      "aten::all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor",
      "aten::all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor"}},
    {"amax",
     Kind::kMax,
     {"aten::amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor",
      "aten::max(Tensor self) -> Tensor"}},
    {"amin",
     Kind::kMin,
     {"aten::amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor",
      "aten::min(Tensor self) -> Tensor"}},
    {"any",
     Kind::kAny,
     {"aten::any(Tensor self) -> Tensor",
      "aten::any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor",
      "aten::any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor"}},
    {"mean",
     Kind::kMean,
     {"aten::mean(Tensor self, *, ScalarType? dtype=None) -> Tensor",
      "aten::mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> "
      "Tensor"}},
    {"prod",
     Kind::kProd,
     {"aten::prod(Tensor self, *, ScalarType? dtype=None) -> Tensor",
      "aten::prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> "
      "Tensor"}},
    {"std",
     Kind::kStd,
     {"aten::std(Tensor self, bool unbiased=True) -> Tensor",
      "aten::std.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor",
      "aten::std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool "
      "keepdim=False) -> Tensor"}},
    {"sum",
     Kind::kSum,
     {"aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor",
      "aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? "
      "dtype=None) -> Tensor"}},
    {"var",
     Kind::kVar,
     {"aten::var(Tensor self, bool unbiased=True) -> Tensor",
      "aten::var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor",
      "aten::var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool "
      "keepdim=False) -> Tensor"}},
    {"var_mean",
     Kind::kVarMean,
     {"aten::var_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)",
      "aten::var_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> "
      "(Tensor, Tensor)",
      "aten::var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool "
      "keepdim=False) -> (Tensor, Tensor)"}},
};

bool is_logical(Kind kind) { return kind == Kind::kAny || kind == Kind::kAll; }

DType result_dtype(Kind kind, const Node& node) {
  const DType dtype = node.tensor("self")->dtype();
  if (is_logical(kind)) return dtype == DType::kU8 ? DType::kU8 : DType::kBool;
  const bool accumulates = kind == Kind::kSum || kind == Kind::kProd;
  const DType natural = accumulates && !is_float(dtype) ? DType::kI64 : dtype;
  return node.has_param("dtype") ? node.dtype_or("dtype", natural) : natural;
}

std::vector<TensorType> infer(const Row& row, const Node& node) {
  const Value* self = node.tensor("self");
  const TensorType type{
      result_dtype(row.kind, node),
      folded_sizes(self->type.sizes, fold_dims(node, self->rank()), keeps_dims(node))};
  if (row.kind == Kind::kVarMean) return {type, type};
  return {type};
}

// What is subtracted from the count: 1 unless told otherwise.
double correction_of(const Node& node) {
  if (node.has_param("unbiased")) return node.flag("unbiased") ? 1 : 0;
  return ir::is_none(node.arg("correction")) ? 1 : node.number("correction");
}

Value* fold(ir::Builder& b, std::string_view op, Value* x, const Dims& dims, bool keepdim) {
  return b.call(op, {x, Sizes(dims.begin(), dims.end()), keepdim});
}

sym::Expr count_of(const Value* x, const Dims& dims) {
  sym::Expr count = 1;
  for (const int64_t dim : dims) count *= x->size(dim);
  return count;
}

Value* mean_of(ir::Builder& b, Value* x, const Dims& dims, bool keepdim) {
  return b.call("aten.div.Scalar",
                {fold(b, "ingot.sum.default", x, dims, keepdim), count_of(x, dims)});
}

Value* variance_of(ir::Builder& b, const Node& node, Value* x, const Dims& dims, bool keepdim) {
  Value* centred = b.sub(x, mean_of(b, x, dims, true));
  Value* squares = fold(b, "ingot.sum.default", b.mul(centred, centred), dims, keepdim);
  const double correction = correction_of(node);
  const sym::Expr count = count_of(x, dims);
  const auto known = count.as_const();
  if (known) return b.call("aten.div.Scalar", {squares, static_cast<double>(*known) - correction});
  if (correction != std::floor(correction)) {
    throw CompileError(Diag::kUnsupportedCase,
                       "a fractional correction over a dimension of dynamic size");
  }
  return b.call("aten.div.Scalar", {squares, count - static_cast<int64_t>(correction)});
}

std::vector<Value*> decompose(const Row& row, ir::Builder& b, const Node& node) {
  Value* self = node.tensor("self");
  const DType result = result_dtype(row.kind, node);
  const Dims dims = fold_dims(node, self->rank());
  const bool keepdim = keeps_dims(node);
  Value* x = b.cast(self, is_logical(row.kind) ? DType::kBool : compute_type(result));
  switch (row.kind) {
    case Kind::kSum:
      return {b.cast(fold(b, "ingot.sum.default", x, dims, keepdim), result)};
    case Kind::kProd:
      return {b.cast(fold(b, "ingot.prod.default", x, dims, keepdim), result)};
    case Kind::kMax:
      return {b.cast(fold(b, "ingot.amax.default", x, dims, keepdim), result)};
    case Kind::kMin:
      return {b.cast(fold(b, "ingot.amin.default", x, dims, keepdim), result)};
    case Kind::kAny:
      return {b.cast(fold(b, "ingot.any.default", x, dims, keepdim), result)};
    case Kind::kAll:
      return {b.cast(fold(b, "ingot.all.default", x, dims, keepdim), result)};
    case Kind::kMean:
      return {b.cast(mean_of(b, x, dims, keepdim), result)};
    case Kind::kVar:
      return {b.cast(variance_of(b, node, x, dims, keepdim), result)};
    case Kind::kStd:
      return {
          b.cast(b.call("aten.sqrt.default", {variance_of(b, node, x, dims, keepdim)}), result)};
    case Kind::kVarMean:
      return {b.cast(variance_of(b, node, x, dims, keepdim), result),
              b.cast(mean_of(b, x, dims, keepdim), result)};
  }
  throw InternalError("a reduction of unknown kind");
}

double reference_correction(const RefArgs& args) {
  for (const std::string& name : args.names) {
    if (name == "unbiased") return args.flag("unbiased") ? 1 : 0;
  }
  return args.has("correction") ? args.number("correction") : 1;
}

double start_of(Kind kind) {
  if (kind == Kind::kProd || kind == Kind::kAll) return 1;
  if (kind == Kind::kMax) return -INFINITY;
  return kind == Kind::kMin ? INFINITY : 0;
}

double folded(Kind kind, double a, double b) {
  switch (kind) {
    case Kind::kProd:
      return a * b;
    case Kind::kMax:
      return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b);
    case Kind::kMin:
      return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b);
    case Kind::kAny:
      return a != 0 || b != 0;
    case Kind::kAll:
      return a != 0 && b != 0;
    default:
      return a + b;
  }
}

std::vector<RefTensor> reference(const Row& row, const RefArgs& args) {
  const RefTensor& self = args.tensor("self");
  const Dims dims = fold_dims(args, static_cast<int64_t>(self.sizes.size()));
  const auto results = static_cast<size_t>(folded_count(self, dims));
  RefTensor result;
  result.dtype = args.result_dtype;
  result.sizes = args.result_sizes[0];
  result.data.assign(results, start_of(row.kind));
  for_each_folded(self, dims, [&](size_t at, double x) {
    result.data[at] = folded(row.kind, result.data[at], x);
  });
  if (row.kind < Kind::kVar && row.kind != Kind::kMean) return {result};
  const double count =
      results == 0 ? 0 : static_cast<double>(self.elements()) / static_cast<double>(results);
  for (double& x : result.data) x /= count;
  if (row.kind == Kind::kMean) return {result};
  const RefTensor mean = result;
  std::fill(result.data.begin(), result.data.end(), 0.0);
  for_each_folded(self, dims, [&](size_t at, double x) {
    result.data[at] += (x - mean.data[at]) * (x - mean.data[at]);
  });
  for (double& x : result.data) {
    x /= count - reference_correction(args);
    if (row.kind == Kind::kStd) x = std::sqrt(x);
  }
  if (row.kind == Kind::kVarMean) return {result, mean};
  return {result};
}

std::vector<DType> dtypes_of(Kind kind) {
  if (is_logical(kind)) return {DType::kBool, DType::kF32, DType::kI32};
  std::vector<DType> dtypes = {DType::kF32, DType::kF16, DType::kBF16, DType::kF64};
  if (kind <= Kind::kMin && kind != Kind::kMean) {
    dtypes.insert(dtypes.end(), {DType::kI32, DType::kU8, DType::kI64});
  }
  return dtypes;
}

std::vector<Case> cases(const Row& row) {
  std::vector<Case> result;
  for (const std::string_view schema : row.schemas) {
    if (schema.empty()) continue;
    Case made{.schema = schema_full_name(schema)};
    made.dtypes = dtypes_of(row.kind);
    made.dynamic = true;
    made.args = {TensorArg{{3, 4, 30}, Fill::kUnit}};
    const bool takes_dim = schema.find(" dim") != std::string_view::npos;
    if (takes_dim) {
      const bool list = schema.find("int[") != std::string_view::npos;
      made.args.push_back(list ? CaseArg(Dims{-1, 0}) : CaseArg(int64_t{-1}));
    }
    result.push_back(made);
  }
  return result;
}

struct Maker {
  template <size_t I>
  static constexpr OpDef def() {
    return {
        .name = kRows[I].name,
        .schemas = used(kRows[I].schemas),
        .kind = OpKind::kComposite,
        .infer = [](const Node& node) { return infer(kRows[I], node); },
        .decompose = [](ir::Builder& b, const Node& node) { return decompose(kRows[I], b, node); },
        .reference = [](const RefArgs& args) { return reference(kRows[I], args); },
        .cases = [] { return cases(kRows[I]); },
    };
  }
};
constexpr auto kDefs = make_family<Maker>(std::make_index_sequence<std::size(kRows)>{});

}  // namespace

extern constexpr OpFamily k_sums{kDefs};

}  // namespace ingot::ops
