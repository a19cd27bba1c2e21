// cumsum and its kin, sort, argsort, topk: the scan and sort templates over any dimension.
#include <algorithm>
#include <cmath>

#include "ops/broadcast.h"
#include "ops/family.h"
#include "ops/op_def.h"
#include "ops/reference_view.h"

namespace ingot::ops {
namespace {

using Dims = std::vector<int64_t>;

enum class Kind : uint8_t { kSum, kProd, kLogSumExp, kMax, kMin, kSort, kArgsort, kTopk };

struct Row {
  std::string_view name;
  Kind kind;
  RowSchemas schemas;
};

constexpr Row kRows[] = {
    {"argsort",
     Kind::kArgsort,
     {"aten::argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor",
      "aten::argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> "
      "Tensor"}},
    {"cummax",
     Kind::kMax,
     {"aten::cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)"}},
    {"cummin",
     Kind::kMin,
     {"aten::cummin(Tensor self, int dim) -> (Tensor values, Tensor indices)"}},
    {"cumprod",
     Kind::kProd,
     {"aten::cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor"}},
    {"cumsum",
     Kind::kSum,
     {"aten::cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor"}},
    {"logcumsumexp", Kind::kLogSumExp, {"aten::logcumsumexp(Tensor self, int dim) -> Tensor"}},
    {"sort",
     Kind::kSort,
     {"aten::sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor "
      "indices)",
      "aten::sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> "
      "(Tensor values, Tensor indices)"}},
    {"topk",
     Kind::kTopk,
     {"aten::topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> "
      "(Tensor values, Tensor indices)"}},
};

size_t dim_of(const Node& node) {
  return normal_dim(node.constant("dim"), std::max<int64_t>(node.tensor("self")->rank(), 1));
}

DType result_dtype(Kind kind, const Node& node) {
  const DType dtype = node.tensor("self")->dtype();
  if (kind == Kind::kArgsort) return DType::kI64;
  if (kind != Kind::kSum && kind != Kind::kProd) return dtype;
  return node.dtype_or("dtype", is_float(dtype) ? dtype : DType::kI64);
}

std::vector<TensorType> infer(const Row& row, const Node& node) {
  TensorType type{result_dtype(row.kind, node), node.tensor("self")->type.sizes};
  if (row.kind == Kind::kTopk && !type.sizes.empty()) type.sizes[dim_of(node)] = node.integer("k");
  const bool positions = row.kind >= Kind::kMax && row.kind != Kind::kArgsort;
  if (positions) return {type, {DType::kI64, type.sizes}};
  return {type};
}

std::string scan_name(Kind kind) {
  switch (kind) {
    case Kind::kProd:
      return "prod";
    case Kind::kLogSumExp:
      return "logsumexp";
    case Kind::kMax:
      return "max";
    case Kind::kMin:
      return "min";
    default:
      return "sum";
  }
}

// The dimension goes last, the template runs, and it goes back.
std::vector<Value*> decompose(const Row& row, ir::Builder& b, const Node& node) {
  Value* self = node.tensor("self");
  const DType result = result_dtype(row.kind, node);
  Value* x = b.cast(self, row.kind <= Kind::kLogSumExp ? compute_type(result) : self->dtype());
  if (self->rank() == 0) x = b.reshape(x, {1});
  const auto last = x->rank() - 1;
  const auto dim = static_cast<int64_t>(dim_of(node));
  x = b.transpose(x, dim, last);
  std::vector<Value*> results;
  if (row.kind <= Kind::kLogSumExp) {
    results = {b.call("ingot.scan.default", {x, scan_name(row.kind)})};
  } else if (row.kind <= Kind::kMin) {
    results = b.call_all("ingot.scan_extremum.default", {x, scan_name(row.kind)});
  } else {
    const bool descending =
        row.kind == Kind::kTopk ? node.flag("largest") : node.flag("descending");
    const sym::Expr keep = row.kind == Kind::kTopk ? node.integer("k") : x->size(last);
    results = b.call_all("ingot.sort.default", {x, descending, keep});
    if (row.kind == Kind::kArgsort) results.erase(results.begin());
  }
  const std::vector<TensorType> types = infer(row, node);
  for (size_t i = 0; i < results.size(); ++i) {
    results[i] = b.cast(b.transpose(results[i], dim, last), types[i].dtype);
    results[i] = b.reshape(results[i], types[i].sizes);
  }
  return results;
}

std::vector<Case> cases(const Row& row) {
  std::vector<Case> result;
  for (const std::string_view schema : used(row.schemas)) {
    Case made{.schema = schema_full_name(schema)};
    made.dtypes = {DType::kF32};
    made.dynamic = true;
    if (row.kind <= Kind::kProd) made.dtypes = {DType::kF32, DType::kBF16, DType::kI32};
    made.args = {TensorArg{{4, 7, 3}, Fill::kUnit}};
    if (schema.find("stable") != std::string_view::npos) made.args.push_back(true);
    if (row.kind == Kind::kTopk) made.args.push_back(int64_t{3});
    made.args.push_back(int64_t{1});
    result.push_back(made);
  }
  return result;
}

// Along `dim`, one row at a time: `visit` gets the row and writes the results' rows.
template <typename Visit>
std::vector<RefTensor> by_rows(const RefArgs& args, Visit visit) {
  const RefTensor& self = args.tensor("self");
  const size_t dim = normal_dim(args.integer("dim"), static_cast<int64_t>(self.sizes.size()));
  std::vector<RefTensor> results;
  for (const Dims& sizes : args.result_sizes) {
    results.push_back({args.result_dtype, sizes, {}});
    results.back().data.resize(static_cast<size_t>(results.back().elements()));
  }
  Dims rows = self.sizes;
  rows[dim] = 1;
  for_each_index(rows, [&](Dims index) {
    std::vector<double> row;
    for (int64_t i = 0; i < self.sizes[dim]; ++i) {
      index[dim] = i;
      row.push_back(self.data[static_cast<size_t>(self.offset(index))]);
    }
    const std::vector<std::vector<double>> outputs = visit(row);
    for (size_t r = 0; r < results.size(); ++r) {
      for (int64_t i = 0; i < results[r].sizes[dim]; ++i) {
        index[dim] = i;
        results[r].data[static_cast<size_t>(results[r].offset(index))] =
            outputs[r][static_cast<size_t>(i)];
      }
    }
  });
  if (results.size() == 2) results[1].dtype = DType::kI64;
  return results;
}

using Rows = std::vector<std::vector<double>>;

Rows scanned(Kind kind, std::vector<double> row) {
  std::vector<double> positions(row.size(), 0);
  for (size_t i = 1; i < row.size(); ++i) {
    const double before = row[i - 1];
    if (kind == Kind::kSum) row[i] += before;
    if (kind == Kind::kProd) row[i] *= before;
    if (kind == Kind::kLogSumExp) row[i] = std::log(std::exp(before) + std::exp(row[i]));
    if (kind < Kind::kMax) continue;
    const bool wins = kind == Kind::kMax ? row[i] >= before : row[i] <= before;
    positions[i] = wins ? static_cast<double>(i) : positions[i - 1];
    if (!wins) row[i] = before;
  }
  return {row, positions};
}

Rows sorted(Kind kind, const std::vector<double>& row, bool descending) {
  std::vector<size_t> order(row.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return descending ? row[a] > row[b] : row[a] < row[b];
  });
  std::vector<double> values;
  std::vector<double> positions;
  for (const size_t i : order) {
    values.push_back(row[i]);
    positions.push_back(static_cast<double>(i));
  }
  if (kind == Kind::kArgsort) return {positions};
  return {values, positions};
}

std::vector<RefTensor> reference(const Row& row, const RefArgs& args) {
  return by_rows(args, [&](const std::vector<double>& elements) {
    if (row.kind <= Kind::kMin) return scanned(row.kind, elements);
    return sorted(row.kind, elements,
                  row.kind == Kind::kTopk ? args.flag("largest") : args.flag("descending"));
  });
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

extern constexpr OpFamily k_scanning{kDefs};

}  // namespace ingot::ops
