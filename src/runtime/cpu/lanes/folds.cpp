// The reductions of softmax, norms and poolings.
#include "runtime/cpu/lanes/fold_loops.h"

namespace ingot::runtime::cpu::INGOT_LANES {

using program::ReduceOp;

void fill_folds(LaneTable& table) {
  set_fold<DType::kF32, SumFold<float>>(table, ReduceOp::kSum, true);
  set_fold<DType::kF32, MaxFold<float>>(table, ReduceOp::kMax, false);
  set_fold<DType::kF32, MinFold<float>>(table, ReduceOp::kMin, false);
  set_fold<DType::kF64, SumFold<double>>(table, ReduceOp::kSum, false);
  set_fold<DType::kI64, SumFold<int64_t>>(table, ReduceOp::kSum, false);
}

}  // namespace ingot::runtime::cpu::INGOT_LANES
