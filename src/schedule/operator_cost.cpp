#include "schedule/operator_cost.h"

#include "ops/op_def.h"

namespace ingot::schedule {
namespace {

using ops::Index;
using ops::OpKind;
using ops::Scalar;
using ops::ScalarOp;

int cost_of(ScalarOp op) {
  switch (op) {
    case ScalarOp::kDiv:
    case ScalarOp::kDivFloor:
    case ScalarOp::kDivTrunc:
    case ScalarOp::kRemainder:
    case ScalarOp::kFmod:
    case ScalarOp::kSqrt:
    case ScalarOp::kRsqrt:
    case ScalarOp::kReciprocal:
      return 4;
    case ScalarOp::kPow:
    case ScalarOp::kAtan2:
    case ScalarOp::kHypot:
      return 2 * kCostlyOperation;
    case ScalarOp::kRound:
    case ScalarOp::kTrunc:
    case ScalarOp::kFloor:
    case ScalarOp::kCeil:
    case ScalarOp::kNeg:
    case ScalarOp::kAbs:
    case ScalarOp::kSign:
    case ScalarOp::kNot:
    case ScalarOp::kIsNan:
    case ScalarOp::kIsInf:
    case ScalarOp::kSignbit:
      return 1;
    default:
      return op < ScalarOp::kAdd ? kCostlyOperation : 1;
  }
}

// Runs an element function for the sake of counting.
class CostMeter final : public ops::ElementBuilder {
 public:
  int cost = 0;

  Scalar load(const ir::Value* value, const Index&) override { return {0, value->dtype()}; }
  Scalar apply(ScalarOp op, std::span<const Scalar> args) override {
    cost += cost_of(op);
    if (program::is_predicate(op)) return {0, DType::kBool};
    return {0, args[op == ScalarOp::kSelect ? 1 : 0].dtype};
  }
  Scalar cast(Scalar, DType dtype) override { return {0, dtype}; }
  Scalar bitcast(Scalar, DType dtype) override { return {0, dtype}; }
  Scalar constant(DType dtype, double) override { return {0, dtype}; }
  Scalar integer(DType dtype, int64_t) override { return {0, dtype}; }
  Scalar index_value(const sym::Expr&) override { return {0, DType::kI64}; }
  Scalar reduce(ops::ReduceOp op, std::span<const sym::Expr> extents,
                const std::function<Scalar(const Index&)>& body) override {
    cost += 2 * kCostlyOperation;
    const Scalar value = body(Index(extents.size()));
    const bool is_position = op == ops::ReduceOp::kArgMin || op == ops::ReduceOp::kArgMax;
    return is_position ? Scalar{0, DType::kI64} : value;
  }
  sym::Expr checked_index(Scalar, const sym::Expr&) override { return 0; }
  sym::Expr trusted_index(Scalar) override { return 0; }
  Scalar guarded(Scalar, const std::function<Scalar()>& if_true, Scalar otherwise) override {
    cost += 1;
    if_true();
    return otherwise;
  }
};

void add_cost(const ir::Value* value, int limit, InPlaceCost& total) {
  const ir::Node* node = value->producer;
  if (!node || !node->op->def || !node->op->def->element ||
      node->op->def->kind == OpKind::kReduction) {
    ++total.loads;
    return;
  }
  total.operations += operation_cost(*node, value->result);
  for (const ir::Value* operand : ir::operands(*node)) {
    if (total.operations > limit) return;
    add_cost(operand, limit, total);
  }
}

}  // namespace

int operation_cost(const ir::Node& node, uint32_t result) {
  CostMeter meter;
  node.op->def->element(meter, node, result,
                        Index(static_cast<size_t>(node.results[result]->rank())));
  return meter.cost;
}

InPlaceCost in_place_cost(const ir::Value* value, int limit) {
  InPlaceCost total;
  add_cost(value, limit, total);
  return total;
}

}  // namespace ingot::schedule
