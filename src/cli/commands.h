// The sub-commands: one function, and one file, each.
#pragma once

#include "cli/options.h"

namespace ingot::cli {

// Each returns the exit status (0, or 1 when a check or comparison failed) and throws CompileError
// or InternalError for everything else.
int run_compile(const CompileOptions& options);
int run_run(const RunOptions& options);
int run_verify(const VerifyOptions& options);
int run_bench(const BenchOptions& options);
int run_inspect(const InspectOptions& options);
int run_tune(const TuneOptions& options);
int run_doctor(const DoctorOptions& options);
int run_opt(const OptOptions& options);

// The whole program: parses, runs, reports errors on stderr, returns the exit status.
int run_command_line(int argc, const char* const* argv);

}  // namespace ingot::cli
