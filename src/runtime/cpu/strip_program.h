// A kernel body compiled for strips: straight-line lists of operations on lanes, as data.
//
// Values live in slots. A slot is an address: of scratch memory, or of the kernel's buffers where a
// load or store is contiguous and needs no copy.
#pragma once

#include <cstdint>
#include <vector>

#include "program/kernel.h"
#include "runtime/cpu/lane_table.h"
#include "runtime/cpu/loop_nest.h"

namespace ingot::runtime::cpu {

using SlotId = uint32_t;
inline constexpr SlotId kNoSlot = UINT32_MAX;

// How a value varies over a tile: the number of lanes is 1, rows, cols or rows * cols.
enum class Spread : uint8_t { kOne = 0, kRows = 1, kCols = 2, kTile = 3 };
inline constexpr int kSpreads = 4;
constexpr Spread operator|(Spread a, Spread b) {
  return static_cast<Spread>(static_cast<uint8_t>(a) | static_cast<uint8_t>(b));
}

struct AxisStep {
  uint32_t axis = 0;
  int64_t step = 0;
};

// constant + sum(step * coordinate) + sum(scale * slot): an i64 for the first lane of a strip, with
// the steps from row to row and column to column.
struct LinearIndex {
  int64_t constant = 0;
  std::vector<AxisStep> axes;  // of the strip's first point
  struct Uniform {
    SlotId slot = kNoSlot;
    int64_t scale = 1;
  };
  std::vector<Uniform> uniforms;  // i64 slots of one lane
  int64_t row_step = 0;
  int64_t col_step = 0;
};

// A load or store.
struct StripAccess {
  uint32_t buffer = 0;
  DType dtype = DType::kF32;
  int64_t elements = 0;  // of the buffer
  LinearIndex index;
  SlotId offsets = kNoSlot;  // if not linear: i64 lanes of `spread`, instead of `index`
  Spread spread = Spread::kOne;
  bool flat = false;  // linear, and lane i is at the first one + i * step
  int64_t flat_step = 0;
  bool proven = false;  // all of it is known to be inside the buffer
  bool direct = false;  // the slot may point into the buffer
  SlotId predicate = kNoSlot;
  Spread predicate_spread = Spread::kOne;  // kOne, or `spread`
  program::StoreMode mode = program::StoreMode::kSet;
};

struct StripFold {
  const FoldFns* fns = nullptr;
  SlotId acc = kNoSlot;
  SlotId positions = kNoSlot;  // of arg reductions
  SlotId value = kNoSlot;
  Spread value_spread = Spread::kOne;
  bool by_rows = false;  // folds the columns away
  SlotId result = kNoSlot;
  Spread result_spread = Spread::kOne;
};

enum class StripOpKind : uint8_t {
  kLanes,       // lanes(dst, a, b, c, n)
  kBroadcast,   // dst := a's one lane, n times
  kRepeatEach,  // kRows to kTile
  kTileCols,    // kCols to kTile
  kLoad,        // dst := accesses[extra]
  kStore,       // accesses[extra] := a
  kPlace,       // dst := the address of accesses[extra], which the next operation writes
  kFold,        // folds[extra] takes a
  kAffine,      // dst := indices[extra]
  kAddScaled,   // dst += number * a
  kDivide,      // dst := a // number
  kModulo,      // dst := a mod number
  kCheck,       // dst := a checked against the extent b, where predicate c holds
};

struct StripOp {
  StripOpKind kind = StripOpKind::kLanes;
  Spread spread = Spread::kOne;  // of dst, or of what is stored
  uint8_t log2_bytes = 0;        // of an element that is copied
  bool uniform_b = false;        // kCheck: one extent for all lanes
  SlotId dst = kNoSlot;
  SlotId a = kNoSlot;
  SlotId b = kNoSlot;
  SlotId c = kNoSlot;
  uint32_t extra = 0;
  int64_t number = 0;
  LaneFn lanes = nullptr;
};

// Operations that run together: once, once per tile, or (`inner`) for every strip of a tile.
struct StripBlock {
  std::vector<StripOp> ops;
  std::vector<uint32_t> folds;  // started before and finished after the block
  bool inner = false;
};

struct ConstantSlot {
  SlotId slot = kNoSlot;
  uint64_t bits = 0;
};

// Values of inner points that a later block needs again: one piece per strip.
struct KeptSlot {
  SlotId slot = kNoSlot;
  int64_t offset = 0;  // bytes, in the scratch memory
  int64_t strip_bytes = 0;
};

struct StripProgram {
  uint64_t identity = 0;  // no two programs of a process share it
  const LaneTable* table = nullptr;
  TileShape tile;
  std::vector<LoopAxis> axes;
  std::vector<int64_t> inner_strides;  // of each inner axis in the row-major position
  uint32_t slots = 0;
  std::vector<int64_t> slot_offsets;  // bytes in the scratch memory, or -1
  int64_t scratch_bytes = 0;
  std::vector<ConstantSlot> constants;  // of one lane
  std::vector<StripOp> prologue;        // runs once per thread, with full tiles
  std::vector<StripBlock> blocks;
  std::vector<StripAccess> accesses;
  std::vector<StripFold> folds;
  std::vector<LinearIndex> indices;
  std::vector<KeptSlot> kept;
  SlotId accumulator = kNoSlot;  // given from outside
  SlotId result = kNoSlot;       // of the last instruction
  Spread result_spread = Spread::kOne;
  DType result_dtype = DType::kF32;
  bool in_order = false;  // points must run one after another
};

}  // namespace ingot::runtime::cpu
