// Compiles a kernel body into a strip program.
#pragma once

#include "runtime/cpu/loop_nest.h"
#include "runtime/cpu/strip_program.h"

namespace ingot::runtime::cpu {

struct StripCompilerInput {
  const program::Kernel* kernel = nullptr;
  const program::Body* body = nullptr;  // the kernel's, or of its template
  const LoopNest* nest = nullptr;
  TileShape tile;
  std::span<const int64_t> buffer_elements;
  const LaneTable* table = nullptr;
};

// Fails with Diag::kBadPackage if an access is known to leave its buffer.
Result<StripProgram> compile_strips(const StripCompilerInput& input);

}  // namespace ingot::runtime::cpu
