// Where the slots of a strip program lie: in the kernel's buffers where no copy is needed, else in
// scratch memory, which slots that are not needed at the same time share.
#pragma once

#include <vector>

#include "runtime/cpu/strip_program.h"

namespace ingot::runtime::cpu {

enum class SlotUse : uint8_t {
  kScratch,   // from its first write to its last read
  kPinned,    // for good
  kFold,      // throughout the block of its fold
  kKept,      // one piece per strip of a tile
  kExternal,  // an address from outside
};

struct SlotInfo {
  int64_t bytes = 0;
  SlotUse use = SlotUse::kScratch;
};

// Decides which loads and stores are direct, orders the stores' operations accordingly and places
// all slots. `slots` has one entry per slot.
void layout_slots(std::vector<SlotInfo>& slots, StripProgram& program);

}  // namespace ingot::runtime::cpu
