// The two kinds of files that `inspect` shows.
#pragma once

#include "cli/options.h"

namespace ingot::cli {

// Both print to stdout and return the exit status.
int inspect_package(const InspectOptions& options);
int inspect_archive(const InspectOptions& options);

}  // namespace ingot::cli
