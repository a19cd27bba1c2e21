#include "compiler/compile.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/model_file.h"
#include "cli/program_facts.h"
#include "package/writer.h"
#include "support/atomic_file.h"
#include "support/diagnostics.h"

namespace ingot::cli {
namespace {

// Options of targets and formats that this build has not.
void refuse_unavailable(const CompileOptions& options) {
  const auto refuse = [](bool asked, std::string_view option) {
    if (!asked) return;
    throw CompileError(Diag::kNotAvailable,
                       fmt::format("{} is not available: this build of ingot compiles for the CPU, "
                                   "into packages",
                                   option));
  };
  const bool asks_for_cuda =
      std::find(options.targets.begin(), options.targets.end(), "cuda") != options.targets.end();
  refuse(asks_for_cuda, "--target=cuda");
  refuse(options.arch != "all", "--arch=" + options.arch);
  refuse(options.emit != "ingot", "--emit=" + options.emit);
  refuse(options.precision != "eager", "--precision=" + options.precision);
  refuse(options.freeze, "--freeze");
  refuse(!options.tuning.empty(), "--tuning");
  refuse(!options.toolkit.empty(), "--toolkit");
  refuse(!options.cuda_version.empty(), "--cuda-version");
  refuse(options.platform != "linux", "--platform=" + options.platform);
  refuse(!options.shim_library_path.empty(), "--shim-library-path");
  refuse(!options.specs.empty(), "--spec");
  refuse(!options.emit_dir.empty(), "--emit-dir");
}

passes::FusedAttention fused_attention(const std::string& value) {
  if (value == "on") return passes::FusedAttention::kOn;
  return value == "off" ? passes::FusedAttention::kOff : passes::FusedAttention::kAuto;
}

package::WeightsPlace weights_place(const std::string& value) {
  if (value == "beside") return package::WeightsPlace::kBeside;
  return value == "none" ? package::WeightsPlace::kNone : package::WeightsPlace::kInside;
}

void write_package(const CompileOptions& options, const compiler::Compiled& compiled,
                   const std::string& manifest) {
  package::PackageContents contents;
  contents.program = &compiled.program;
  for (const ir::Storage& storage : compiled.storages) {
    contents.storages.emplace_back(storage.data, storage.bytes);
  }
  contents.manifest = manifest;
  contents.weights = weights_place(options.weights);
  check_ok(package::write_package(options.output, contents));
}

// The archive is mapped while the package is written; and nobody means to lose it.
void refuse_same_file(const CompileOptions& options) {
  std::error_code ignored;
  if (!std::filesystem::equivalent(options.model, options.output, ignored)) return;
  throw CompileError(Diag::kBadOption, "--output is the model itself");
}

}  // namespace

int run_compile(const CompileOptions& options) {
  refuse_unavailable(options);
  refuse_same_file(options);
  if (options.targets.empty()) {
    fmt::print(stderr, "note: compiling for the CPU alone: this build of ingot has no CUDA\n");
  }
  compiler::Options compile;
  compile.fused_attention = fused_attention(options.fused_attention);
  compile.print_after = options.print_after;
  show_progress("compiling " + options.model);
  const compiler::Compiled compiled = compiler::compile_archive(options.model, compile);
  for (const std::string& warning : compiled.warnings) fmt::print(stderr, "warning: {}\n", warning);
  fmt::print("{}", compiled.printed);
  const std::string manifest = to_json(compiled.program).dump(2) + "\n";
  write_package(options, compiled, manifest);
  if (!options.report.empty()) {
    check_ok(write_file(options.report, std::as_bytes(std::span(manifest))));
  }
  for (const program::Plan& plan : compiled.program.plans) {
    const PlanFacts facts = facts_of(plan);
    fmt::print("{}: plan {} with {} launches of {} kernels\n", options.output, plan.target,
               facts.launches, facts.kernels);
  }
  return 0;
}

}  // namespace ingot::cli
