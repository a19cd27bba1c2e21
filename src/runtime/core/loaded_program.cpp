#include "runtime/core/loaded_program.h"

#include <fmt/core.h>

#include <atomic>

#include "program/validate.h"
#include "runtime/core/parallel.h"
#include "support/diagnostics.h"
#include "support/hash.h"

namespace ingot::runtime {
namespace {

using program::Plan;
using program::Program;

class ChecksumTask final : public ParallelTask {
 public:
  explicit ChecksumTask(const ProgramSource& source)
      : source_(source), first_bad_(source.storages.size()) {}

  void run(size_t index) override {
    if (xxh3(source_.storages[index]) == source_.program.storages[index].checksum) return;
    size_t known = first_bad_;
    while (index < known && !first_bad_.compare_exchange_weak(known, index)) {
    }
  }
  // The count of storages when all are as they were written.
  size_t first_bad() const { return first_bad_; }

 private:
  const ProgramSource& source_;
  std::atomic<size_t> first_bad_;
};

Status verify_checksums(const ProgramSource& source) {
  ChecksumTask task(source);
  run_in_parallel(source.storages.size(), task);
  const size_t first_bad = task.first_bad();
  if (first_bad == source.storages.size()) return ok_status();
  std::string names;
  for (const program::Weight& weight : source.program.weights) {
    if (weight.storage == first_bad) names += (names.empty() ? "" : ", ") + weight.name;
  }
  return make_status(Diag::kBadPackage, fmt::format("the bytes of weight {} do not match their "
                                                    "checksum: the package is damaged",
                                                    names.empty() ? "storage" : names));
}

Status check_storages(const ProgramSource& source) {
  const Program& program = source.program;
  if (source.storages.size() != program.storages.size()) {
    return make_status(Diag::kBadPackage,
                       fmt::format("the program has {} weight storages, {} are given",
                                   program.storages.size(), source.storages.size()));
  }
  for (size_t i = 0; i < source.storages.size(); ++i) {
    if (source.storages[i].size() == program.storages[i].bytes) continue;
    return make_status(Diag::kBadPackage,
                       fmt::format("weight storage {} has {} bytes instead of {}", i,
                                   source.storages[i].size(), program.storages[i].bytes));
  }
  return ok_status();
}

Result<const Plan*> choose_plan(const Device& device, const Program& program,
                                std::string_view wanted) {
  std::string present;
  for (const Plan& plan : program.plans) {
    present += (present.empty() ? "" : ", ") + plan.target;
  }
  if (!wanted.empty()) {
    if (const Plan* plan = find_plan(program, wanted)) return plan;
    return make_status(Diag::kPackageTarget,
                       fmt::format("the package has no plan for {}; it has: {}", wanted, present));
  }
  for (const std::string& target : device.targets()) {
    if (target == kAnyTarget && !program.plans.empty()) return &program.plans.front();
    if (const Plan* plan = find_plan(program, target)) return plan;
  }
  return make_status(Diag::kPackageTarget, fmt::format("the package has no plan for {}; it has: {}",
                                                       device.description(), present));
}

}  // namespace

Result<std::shared_ptr<LoadedProgram>> LoadedProgram::load(std::shared_ptr<Device> device,
                                                           ProgramSource source,
                                                           std::string_view plan_target) {
  const std::shared_ptr<LoadedProgram> loaded(new LoadedProgram());
  loaded->source_ = std::move(source);
  const Program& program = loaded->source_.program;
  INGOT_RETURN_IF_ERROR(program::validate(program));
  INGOT_RETURN_IF_ERROR(check_storages(loaded->source_));
  if (loaded->source_.verify_checksums) INGOT_RETURN_IF_ERROR(verify_checksums(loaded->source_));
  PreparedPlan& prepared = loaded->prepared_;
  INGOT_ASSIGN_OR_RETURN(prepared.plan, choose_plan(*device, program, plan_target));
  prepared.program = &program;
  prepared.device = std::move(device);
  INGOT_ASSIGN_OR_RETURN(prepared.executable, prepared.device->prepare(program, *prepared.plan));
  INGOT_ASSIGN_OR_RETURN(loaded->weights_, WeightSet::create(prepared, loaded->source_.storages));
  return loaded;
}

std::shared_ptr<const WeightSet> LoadedProgram::weights() const {
  const std::lock_guard lock(weights_mutex_);
  return weights_;
}

Status LoadedProgram::update_weights(std::span<const WeightUpdate> updates) {
  const std::lock_guard update_lock(update_mutex_);
  INGOT_ASSIGN_OR_RETURN(std::shared_ptr<const WeightSet> next, weights()->with_updates(updates));
  const std::lock_guard lock(weights_mutex_);
  weights_.swap(next);  // the old version goes when the last run on it is over
  return ok_status();
}

}  // namespace ingot::runtime
