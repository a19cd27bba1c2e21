// A compiled model on a device: immutable but for whole-version weight updates, shared by contexts
// and threads.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "program/program.h"
#include "runtime/core/segment.h"
#include "runtime/core/weight_set.h"

namespace ingot::runtime {

// A program and the bytes of its storages, wherever they come from: a mapped package, or the
// compiler in this process.
struct ProgramSource {
  program::Program program;
  std::vector<std::span<const std::byte>> storages;  // one per Program::storages, host memory
  std::shared_ptr<const void> keep_alive;            // owns the storages' bytes
  bool verify_checksums = true;                      // of the storages
};

class LoadedProgram {
 public:
  // Validates, verifies checksums in parallel, prepares the kernels of the plan that suits the
  // device best, places the weights and runs the init block.
  // `plan_target` chooses another plan by its target.
  static Result<std::shared_ptr<LoadedProgram>> load(std::shared_ptr<Device> device,
                                                     ProgramSource source,
                                                     std::string_view plan_target = {});

  const program::Program& program() const { return source_.program; }
  const program::Plan& plan() const { return *prepared_.plan; }
  const PreparedPlan& prepared() const { return prepared_; }
  const std::shared_ptr<Device>& device() const { return prepared_.device; }

  // The version that a run beginning now uses.
  std::shared_ptr<const WeightSet> weights() const;
  // Replaces all the named weights at once: every run sees either none or all of the new values.
  // States keep their contents; a reset takes the new values.
  Status update_weights(std::span<const WeightUpdate> updates);

 private:
  LoadedProgram() = default;

  ProgramSource source_;
  PreparedPlan prepared_;
  std::mutex update_mutex_;           // one update at a time
  mutable std::mutex weights_mutex_;  // guards the pointer alone
  std::shared_ptr<const WeightSet> weights_;
};

}  // namespace ingot::runtime
