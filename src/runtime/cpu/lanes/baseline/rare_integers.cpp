#include "runtime/cpu/lanes/baseline/rare.h"
#include "runtime/cpu/lanes/integer_ops.h"

namespace ingot::runtime::cpu::INGOT_LANES {
namespace {

using program::ScalarOp;

template <DType kType>
void fill(LaneTable& table) {
  set_unary<Neg, kType>(table, ScalarOp::kNeg);
  set_unary<Abs, kType>(table, ScalarOp::kAbs);
  set_unary<Sign, kType>(table, ScalarOp::kSign);
  set_unary<Signbit, kType>(table, ScalarOp::kSignbit);
  set_unary<Not, kType>(table, ScalarOp::kNot);
  set_binary<Add, kType>(table, ScalarOp::kAdd);
  set_binary<Sub, kType>(table, ScalarOp::kSub);
  set_binary<Mul, kType>(table, ScalarOp::kMul);
  set_binary<DivFloor, kType>(table, ScalarOp::kDivFloor);
  set_binary<DivTrunc, kType>(table, ScalarOp::kDivTrunc);
  set_binary<Remainder, kType>(table, ScalarOp::kRemainder);
  set_binary<Fmod, kType>(table, ScalarOp::kFmod);
  set_binary<Pow, kType>(table, ScalarOp::kPow);
  set_binary<Min, kType>(table, ScalarOp::kMin);
  set_binary<Max, kType>(table, ScalarOp::kMax);
  set_binary<Min, kType>(table, ScalarOp::kFmin);
  set_binary<Max, kType>(table, ScalarOp::kFmax);
  set_binary<And, kType>(table, ScalarOp::kAnd);
  set_binary<Or, kType>(table, ScalarOp::kOr);
  set_binary<Xor, kType>(table, ScalarOp::kXor);
  set_binary<Shl, kType>(table, ScalarOp::kShl);
  set_binary<Shr, kType>(table, ScalarOp::kShr);
  set_binary<Eq, kType>(table, ScalarOp::kEq);
  set_binary<Ne, kType>(table, ScalarOp::kNe);
  set_binary<Lt, kType>(table, ScalarOp::kLt);
  set_binary<Le, kType>(table, ScalarOp::kLe);
  set_binary<Gt, kType>(table, ScalarOp::kGt);
  set_binary<Ge, kType>(table, ScalarOp::kGe);
}

}  // namespace

void fill_rare_integers(LaneTable& table) {
  fill<DType::kU8>(table);
  fill<DType::kI8>(table);
  fill<DType::kI16>(table);
  fill<DType::kI32>(table);
  fill<DType::kI64>(table);
}

}  // namespace ingot::runtime::cpu::INGOT_LANES
