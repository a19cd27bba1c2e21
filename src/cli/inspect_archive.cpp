#include <fmt/core.h>

#include "cli/inspect.h"
#include "import/archive.h"
#include "import/describe.h"
#include "import/description.h"
#include "import/import_model.h"
#include "ir/text.h"
#include "support/diagnostics.h"

namespace ingot::cli {
namespace {

void print_operators(const pt2::Description& description) {
  for (const pt2::OperatorDescription& op : description.operators) {
    fmt::print("{:>5}  {}{}\n", op.count, op.name, op.supported ? "" : "  (not supported)");
  }
}

}  // namespace

int inspect_archive(const InspectOptions& options) {
  if (options.plan || options.kernels || options.memory || options.coverage ||
      !options.for_devices.empty()) {
    throw CompileError(
        Diag::kBadOption,
        "--plan, --kernels, --memory, --coverage and --for are for packages: compile the archive");
  }
  if (options.graph) {
    fmt::print("{}", ir::to_string(*pt2::import_file(options.file)));
    return 0;
  }
  const std::shared_ptr<const pt2::Archive> archive = pt2::Archive::open(options.file);
  // Only the first is compiled; the description lists the names of the others.
  const pt2::ExportedProgram program =
      pt2::read_exported_program(*archive, archive->models().front());
  if (options.json) {
    fmt::print("{}\n", pt2::describe_json(*archive, program));
  } else if (options.ops) {
    print_operators(pt2::make_description(*archive, program));
  } else {
    fmt::print("{}", pt2::describe(*archive, program));
  }
  return 0;
}

}  // namespace ingot::cli
