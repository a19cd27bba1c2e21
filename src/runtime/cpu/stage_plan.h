// Which instructions of a body run where: once per tile or for every strip, and which values of an
// inner stage are kept for later stages rather than computed again.
#pragma once

#include <vector>

#include "runtime/cpu/loop_nest.h"
#include "runtime/cpu/strip_program.h"

namespace ingot::runtime::cpu {

// What a value varies with, as bits.
enum Dimension : uint8_t {
  kRowDimension = 1,     // the tile's rows
  kColDimension = 2,     // the tile's columns
  kSerialDimension = 4,  // inner axes other than the tile's
};

struct StagePlan {
  std::vector<uint8_t> dims;       // by instruction
  std::vector<uint8_t> term_dims;  // by term of the nest
  // By instruction: of an inner stage, but the same at all its points.
  std::vector<bool> once;
  // By stage: what the block of an inner stage runs, in order: its own instructions and those of
  // earlier stages that are computed again. For other stages, all of it.
  std::vector<std::vector<program::InstId>> runs;
  // By stage: its instructions with `once`.
  std::vector<std::vector<program::InstId>> hoisted;
  std::vector<bool> kept;  // by instruction
  std::vector<uint32_t> stage_of;

  uint8_t form_dims(const IndexForm& form, const TileShape& tile, const LoopNest& nest) const;
};

// The dimensions that are inner axes.
uint8_t inner_dimensions(const TileShape& tile);
Spread spread_of(uint8_t dims, const TileShape& tile);

StagePlan plan_stages(const program::Body& body, const LoopNest& nest, const TileShape& tile);

}  // namespace ingot::runtime::cpu
