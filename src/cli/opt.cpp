#include <fmt/core.h>

#include "cli/commands.h"
#include "ir/text.h"
#include "ops/op_table.h"
#include "passes/pipeline.h"
#include "support/diagnostics.h"
#include "support/file_map.h"

namespace ingot::cli {

int run_opt(const OptOptions& options) {
  const passes::Pass* pass = passes::find_pass(options.pass);
  if (pass == nullptr) {
    std::string names;
    for (const passes::Pass& known : passes::all_passes()) {
      names += (names.empty() ? "" : ", ") + std::string(known.name);
    }
    throw CompileError(Diag::kBadOption,
                       fmt::format("--pass={}: no such pass; there are: {}", options.pass, names));
  }
  const FileMap file = value_or_throw(FileMap::open(options.file));
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()),
                              file.bytes().size());
  const auto model = ir::parse_model(text, ops::find_operator);
  passes::PassContext context(ops::op_table());
  passes::run_pass(*pass, *model, context);
  for (const std::string& warning : model->warnings) fmt::print(stderr, "warning: {}\n", warning);
  fmt::print("{}", ir::to_string(*model));
  return 0;
}

}  // namespace ingot::cli
