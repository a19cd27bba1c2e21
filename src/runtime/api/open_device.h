// Devices by the names that users write.
#pragma once

#include <memory>
#include <string_view>

#include "runtime/core/device.h"

namespace ingot::runtime {

// "cpu", "cuda" or "cuda:N". `cpu_threads` 0 means all cores; the CPU with all cores is shared by
// everyone in the process.
Result<std::shared_ptr<Device>> open_device(std::string_view name, int cpu_threads = 0);

}  // namespace ingot::runtime
