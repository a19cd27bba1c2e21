#include "runtime/cpu/lanes/baseline/rare.h"
#include "runtime/cpu/lanes/cast_loops.h"

namespace ingot::runtime::cpu::INGOT_LANES {

void fill_rare_casts(LaneTable& table) {
  set_casts_from<DType::kBool>(table);
  set_casts_from<DType::kU8>(table);
  set_casts_from<DType::kI8>(table);
  set_casts_from<DType::kI16>(table);
  set_casts_from<DType::kI32>(table);
  set_casts_from<DType::kI64>(table);
  set_casts_from<DType::kF16>(table);
  set_casts_from<DType::kBF16>(table);
  set_casts_from<DType::kF64>(table);
}

}  // namespace ingot::runtime::cpu::INGOT_LANES
