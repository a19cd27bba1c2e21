#include "runtime/core/loaded_program.h"

#include <fmt/core.h>

#include <atomic>
#include <thread>

#include "program/validate.h"
#include "support/diagnostics.h"
#include "support/hash.h"

namespace ingot::runtime {
namespace {

using program::BufferKind;
using program::Plan;
using program::Program;

// Storages are handed out one by one, so that a large one does not hold up the rest.
Status verify_checksums(const ProgramSource& source) {
  const size_t count = source.storages.size();
  std::atomic<size_t> next{0};
  std::atomic<size_t> first_bad{count};
  const auto work = [&] {
    for (size_t i = next++; i < count; i = next++) {
      if (xxh3(source.storages[i]) == source.program.storages[i].checksum) continue;
      size_t known = first_bad;
      while (i < known && !first_bad.compare_exchange_weak(known, i)) {
      }
    }
  };
  const size_t workers = std::min<size_t>(count, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  for (size_t i = 1; i < workers; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (first_bad == count) return ok_status();
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

// Every tensor output needs exactly one buffer that the plan fills.
Status check_outputs(const Program& program, const Plan& plan) {
  std::vector<int> buffers(program.outputs.size(), 0);
  for (const program::Buffer& buffer : plan.buffers) {
    if (buffer.kind == BufferKind::kOutput) ++buffers[buffer.source];
  }
  for (size_t i = 0; i < buffers.size(); ++i) {
    const bool is_tensor = program.outputs[i].kind == program::OutputKind::kTensor;
    if (buffers[i] == (is_tensor ? 1 : 0)) continue;
    return make_status(Diag::kBadPackage,
                       fmt::format("output '{}' has {} buffers in the plan for {}",
                                   program.outputs[i].name, buffers[i], plan.target));
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
  INGOT_RETURN_IF_ERROR(check_outputs(program, *prepared.plan));
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
