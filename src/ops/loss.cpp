// Losses of a prediction and a target: element by element, their mean or their sum.
#include <cmath>

#include "ops/broadcast.h"
#include "ops/family.h"
#include "ops/operand.h"
#include "ops/pointwise.h"
#include "ops/promotion.h"
#include "support/diagnostics.h"

namespace ingot::ops {
namespace {

enum Reduction : int64_t { kNone = 0, kMean = 1, kSum = 2 };

struct Row {
  std::string_view schema;
  bool bends;
  Value* (*elements)(ir::Builder& b, Value* difference, const Node& node);
  double (*reference)(double difference, const RefArgs& args);
};

// The quadratic near 0 and the line beyond `limit`, where they meet.
Value* bent(ir::Builder& b, Value* difference, double limit, double quadratic, double linear) {
  Value* size = b.call("aten.abs.default", {difference});
  Value* near = b.mul(b.mul(size, size), quadratic);
  Value* far = b.mul(b.add(size, -0.5 * limit), linear);
  Value* inside = b.call("aten.lt.Scalar", {size, limit});
  return b.call("aten.where.self", {inside, near, far});
}

constexpr Row kRows[] = {
    {"aten::huber_loss(Tensor self, Tensor target, int reduction=1, float delta=1.) -> Tensor",
     true,
     [](ir::Builder& b, Value* difference, const Node& node) {
       const double delta = node.number("delta");
       return bent(b, difference, delta, 0.5, delta);
     },
     [](double d, const RefArgs& args) {
       const double delta = args.number("delta");
       return std::abs(d) < delta ? 0.5 * d * d : delta * (std::abs(d) - 0.5 * delta);
     }},
    {"aten::l1_loss(Tensor self, Tensor target, int reduction=1) -> Tensor", false,
     [](ir::Builder& b, Value* difference, const Node&) {
       return b.call("aten.abs.default", {difference});
     },
     [](double d, const RefArgs&) { return std::abs(d); }},
    {"aten::mse_loss(Tensor self, Tensor target, int reduction=1) -> Tensor", false,
     [](ir::Builder& b, Value* difference, const Node&) { return b.mul(difference, difference); },
     [](double d, const RefArgs&) { return d * d; }},
    {"aten::smooth_l1_loss(Tensor self, Tensor target, int reduction=1, float beta=1.) -> Tensor",
     true,
     [](ir::Builder& b, Value* difference, const Node& node) {
       const double beta = node.number("beta");
       return beta == 0 ? b.call("aten.abs.default", {difference})
                        : bent(b, difference, beta, 0.5 / beta, 1);
     },
     [](double d, const RefArgs& args) {
       const double beta = args.number("beta");
       return std::abs(d) < beta ? 0.5 * d * d / beta : std::abs(d) - 0.5 * beta;
     }},
};

std::vector<TensorType> infer(const Node& node) {
  const int64_t reduction = node.constant("reduction");
  if (reduction < kNone || reduction > kSum) {
    throw CompileError(Diag::kBadGraph, "unknown reduction " + std::to_string(reduction));
  }
  Sizes sizes = broadcast_sizes(node, {"self", "target"});
  if (reduction != kNone) sizes.clear();
  return {{result_type(node, {"self", "target"}), std::move(sizes)}};
}

// 16-bit floats round where PyTorch's kernels do: the losses that bend at the end of an element,
// the others at every operation; all of them again after the reduction, which is in f32.
std::vector<Value*> decompose(const Row& row, ir::Builder& b, const Node& node) {
  const DType dtype = result_type(node, {"self", "target"});
  const DType wide = compute_type(dtype);
  const DType within = row.bends ? wide : dtype;
  Value* difference = b.sub(b.cast(b.cast(node.tensor("self"), dtype), within),
                            b.cast(b.cast(node.tensor("target"), dtype), within));
  Value* loss = b.cast(row.elements(b, difference, node), dtype);
  const int64_t reduction = node.constant("reduction");
  if (reduction != kNone) {
    const sym::Expr count = loss->type.elements();
    loss = b.cast(loss, wide);
    std::vector<int64_t> dims;
    for (int64_t i = 0; i < loss->rank(); ++i) dims.push_back(i);
    if (!dims.empty()) loss = b.sum(loss, dims, false);
    if (reduction == kMean) loss = b.call("aten.div.Tensor", {loss, count});
  }
  return {b.cast(loss, dtype)};
}

std::vector<RefTensor> reference(const Row& row, const RefArgs& args) {
  RefTensor loss = zip_reference(args, args.tensor("self"), args.tensor("target"),
                                 [](double a, double b) { return a - b; });
  double sum = 0;
  for (double& x : loss.data) sum += x = row.reference(x, args);
  const int64_t reduction = args.integer("reduction");
  if (reduction == kNone) return {loss};
  const double count = static_cast<double>(loss.elements());
  return {{args.result_dtype, {}, {reduction == kMean ? sum / count : sum}}};
}

std::vector<Case> cases(const Row& row) {
  const std::string name = schema_full_name(row.schema);
  const TensorArg a{{3, 4}};
  std::vector<Case> all;
  for (const int64_t reduction : {0, 1, 2}) {
    all.push_back({name, {a, a, reduction}, all_float_dtypes(), "", true});
  }
  all.push_back({name, {a, TensorArg{{4}}, int64_t{1}}, all_float_dtypes(), "broadcast", true});
  all.push_back({name, {TensorArg{{}}, TensorArg{{}}}, float32_dtypes(), "scalar"});
  all.push_back({name, {TensorArg{{0, 2}}, TensorArg{{0, 2}}}, float32_dtypes(), "empty"});
  if (ir::parse_schema(row.schema).params.size() > 3) {
    all.push_back({name, {a, a, int64_t{1}, 0.5}, all_float_dtypes(), "parameter"});
  }
  return all;
}

struct Maker {
  template <size_t I>
  static constexpr OpDef def() {
    return {
        .name = schema_base(kRows[I].schema),
        .schemas = std::span(&kRows[I].schema, 1),
        .kind = OpKind::kComposite,
        .infer = infer,
        .decompose = [](ir::Builder& b, const Node& node) { return decompose(kRows[I], b, node); },
        .reference = [](const RefArgs& args) { return reference(kRows[I], args); },
        .cases = [] { return cases(kRows[I]); },
    };
  }
};
constexpr auto kDefs = make_family<Maker>(std::make_index_sequence<std::size(kRows)>{});

}  // namespace

extern constexpr OpFamily k_loss{kDefs};

}  // namespace ingot::ops
