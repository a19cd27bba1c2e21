// Readable text of programs, for `ingot inspect` and goldens. Equal programs give equal text.
#pragma once

#include <string>

#include "program/program.h"

namespace ingot::program {

// "%3 = mul f32 %1, %2", "store f32 b2[64*a0 + a1] = %5": one instruction, without a line's end.
std::string to_string(const Inst& inst, InstId id);

// The symbol, parameters, axes and instructions of a kernel, a line each.
std::string print_kernel(const Kernel& kernel);

// The buffers and steps of a plan. Buffers are written #0, #1, … by their position; a step ends
// with the module that it comes from, unless locations were stripped.
std::string print_plan(const Program& program, const Plan& plan);

// Symbols, inputs, outputs and guards.
std::string print_signature(const Program& program);

// The signature, all kernels and all plans.
std::string print_all(const Program& program);

}  // namespace ingot::program
