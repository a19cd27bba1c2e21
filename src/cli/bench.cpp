#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/bench_page.h"
#include "cli/commands.h"
#include "cli/model_file.h"
#include "cli/sample_inputs.h"
#include "runtime/core/context.h"
#include "support/atomic_file.h"
#include "support/diagnostics.h"

namespace ingot::cli {
namespace {

using Clock = std::chrono::steady_clock;

double ms_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double, std::milli>(end - begin).count();
}

std::string describe_value(const CallValue& value) {
  if (const auto* array = std::get_if<arrays::Array>(&value.value)) {
    return runtime::describe(array->dtype, array->sizes);
  }
  return runtime::to_string(std::get<program::Literal>(value.value));
}

// Runs again and again with the same inputs, into tensors that the context lends.
class Measurement {
 public:
  Measurement(runtime::Context& context, CallValues& values)
      : context_(context),
        arguments_(arguments_of(values)),
        slots_(context.loaded().program().outputs.size()) {}

  // At least one run, then for as long as it takes.
  void warm_up(double milliseconds) {
    const Clock::time_point begin = Clock::now();
    do {
      run_once();
    } while (ms_between(begin, Clock::now()) < milliseconds);
  }

  // Times of the single runs, in milliseconds, in their order.
  std::vector<double> measure(double seconds) {
    std::vector<double> times;
    const Clock::time_point begin = Clock::now();
    Clock::time_point last = begin;
    do {
      run_once();
      const Clock::time_point now = Clock::now();
      times.push_back(ms_between(last, now));
      last = now;
    } while (ms_between(begin, last) < seconds * 1e3);
    return times;
  }

 private:
  void run_once() {
    check_ok(context_.run(arguments_, slots_));
    for (runtime::OutputSlot& slot : slots_) slot.tensor.reset();
  }

  runtime::Context& context_;
  std::vector<runtime::Argument> arguments_;
  std::vector<runtime::OutputSlot> slots_;
};

BenchSummary summarise(std::vector<double> times) {
  BenchSummary summary;
  summary.times_ms = times;
  std::sort(times.begin(), times.end());
  const auto at = [&times](double share) {
    return times[static_cast<size_t>(share * static_cast<double>(times.size() - 1) + 0.5)];
  };
  summary.min_ms = times.front();
  summary.p50_ms = at(0.5);
  summary.p90_ms = at(0.9);
  summary.p99_ms = at(0.99);
  for (const double time : times) summary.mean_ms += time / static_cast<double>(times.size());
  return summary;
}

void write_text(const std::string& path, const std::string& text) {
  check_ok(write_file(path, std::as_bytes(std::span(text))));
}

std::string to_json(const BenchSummary& summary, const CallValues& values) {
  nlohmann::ordered_json json;
  json["model"] = summary.model;
  json["device"] = summary.device;
  for (const CallValue& value : values) json["inputs"][value.name] = describe_value(value);
  json["runs"] = summary.times_ms.size();
  json["min_ms"] = summary.min_ms;
  json["p50_ms"] = summary.p50_ms;
  json["p90_ms"] = summary.p90_ms;
  json["p99_ms"] = summary.p99_ms;
  json["mean_ms"] = summary.mean_ms;
  json["first_run_ms"] = summary.first_run_ms;
  json["load_ms"] = summary.load_ms;
  json["arena_bytes"] = summary.arena_bytes;
  return json.dump(2) + "\n";
}

void print_summary(const BenchSummary& summary, const CallValues& values) {
  fmt::print("device  {}\n", summary.device);
  for (const CallValue& value : values) {
    fmt::print("input   {}: {}\n", value.name, describe_value(value));
  }
  fmt::print("load    {:.1f} ms, first run {:.3f} ms, arena {} bytes\n", summary.load_ms,
             summary.first_run_ms, summary.arena_bytes);
  fmt::print("runs    {}\n", summary.times_ms.size());
  fmt::print("min     {:.4f} ms\np50     {:.4f} ms\np90     {:.4f} ms\np99     {:.4f} ms\n",
             summary.min_ms, summary.p50_ms, summary.p90_ms, summary.p99_ms);
}

}  // namespace

int run_bench(const BenchOptions& options) {
  const Clock::time_point begin = Clock::now();
  const auto program = load_model(options.model, options.device);
  const auto context = value_or_throw(runtime::Context::create(program));
  const Clock::time_point loaded = Clock::now();
  CallValues values =
      complete_inputs(parse_inputs(options.inputs, program->program()), program->program());
  Measurement measurement(*context, values);
  const Clock::time_point before_first = Clock::now();
  measurement.warm_up(0);
  const double first_run_ms = ms_between(before_first, Clock::now());
  measurement.warm_up(options.warmup_ms);
  show_progress("measuring");
  BenchSummary summary = summarise(measurement.measure(options.duration_s));
  summary.model = options.model;
  summary.device = program->device()->description();
  summary.load_ms = ms_between(begin, loaded);
  summary.first_run_ms = first_run_ms;
  summary.arena_bytes = context->arena_bytes();
  print_summary(summary, values);
  if (!options.json.empty()) write_text(options.json, to_json(summary, values));
  if (!options.html.empty()) write_text(options.html, bench_page(summary));
  return 0;
}

}  // namespace ingot::cli
