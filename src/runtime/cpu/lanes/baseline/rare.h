// The parts of the table that exist once, for the baseline instruction set.
#pragma once

#include "runtime/cpu/lanes/lanes.h"

namespace ingot::runtime::cpu::INGOT_LANES {

void fill_rare_integers(LaneTable& table);
void fill_rare_functions(LaneTable& table);
void fill_rare_casts(LaneTable& table);
void fill_rare_folds(LaneTable& table);
void fill_arg_folds(LaneTable& table);
void fill_combines(LaneTable& table);

}  // namespace ingot::runtime::cpu::INGOT_LANES
