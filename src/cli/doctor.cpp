#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "cli/commands.h"
#include "package/header.h"
#include "program/codec.h"
#include "runtime/api/open_device.h"

namespace ingot::cli {
namespace {

// One thing looked at: whether it works, and what was found or why not.
struct Finding {
  std::string name;
  bool works = false;
  std::string text;
};

Finding look_at_device(const std::string& name) {
  const Result<std::shared_ptr<runtime::Device>> device = runtime::open_device(name);
  if (!device.ok()) return {name, false, device.status().message()};
  return {name, true, (*device)->description()};
}

std::string instruction_sets() {
#if defined(__x86_64__)
  std::string sets = "sse2";
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx")) sets += ", avx";
  if (__builtin_cpu_supports("avx2")) sets += ", avx2";
  if (__builtin_cpu_supports("fma")) sets += ", fma";
  if (__builtin_cpu_supports("avx512f")) sets += ", avx512f";
  if (__builtin_cpu_supports("avx512bw")) sets += ", avx512bw";
  if (__builtin_cpu_supports("avx512vnni")) sets += ", avx512vnni";
  return "x86-64: " + sets;
#elif defined(__aarch64__)
  return "aarch64: neon";
#else
  return "unknown";
#endif
}

std::vector<Finding> look_around() {
  return {{"ingot", true,
           fmt::format("{}, package format {}, plan version {}", INGOT_VERSION,
                       package::kFormatVersion, program::kPlanVersion)},
          {"processor", true,
           fmt::format("{}; {} threads at a time", instruction_sets(),
                       std::thread::hardware_concurrency())},
          look_at_device("cpu"),
          look_at_device("cuda")};
}

}  // namespace

int run_doctor(const DoctorOptions& options) {
  const std::vector<Finding> findings = look_around();
  if (options.json) {
    nlohmann::ordered_json json;
    for (const Finding& finding : findings) {
      json[finding.name] = {{"works", finding.works}, {"text", finding.text}};
    }
    fmt::print("{}\n", json.dump(2));
    return 0;
  }
  for (const Finding& finding : findings) {
    fmt::print("{:<5} {:<10} {}\n", finding.works ? "ok" : "no", finding.name, finding.text);
  }
  return 0;
}

}  // namespace ingot::cli
