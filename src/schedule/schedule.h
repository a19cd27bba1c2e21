// Graph to program: fuses operators into kernels, places buffers, orders the launches.
#pragma once

#include <string_view>
#include <vector>

#include "ir/model.h"
#include "program/program.h"

namespace ingot::schedule {

// A program with one plan, and which of the model's storages its own stand for.
struct Scheduled {
  program::Program program;
  std::vector<uint32_t> storages;  // Program::storages[i] is ir::Model::storages[storages[i]]
};

// Schedules a model that holds only operators with kernels (no composites). Adds copies to the
// graph where an output would otherwise be an input, a constant or another output.
Scheduled schedule_model(ir::Model& model, std::string_view target);

}  // namespace ingot::schedule
