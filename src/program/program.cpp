#include "program/program.h"

#include <iterator>

namespace ingot::program {

std::string_view to_string(BufferKind kind) {
  constexpr std::string_view kNames[] = {"input", "output",    "constant",
                                         "state", "temporary", "derived"};
  static_assert(std::size(kNames) == kBufferKindCount);
  return kNames[static_cast<size_t>(kind)];
}

std::string_view to_string(StepKind kind) {
  constexpr std::string_view kNames[] = {"launch", "copy", "fill", "assert", "host_read"};
  static_assert(std::size(kNames) == kStepKindCount);
  return kNames[static_cast<size_t>(kind)];
}

const Plan* find_plan(const Program& program, std::string_view target) {
  for (const Plan& plan : program.plans) {
    if (plan.target == target) return &plan;
  }
  return nullptr;
}

const Location* find_location(const Program& program, LocIndex loc) {
  return loc < program.locations.size() ? &program.locations[loc] : nullptr;
}

}  // namespace ingot::program
