#include "runtime/cpu/lanes/table.h"

#include "runtime/cpu/lanes/lanes.h"

namespace ingot::runtime::cpu::INGOT_LANES {

void fill(LaneTable& table) {
  fill_float_arithmetic(table);
  fill_float_functions(table);
  fill_integer_arithmetic(table);
  fill_casts(table);
  fill_folds(table);
  fill_moves(table);
  fill_index(table);
}

}  // namespace ingot::runtime::cpu::INGOT_LANES
