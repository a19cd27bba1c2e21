#include "cli/inspect.h"

#include "cli/commands.h"
#include "cli/model_file.h"

namespace ingot::cli {

int run_inspect(const InspectOptions& options) {
  return kind_of_file(options.file) == FileKind::kPackage ? inspect_package(options)
                                                          : inspect_archive(options);
}

}  // namespace ingot::cli
