// A page that shows how long the runs of a model took.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ingot::cli {

struct BenchSummary {
  std::string model;
  std::string device;
  std::vector<double> times_ms;  // in the order of the runs
  double min_ms = 0;
  double p50_ms = 0;
  double p90_ms = 0;
  double p99_ms = 0;
  double mean_ms = 0;
  double load_ms = 0;  // compiling included, for an archive
  double first_run_ms = 0;
  size_t arena_bytes = 0;
};

// One self-contained HTML file: a table and a histogram of the times.
std::string bench_page(const BenchSummary& summary);

}  // namespace ingot::cli
