// The entry points of each instruction set's copy of this folder.
#pragma once

#include "runtime/cpu/lane_table.h"

namespace ingot::runtime::cpu {

// Fills the whole table.
namespace lanes_baseline {
void fill(LaneTable& table);
void fill_rare(LaneTable& table);  // what only the baseline has
}  // namespace lanes_baseline
// These replace the entries where wider vectors pay.
namespace lanes_avx2 {
void fill(LaneTable& table);
}
namespace lanes_avx512 {
void fill(LaneTable& table);
}

}  // namespace ingot::runtime::cpu
