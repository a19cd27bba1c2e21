// Facts about a program in numbers and JSON, for `inspect`, the manifest and reports.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "program/program.h"

namespace ingot::cli {

// Sizes in bytes; nothing where one depends on a size that the export left unbounded.
struct MemoryFacts {
  uint64_t weights = 0;  // stored
  uint64_t states = 0;   // of one context
  uint64_t derived = 0;  // what init makes of the weights
  std::string arena;     // of one context, as an expression
  std::optional<int64_t> arena_min;
  std::optional<int64_t> arena_max;
};
MemoryFacts memory_of(const program::Program& program, const program::Plan& plan);

struct PlanFacts {
  size_t launches = 0;
  size_t other_steps = 0;
  size_t init_steps = 0;
  size_t kernels = 0;  // different ones, init included
};
PlanFacts facts_of(const program::Plan& plan);

// "12", "8 to 1024": the values of an expression within the program's ranges.
std::string range_text(const program::Program& program, const sym::Expr& expr);
// "[1 to 1024]x64xf32"
std::string shape_text(const program::Program& program, DType dtype,
                       const std::vector<sym::Expr>& sizes);
// "1.5 MB"
std::string bytes_text(uint64_t bytes);

// Everything about a program but its instructions; the same for equal programs.
nlohmann::ordered_json to_json(const program::Program& program);

}  // namespace ingot::cli
