// Packages as program sources.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "runtime/core/loaded_program.h"

namespace ingot::runtime {

// Maps the package; its weights are used where they lie. `weights_path` names the weights file,
// when it is not the one that the package expects.
Result<ProgramSource> read_package(const std::string& path, const std::string& weights_path = {});

// `file` must outlive everything made from the result.
Result<ProgramSource> read_package_bytes(std::span<const std::byte> file);

}  // namespace ingot::runtime
