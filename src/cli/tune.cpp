#include "cli/commands.h"
#include "cli/model_file.h"
#include "support/diagnostics.h"

namespace ingot::cli {

int run_tune(const TuneOptions& options) {
  // Measuring needs the GPU, so its absence is what the user must hear first.
  const auto device = open_device(options.device.empty() ? "cuda" : options.device);
  throw CompileError(Diag::kNotAvailable, "tuning is for CUDA devices; " + device->description() +
                                              " has nothing to tune");
}

}  // namespace ingot::cli
