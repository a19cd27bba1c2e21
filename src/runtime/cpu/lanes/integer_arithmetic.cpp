// Arithmetic of bool, i32 and i64, and of the narrower integers where vector code pays.
#include "runtime/cpu/lanes/integer_ops.h"

namespace ingot::runtime::cpu::INGOT_LANES {
namespace {

using program::ScalarOp;

template <DType kType>
void fill_comparisons(LaneTable& table) {
  set_binary_and_uniform<Eq, kType>(table, ScalarOp::kEq);
  set_binary_and_uniform<Ne, kType>(table, ScalarOp::kNe);
  set_binary_and_uniform<Lt, kType>(table, ScalarOp::kLt);
  set_binary_and_uniform<Le, kType>(table, ScalarOp::kLe);
  set_binary_and_uniform<Gt, kType>(table, ScalarOp::kGt);
  set_binary_and_uniform<Ge, kType>(table, ScalarOp::kGe);
}

template <DType kType>
void fill_wide(LaneTable& table) {
  fill_comparisons<kType>(table);
  set_unary<Neg, kType>(table, ScalarOp::kNeg);
  set_unary<Abs, kType>(table, ScalarOp::kAbs);
  set_binary_and_uniform<Add, kType>(table, ScalarOp::kAdd);
  set_binary_and_uniform<Sub, kType>(table, ScalarOp::kSub);
  set_binary_and_uniform<Mul, kType>(table, ScalarOp::kMul);
  set_binary<Min, kType>(table, ScalarOp::kMin);
  set_binary<Max, kType>(table, ScalarOp::kMax);
  set_binary<And, kType>(table, ScalarOp::kAnd);
  set_binary<Or, kType>(table, ScalarOp::kOr);
  set_binary<Xor, kType>(table, ScalarOp::kXor);
}

}  // namespace

void fill_integer_arithmetic(LaneTable& table) {
  fill_wide<DType::kI32>(table);
  fill_wide<DType::kI64>(table);
  fill_comparisons<DType::kU8>(table);
  fill_comparisons<DType::kBool>(table);
  set_unary<LogicalNot, DType::kBool>(table, ScalarOp::kNot);
  set_binary<Or, DType::kBool>(table, ScalarOp::kAdd);
  set_binary<And, DType::kBool>(table, ScalarOp::kMul);
  set_binary<And, DType::kBool>(table, ScalarOp::kMin);
  set_binary<Or, DType::kBool>(table, ScalarOp::kMax);
  set_binary<And, DType::kBool>(table, ScalarOp::kAnd);
  set_binary<Or, DType::kBool>(table, ScalarOp::kOr);
  set_binary<Xor, DType::kBool>(table, ScalarOp::kXor);
}

}  // namespace ingot::runtime::cpu::INGOT_LANES
