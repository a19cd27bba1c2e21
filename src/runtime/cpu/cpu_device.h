// The CPU as a device: executes the kernel IR of any target's plan, at once and in place.
#pragma once

#include <memory>

#include "runtime/core/device.h"

namespace ingot::runtime::cpu {

// A device with its own threads. `threads` below 1 means default_thread_count().
std::shared_ptr<Device> create_cpu_device(int threads = 0);

}  // namespace ingot::runtime::cpu
