#include "runtime/api/open_device.h"

#include <fmt/core.h>

#include <mutex>

#include "runtime/cpu/cpu_device.h"
#include "support/diagnostics.h"

namespace ingot::runtime {
namespace {

// The device with all cores lives as long as somebody uses it.
std::shared_ptr<Device> shared_cpu() {
  static std::mutex mutex;
  static std::weak_ptr<Device> current;
  const std::lock_guard lock(mutex);
  std::shared_ptr<Device> device = current.lock();
  if (device == nullptr) current = device = cpu::create_cpu_device();
  return device;
}

bool is_cuda_name(std::string_view name) {
  if (name == "cuda") return true;
  if (!name.starts_with("cuda:") || name.size() == 5 || name.size() > 8) return false;
  return name.find_first_not_of("0123456789", 5) == std::string_view::npos;
}

}  // namespace

Result<std::shared_ptr<Device>> open_device(std::string_view name, int cpu_threads) {
  if (name == "cpu") {
    return cpu_threads > 0 ? cpu::create_cpu_device(cpu_threads) : shared_cpu();
  }
  if (is_cuda_name(name)) {
    return make_status(Diag::kNoDevice, "this build of ingot has no support for CUDA devices");
  }
  return make_status(Diag::kBadOption,
                     fmt::format("the device '{}' is not one of: cpu, cuda, cuda:N", name));
}

}  // namespace ingot::runtime
