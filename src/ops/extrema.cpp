// Extrema with their positions: argmax, argmin, max and min over one dimension.
#include <cmath>

#include "ops/broadcast.h"
#include "ops/family.h"
#include "ops/reduction_dims.h"

namespace ingot::ops {
namespace {

using Dims = std::vector<int64_t>;

struct Row {
  std::string_view name;
  bool is_max;
  bool gives_value;
  std::string_view schema;
};

constexpr Row kRows[] = {
    {"argmax", true, false,
     "aten::argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor"},
    {"argmin", false, false,
     "aten::argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor"},
    {"max_dim", true, true,
     "aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)"},
    {"min_dim", false, true,
     "aten::min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)"},
};

std::vector<TensorType> infer(const Row& row, const Node& node) {
  const Value* self = node.tensor("self");
  const Sizes sizes =
      folded_sizes(self->type.sizes, fold_dims(node, self->rank()), keeps_dims(node));
  if (row.gives_value) return {{self->dtype(), sizes}, {DType::kI64, sizes}};
  return {{DType::kI64, sizes}};
}

std::vector<Value*> decompose(const Row& row, ir::Builder& b, const Node& node) {
  Value* self = node.tensor("self");
  const Dims dims = fold_dims(node, self->rank());
  const Sizes dim_list(dims.begin(), dims.end());
  // Comparing in the computing type changes nothing: widening is exact.
  Value* x = b.cast(self, self->dtype() == DType::kBool ? DType::kU8 : compute_type(self->dtype()));
  Value* position = b.call(row.is_max ? "ingot.argmax.default" : "ingot.argmin.default",
                           {x, dim_list, keeps_dims(node)});
  if (!row.gives_value) return {position};
  Value* value = b.call(row.is_max ? "ingot.amax.default" : "ingot.amin.default",
                        {x, dim_list, keeps_dims(node)});
  return {b.cast(value, self->dtype()), position};
}

std::vector<RefTensor> reference(const Row& row, const RefArgs& args) {
  const RefTensor& self = args.tensor("self");
  const Dims dims = fold_dims(args, static_cast<int64_t>(self.sizes.size()));
  const auto count = static_cast<size_t>(folded_count(self, dims));
  RefTensor value{args.result_dtype, args.result_sizes[0], std::vector<double>(count)};
  RefTensor position{DType::kI64, args.result_sizes[0], std::vector<double>(count)};
  std::vector<double> seen(count, 0);
  for_each_folded(self, dims, [&](size_t at, double x) {
    double& best = value.data[at];
    const bool better = row.is_max ? x > best : x < best;
    if (seen[at] == 0 || (!std::isnan(best) && (std::isnan(x) || better))) {
      best = x;
      position.data[at] = seen[at];
    }
    ++seen[at];
  });
  if (row.gives_value) return {value, position};
  return {position};
}

std::vector<Case> cases(const Row& row) {
  Case one{.schema = schema_full_name(row.schema),
           .args = {TensorArg{{3, 4, 30}, Fill::kNormal}, int64_t{-1}, true}};
  one.dtypes = {DType::kF32, DType::kBF16, DType::kI32, DType::kU8};
  one.dynamic = true;
  Case middle = one;
  middle.args = {TensorArg{{3, 4, 30}, Fill::kNormal}, int64_t{1}};
  std::vector<Case> result = {one, middle};
  if (!row.gives_value) {
    Case all = one;
    all.args = {TensorArg{{3, 4, 5}}};
    result.push_back(all);
  }
  return result;
}

struct Maker {
  template <size_t I>
  static constexpr OpDef def() {
    return {
        .name = kRows[I].name,
        .schemas = std::span(&kRows[I].schema, 1),
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

extern constexpr OpFamily k_extrema{kDefs};

}  // namespace ingot::ops
