#include "runtime/cpu/lanes/baseline/rare.h"

#include "runtime/cpu/lanes/table.h"

namespace ingot::runtime::cpu::INGOT_LANES {

void fill_rare(LaneTable& table) {
  fill_rare_integers(table);
  fill_rare_functions(table);
  fill_rare_casts(table);
  fill_rare_folds(table);
  fill_arg_folds(table);
  fill_combines(table);
}

}  // namespace ingot::runtime::cpu::INGOT_LANES
