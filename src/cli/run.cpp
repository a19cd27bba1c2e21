#include <fmt/core.h>

#include "cli/call_results.h"
#include "cli/commands.h"
#include "cli/format_array.h"
#include "cli/model_file.h"
#include "support/diagnostics.h"

namespace ingot::cli {
namespace {

void print_result(const CallResult& result) {
  if (const auto* literal = std::get_if<program::Literal>(&result.value)) {
    fmt::print("{} = {}\n", result.name, runtime::to_string(*literal));
    return;
  }
  const auto& array = std::get<arrays::Array>(result.value);
  fmt::print("{}: {}\n{}\n", result.name, runtime::describe(array.dtype, array.sizes),
             format_array(array));
}

// The file that `--output` names.
std::string output_path(const std::string& option) {
  const bool well_formed =
      option.starts_with('@') && (option.ends_with(".npy") || option.ends_with(".npz"));
  if (well_formed) return option.substr(1);
  throw CompileError(Diag::kBadOption,
                     fmt::format("--output {}: not of the form @file.npy or @file.npz", option));
}

void save_results(const std::vector<CallResult>& results, const std::string& path) {
  std::vector<arrays::NamedArray> arrays;
  for (size_t i = 0; i < results.size(); ++i) {
    std::optional<arrays::Array> array = array_of(results[i]);
    if (array) arrays.push_back({fmt::format("out{}", i), std::move(*array)});
  }
  if (path.ends_with(".npz")) return check_ok(arrays::write_npz(path, arrays));
  if (arrays.size() != 1) {
    throw CompileError(Diag::kBadOption,
                       fmt::format("--output @{}: the model has {} outputs that are arrays; a .npz "
                                   "file holds several",
                                   path, arrays.size()));
  }
  check_ok(arrays::write_npy(path, arrays.front().array));
}

}  // namespace

int run_run(const RunOptions& options) {
  const std::string path = options.output.empty() ? "" : output_path(options.output);
  const auto program = load_model(options.model, options.device);
  CallValues values = parse_inputs(options.inputs, program->program());
  const auto context = value_or_throw(runtime::Context::create(program));
  const std::vector<CallResult> results = run_call(*context, values);
  if (!path.empty()) {
    save_results(results, path);
    return 0;
  }
  for (const CallResult& result : results) print_result(result);
  return 0;
}

}  // namespace ingot::cli
