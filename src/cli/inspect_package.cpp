#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "cli/inspect.h"
#include "cli/program_facts.h"
#include "package/package.h"
#include "program/print.h"
#include "runtime/core/arguments.h"
#include "support/diagnostics.h"

namespace ingot::cli {
namespace {

using program::Plan;
using program::Program;

class PackageInspector {
 public:
  PackageInspector(const InspectOptions& options, const package::Package& package)
      : options_(options), package_(package), program_(package.program()) {}

  int run() {
    if (options_.graph || options_.ops) {
      throw CompileError(Diag::kBadOption,
                         "--graph and --ops are for archives: a package holds kernels");
    }
    bool any = false;
    const auto section = [&any](bool wanted, auto print) {
      if (wanted) print();
      any = any || wanted;
    };
    if (options_.json) {
      print_json();
      return 0;
    }
    section(options_.plan, [this] { print_plans(); });
    section(options_.kernels, [this] { print_kernels(); });
    section(options_.memory, [this] { print_memory(); });
    section(options_.coverage, [this] { print_coverage(); });
    if (!options_.for_devices.empty()) return check_devices();
    if (!any) print_summary();
    return 0;
  }

 private:
  void print_json() {
    nlohmann::ordered_json json;
    json["format_version"] = package_.header().format_version;
    json["plan_version"] = package_.header().plan_version;
    json["weights_place"] = to_string(package_.header().weights);
    json["weights_bytes"] = package_.header().weights_bytes;
    json.update(to_json(program_));
    fmt::print("{}\n", json.dump(2));
  }

  void print_summary() {
    const package::PackageHeader& header = package_.header();
    fmt::print("{}: package format {}, plan version {}, by {}\n", options_.file,
               header.format_version, header.plan_version, program_.producer);
    print_values();
    fmt::print("weights: {}, {} {}\n", program_.weights.size(), bytes_text(header.weights_bytes),
               header.weights == package::WeightsPlace::kInside   ? "inside"
               : header.weights == package::WeightsPlace::kBeside ? "beside the package"
                                                                  : "not with the package");
    for (const Plan& plan : program_.plans) {
      const PlanFacts facts = facts_of(plan);
      const MemoryFacts memory = memory_of(program_, plan);
      fmt::print("plan {}: {} launches of {} kernels, {} other steps, {} init steps\n", plan.target,
                 facts.launches, facts.kernels, facts.other_steps, facts.init_steps);
      fmt::print("  memory: arena {} bytes ({}), states {}, derived {}\n",
                 range_text(program_, plan.arena_bytes), memory.arena, bytes_text(memory.states),
                 bytes_text(memory.derived));
      print_states(plan);
    }
  }

  void print_values() {
    fmt::print("inputs:\n");
    for (const program::Input& input : program_.inputs) {
      fmt::print("  {}: {}{}\n", input.name, runtime::describe_input(program_, input),
                 input.mutated ? ", written to" : "");
    }
    fmt::print("outputs:\n");
    for (const program::Output& output : program_.outputs) {
      fmt::print("  {}: {}\n", output.name, describe(output));
    }
    for (const program::Guard& guard : program_.guards) {
      fmt::print("guard: {}\n", guard.text.empty() ? sym::to_string(guard.condition) : guard.text);
    }
  }

  std::string describe(const program::Output& output) const {
    switch (output.kind) {
      case program::OutputKind::kTensor:
        return shape_text(program_, output.dtype, output.sizes);
      case program::OutputKind::kLiteral:
        return "the value " + runtime::to_string(output.literal);
      case program::OutputKind::kScalar:
        return "the integer " + sym::to_string(output.scalar);
      case program::OutputKind::kInput:
        return "the input " + program_.inputs[output.input].name;
    }
    return "";
  }

  void print_states(const Plan& plan) {
    std::string last;
    for (const program::Buffer& buffer : plan.buffers) {
      if (buffer.kind != program::BufferKind::kState) continue;
      const program::Weight& weight = program_.weights[buffer.source];
      if (weight.name == last) continue;
      last = weight.name;
      fmt::print("  state {}: {}\n", weight.name, runtime::describe(weight.dtype, weight.sizes));
    }
  }

  // Calls `print` for the plans asked for.
  template <typename Print>
  void for_plans(Print print) {
    bool found = false;
    for (const Plan& plan : program_.plans) {
      if (!options_.plan_target.empty() && plan.target != options_.plan_target) continue;
      print(plan);
      found = true;
    }
    if (!found) {
      throw CompileError(Diag::kPackageTarget,
                         fmt::format("{} has no plan for {}", options_.file, options_.plan_target));
    }
  }

  void print_plans() {
    fmt::print("{}", print_signature(program_));
    for_plans([this](const Plan& plan) {
      fmt::print("{}", print_plan(program_, plan));
      const PlanFacts facts = facts_of(plan);
      fmt::print("{} launches, {} other steps, {} init steps\n", facts.launches, facts.other_steps,
                 facts.init_steps);
    });
  }

  void print_kernels() {
    for (const program::Kernel& kernel : program_.kernels) fmt::print("{}\n", print_kernel(kernel));
  }

  void print_memory() {
    for_plans([this](const Plan& plan) {
      const MemoryFacts memory = memory_of(program_, plan);
      fmt::print("plan {}\n", plan.target);
      fmt::print("  {:<6} {:<9} {:<5} {:>20} {:>20}  {}\n", "buffer", "kind", "type", "bytes",
                 "offset", "name");
      for (size_t i = 0; i < plan.buffers.size(); ++i) print_buffer(i, plan.buffers[i]);
      fmt::print("  weights {} bytes, stored once\n", memory.weights);
      fmt::print("  derived {} bytes, made of the weights at load\n", memory.derived);
      fmt::print("  states  {} bytes per context\n", memory.states);
      fmt::print("  arena   {} bytes per context: {}\n", range_text(program_, plan.arena_bytes),
                 memory.arena);
    });
  }

  void print_buffer(size_t index, const program::Buffer& buffer) {
    static constexpr const char* kKinds[] = {"input", "output",    "constant",
                                             "state", "temporary", "derived"};
    const bool placed = buffer.kind == program::BufferKind::kTemporary ||
                        buffer.kind == program::BufferKind::kDerived;
    fmt::print("  #{:<5} {:<9} {:<5} {:>20} {:>20}  {}\n", index,
               kKinds[static_cast<size_t>(buffer.kind)], to_string(buffer.dtype),
               range_text(program_, buffer.elements * size_of(buffer.dtype)),
               placed ? range_text(program_, buffer.arena_offset) : "", buffer.name);
  }

  void print_coverage() {
    const std::vector<std::string> images = package_.image_names();
    fmt::print("{:<10} {:>8} {:>10}\n", "target", "kernels", "");
    for (const Plan& plan : program_.plans) {
      const size_t kernels = facts_of(plan).kernels;
      fmt::print("{:<10} {:>8} {:>10}\n", plan.target, kernels,
                 plan.target == "cpu" ? "complete" : fmt::format("{} images", images.size()));
    }
  }

  // Without plans for GPUs the answer is the same for all of them.
  int check_devices() {
    bool has_gpu_plan = false;
    for (const Plan& plan : program_.plans) has_gpu_plan |= plan.target != "cpu";
    if (has_gpu_plan) {
      throw CompileError(Diag::kNotAvailable,
                         "--for: this build of ingot cannot tell which image a GPU would take");
    }
    for (const std::string& device : options_.for_devices) {
      fmt::print("{}: no: the package has plans for the CPU alone\n", device);
    }
    return 1;
  }

  const InspectOptions& options_;
  const package::Package& package_;
  const Program& program_;
};

}  // namespace

int inspect_package(const InspectOptions& options) {
  package::OpenOptions open;
  open.need_weights = false;
  const package::Package package = value_or_throw(package::open_package(options.file, open));
  return PackageInspector(options, package).run();
}

}  // namespace ingot::cli
