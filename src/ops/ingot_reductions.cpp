// The primitive reductions: one fold over the dimensions `dim` (all different, none left out).
// Floats narrower than f32 must be widened first; sums of integers are given as i64.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/family.h"
#include "ops/index_space.h"
#include "ops/op_def.h"

namespace ingot::ops {
namespace {

struct Row {
  std::string_view name;
  std::string_view schema;
  ReduceOp op;
};

constexpr Row kRows[] = {
    {"ingot_all", "ingot::all(Tensor self, int[] dim, bool keepdim) -> Tensor", ReduceOp::kAll},
    {"ingot_amax", "ingot::amax(Tensor self, int[] dim, bool keepdim) -> Tensor", ReduceOp::kMax},
    {"ingot_amin", "ingot::amin(Tensor self, int[] dim, bool keepdim) -> Tensor", ReduceOp::kMin},
    {"ingot_any", "ingot::any(Tensor self, int[] dim, bool keepdim) -> Tensor", ReduceOp::kAny},
    {"ingot_argmax", "ingot::argmax(Tensor self, int[] dim, bool keepdim) -> Tensor",
     ReduceOp::kArgMax},
    {"ingot_argmin", "ingot::argmin(Tensor self, int[] dim, bool keepdim) -> Tensor",
     ReduceOp::kArgMin},
    {"ingot_prod", "ingot::prod(Tensor self, int[] dim, bool keepdim) -> Tensor", ReduceOp::kProd},
    {"ingot_sum", "ingot::sum(Tensor self, int[] dim, bool keepdim) -> Tensor", ReduceOp::kSum},
};

bool is_position(ReduceOp op) { return op == ReduceOp::kArgMax || op == ReduceOp::kArgMin; }

// Which dimensions of the operand are folded.
std::vector<bool> folded_dims(const std::vector<int64_t>& dims, size_t rank) {
  std::vector<bool> folded(rank, false);
  for (const int64_t dim : dims) folded[normal_dim(dim, static_cast<int64_t>(rank))] = true;
  return folded;
}

std::vector<TensorType> infer(const Row& row, const Node& node) {
  const Value* self = node.tensor("self");
  const std::vector<bool> folded = folded_dims(node.constants("dim"), self->type.sizes.size());
  TensorType type{is_position(row.op) ? DType::kI64 : self->dtype(), {}};
  for (size_t i = 0; i < folded.size(); ++i) {
    if (!folded[i]) type.sizes.push_back(self->type.sizes[i]);
    if (folded[i] && node.flag("keepdim")) type.sizes.push_back(1);
  }
  return {type};
}

Scalar element(const Row& row, ElementBuilder& e, const Node& node, const Index& index) {
  const Value* self = node.tensor("self");
  const std::vector<bool> folded = folded_dims(node.constants("dim"), self->type.sizes.size());
  std::vector<sym::Expr> extents;
  for (size_t i = 0; i < folded.size(); ++i) {
    if (folded[i]) extents.push_back(self->type.sizes[i]);
  }
  return e.reduce(row.op, extents, [&](const Index& inner) {
    Index source(folded.size());
    size_t next_inner = 0;
    size_t next_outer = 0;
    for (size_t i = 0; i < folded.size(); ++i) {
      if (folded[i]) {
        source[i] = inner[next_inner++];
        if (node.flag("keepdim")) ++next_outer;
      } else {
        source[i] = index[next_outer++];
      }
    }
    return e.load(self, source);
  });
}

double fold(ReduceOp op, double a, double b) {
  switch (op) {
    case ReduceOp::kSum:
      return a + b;
    case ReduceOp::kProd:
      return a * b;
    case ReduceOp::kMin:
      return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b);
    case ReduceOp::kMax:
      return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b);
    case ReduceOp::kAny:
      return a != 0 || b != 0;
    default:
      return a != 0 && b != 0;
  }
}

double start_of(ReduceOp op) {
  switch (op) {
    case ReduceOp::kProd:
    case ReduceOp::kAll:
      return 1;
    case ReduceOp::kMin:
      return std::numeric_limits<double>::infinity();
    case ReduceOp::kMax:
      return -std::numeric_limits<double>::infinity();
    default:
      return 0;
  }
}

bool wins(ReduceOp op, double candidate, double best) {
  if (std::isnan(best)) return false;
  if (std::isnan(candidate)) return true;
  return op == ReduceOp::kArgMax ? candidate > best : candidate < best;
}

std::vector<RefTensor> reference(const Row& row, const RefArgs& args) {
  const RefTensor& self = args.tensor("self");
  const std::vector<bool> folded = folded_dims(args.integers("dim"), self.sizes.size());
  RefTensor result;
  result.dtype = args.result_dtype;
  result.sizes = args.result_sizes[0];
  result.data.assign(static_cast<size_t>(result.elements()), start_of(row.op));
  std::vector<double> best(result.data.size());
  std::vector<int64_t> seen(result.data.size(), 0);
  for_each_index(self.sizes, [&](const std::vector<int64_t>& index) {
    std::vector<int64_t> target;
    for (size_t i = 0; i < index.size(); ++i) {
      if (!folded[i]) target.push_back(index[i]);
      if (folded[i] && args.flag("keepdim")) target.push_back(0);
    }
    const auto at = static_cast<size_t>(result.offset(target));
    const double value = self.data[static_cast<size_t>(self.offset(index))];
    if (!is_position(row.op)) {
      result.data[at] = fold(row.op, result.data[at], value);
    } else if (seen[at] == 0 || wins(row.op, value, best[at])) {
      best[at] = value;
      result.data[at] = static_cast<double>(seen[at]);
    }
    ++seen[at];
  });
  return {result};
}

std::vector<Case> cases(const Row& row) {
  std::vector<DType> dtypes = {DType::kF32, DType::kF64, DType::kI64};
  if (row.op == ReduceOp::kAny || row.op == ReduceOp::kAll) dtypes = {DType::kBool};
  const std::string schema = schema_full_name(row.schema);
  const auto make = [&](std::vector<int64_t> sizes, std::vector<int64_t> dims, bool keepdim,
                        Fill fill) {
    Case made{.schema = schema,
              .args = {TensorArg{sizes, fill}, dims, keepdim},
              .dtypes = dtypes,
              .dynamic = true};
    return made;
  };
  std::vector<Case> result = {
      make({3, 70}, {1}, false, Fill::kUnit), make({3, 70}, {0}, true, Fill::kUnit),
      make({2, 3, 4, 5}, {1, 3}, false, Fill::kUnit), make({2, 3, 4}, {0, 1, 2}, true, Fill::kUnit),
      make({5, 700}, {-1}, true, Fill::kUnit)};
  if (dtypes[0] != DType::kBool) {
    result.push_back(make({7, 9}, {1}, false, Fill::kSpecial));
    result.back().dtypes = {DType::kF32};
  }
  return result;
}

struct Maker {
  template <size_t I>
  static constexpr OpDef def() {
    return {
        .name = kRows[I].name,
        .schemas = std::span(&kRows[I].schema, 1),
        .kind = OpKind::kReduction,
        .infer = [](const Node& node) { return infer(kRows[I], node); },
        .element = [](ElementBuilder& e, const Node& node, uint32_t,
                      const Index& index) { return element(kRows[I], e, node, index); },
        .reference = [](const RefArgs& args) { return reference(kRows[I], args); },
        .cases = [] { return cases(kRows[I]); },
    };
  }
};
constexpr auto kDefs = make_family<Maker>(std::make_index_sequence<std::size(kRows)>{});

}  // namespace

extern constexpr OpFamily k_ingot_reductions{kDefs};

}  // namespace ingot::ops
