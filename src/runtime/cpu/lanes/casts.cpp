// The conversions that models make in their hot loops: to and from f32, and between index types.
#include "runtime/cpu/lanes/cast_loops.h"

namespace ingot::runtime::cpu::INGOT_LANES {

void fill_casts(LaneTable& table) {
  set_casts_from<DType::kF32>(table);
  set_cast<DType::kF16, DType::kF32>(table);
  set_cast<DType::kBF16, DType::kF32>(table);
  set_cast<DType::kF64, DType::kF32>(table);
  set_cast<DType::kI64, DType::kF32>(table);
  set_cast<DType::kI32, DType::kF32>(table);
  set_cast<DType::kI8, DType::kF32>(table);
  set_cast<DType::kU8, DType::kF32>(table);
  set_cast<DType::kBool, DType::kF32>(table);
  set_cast<DType::kBool, DType::kI64>(table);
  set_cast<DType::kI64, DType::kBool>(table);
  set_cast<DType::kI32, DType::kI64>(table);
  set_cast<DType::kI64, DType::kI32>(table);
}

}  // namespace ingot::runtime::cpu::INGOT_LANES
