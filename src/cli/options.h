// What each sub-command is asked to do; filled by parse_options.cpp.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ingot::cli {

struct CompileOptions {
  std::string model;
  std::string output;
  std::string arch = "all";
  bool no_ptx = false;
  std::vector<std::string> targets;  // empty: cuda and cpu
  std::string emit = "ingot";
  std::string fused_attention = "auto";
  std::string precision = "eager";
  std::string weights = "inside";
  bool freeze = false;
  std::vector<std::string> tuning;
  std::string toolkit;
  std::string cuda_version;
  std::string platform = "linux";
  std::string shim_library_path;
  std::vector<std::string> specs;  // KEY=VALUE
  std::string print_after;
  std::string emit_dir;
  std::string report;
  bool no_cache = false;
  int jobs = 0;  // 0: all cores
};

struct RunOptions {
  std::string model;
  std::vector<std::string> inputs;
  std::string output;
  std::string device;  // empty: the first usable GPU, else the CPU
};

struct VerifyOptions {
  std::string model;
  std::string expected;
  std::string device;
  std::optional<double> rtol;
  std::optional<double> atol;
};

struct BenchOptions {
  std::string model;
  std::vector<std::string> inputs;
  std::string device;
  double warmup_ms = 200;
  double duration_s = 3;
  bool no_cuda_graph = false;
  std::string json;
  std::string html;
};

struct InspectOptions {
  std::string file;
  bool json = false;
  bool kernels = false;
  bool plan = false;
  std::string plan_target;  // empty: all
  bool graph = false;
  bool coverage = false;
  bool memory = false;
  bool ops = false;
  std::vector<std::string> for_devices;
};

struct TuneOptions {
  std::string model;
  std::string output;
  std::string device;
};

struct DoctorOptions {
  bool json = false;
};

struct OptOptions {
  std::string pass;
  std::string file;
};

// A text to print instead of running a command: help or the version.
struct PrintText {
  std::string text;
};

using Options = std::variant<PrintText, CompileOptions, RunOptions, VerifyOptions, BenchOptions,
                             InspectOptions, TuneOptions, DoctorOptions, OptOptions>;

// Throws CompileError (kBadOption) for wrong usage.
Options parse_options(int argc, const char* const* argv);

}  // namespace ingot::cli
