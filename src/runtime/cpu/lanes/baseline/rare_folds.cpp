#include "runtime/cpu/lanes/baseline/rare.h"
#include "runtime/cpu/lanes/fold_loops.h"

namespace ingot::runtime::cpu::INGOT_LANES {
namespace {

using program::ReduceOp;

template <DType kType>
void fill_numeric(LaneTable& table) {
  using T = Lane<kType>;
  set_fold<kType, SumFold<T>>(table, ReduceOp::kSum, true);
  set_fold<kType, ProdFold<T>>(table, ReduceOp::kProd, true);
  set_fold<kType, MinFold<T>>(table, ReduceOp::kMin, false);
  set_fold<kType, MaxFold<T>>(table, ReduceOp::kMax, false);
}

}  // namespace

void fill_rare_folds(LaneTable& table) {
  fill_numeric<DType::kU8>(table);
  fill_numeric<DType::kI8>(table);
  fill_numeric<DType::kI16>(table);
  fill_numeric<DType::kI32>(table);
  fill_numeric<DType::kI64>(table);
  fill_numeric<DType::kF32>(table);
  fill_numeric<DType::kF64>(table);
  set_fold<DType::kBool, BoolMinFold>(table, ReduceOp::kMin, false);
  set_fold<DType::kBool, BoolMaxFold>(table, ReduceOp::kMax, false);
  set_fold<DType::kBool, AnyFold>(table, ReduceOp::kAny, false);
  set_fold<DType::kBool, AllFold>(table, ReduceOp::kAll, false);
}

}  // namespace ingot::runtime::cpu::INGOT_LANES
