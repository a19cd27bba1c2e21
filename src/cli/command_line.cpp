#include <fmt/core.h>

#include <cstdio>
#include <new>

#include "cli/commands.h"
#include "support/diagnostics.h"

namespace ingot::cli {
namespace {

struct Dispatch {
  int operator()(const PrintText& print) const {
    fmt::print("{}", print.text);
    return 0;
  }
  int operator()(const CompileOptions& options) const { return run_compile(options); }
  int operator()(const RunOptions& options) const { return run_run(options); }
  int operator()(const VerifyOptions& options) const { return run_verify(options); }
  int operator()(const BenchOptions& options) const { return run_bench(options); }
  int operator()(const InspectOptions& options) const { return run_inspect(options); }
  int operator()(const TuneOptions& options) const { return run_tune(options); }
  int operator()(const DoctorOptions& options) const { return run_doctor(options); }
  int operator()(const OptOptions& options) const { return run_opt(options); }
};

int exit_status(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      return 0;
    case StatusCode::kInvalidArgument:
      return 2;
    case StatusCode::kInvalidData:
      return 3;
    case StatusCode::kEnvironment:
      return 4;
    case StatusCode::kInternal:
      break;
  }
  return 70;
}

int report(Diag id, std::string message) {
  fmt::print(stderr, "{}\n", to_string(Diagnostic{id, std::move(message), {}}));
  return exit_status(code_of(id));
}

}  // namespace

int run_command_line(int argc, const char* const* argv) {
  try {
    const int status = std::visit(Dispatch(), parse_options(argc, argv));
    if (std::fflush(stdout) != 0) return report(Diag::kFileUnwritable, "cannot write the results");
    return status;
  } catch (const CompileError& error) {
    std::fflush(stdout);
    fmt::print(stderr, "{}\n", error.what());
    return exit_status(code_of(error.diagnostic().id));
  } catch (const InternalError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return exit_status(StatusCode::kInternal);
  } catch (const std::bad_alloc&) {
    return report(Diag::kOutOfMemory, "out of memory");
  } catch (const std::exception& error) {
    return report(Diag::kInternal, fmt::format("internal error: {}", error.what()));
  }
}

}  // namespace ingot::cli
