#include "cli/bench_page.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace ingot::cli {
namespace {

constexpr int kBars = 60;
constexpr int kBarWidth = 10;
constexpr int kHeight = 200;

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else {
      result += c;
    }
  }
  return result;
}

// Times from the smallest to the 99th percentile; slower ones count in the last bar.
std::string histogram(const BenchSummary& summary) {
  const double span = std::max(summary.p99_ms - summary.min_ms, 1e-9);
  std::vector<int> counts(kBars, 0);
  for (const double time : summary.times_ms) {
    const double place = (time - summary.min_ms) / span * kBars;
    ++counts[static_cast<size_t>(std::clamp(place, 0.0, kBars - 1.0))];
  }
  const int most = *std::max_element(counts.begin(), counts.end());
  std::string svg = fmt::format("<svg width=\"{}\" height=\"{}\">\n", kBars * kBarWidth, kHeight);
  for (int i = 0; i < kBars; ++i) {
    const int height = counts[static_cast<size_t>(i)] * kHeight / most;
    svg += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#47a\"><title>from {:.4f} ms: "
        "{} runs</title></rect>\n",
        i * kBarWidth, kHeight - height, kBarWidth - 1, height, summary.min_ms + span * i / kBars,
        counts[static_cast<size_t>(i)]);
  }
  return svg + "</svg>\n";
}

}  // namespace

std::string bench_page(const BenchSummary& summary) {
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>{0}</title>\n"
      "<style>body {{ font-family: sans-serif }} td {{ padding-right: 2em }}</style></head>\n"
      "<body><h1>{0}</h1>\n<p>{1}, {2} runs</p>\n<table>\n",
      escaped(summary.model), escaped(summary.device), summary.times_ms.size());
  const std::pair<const char*, double> rows[] = {{"min", summary.min_ms},
                                                 {"p50", summary.p50_ms},
                                                 {"p90", summary.p90_ms},
                                                 {"p99", summary.p99_ms},
                                                 {"mean", summary.mean_ms},
                                                 {"load", summary.load_ms},
                                                 {"first run", summary.first_run_ms}};
  for (const auto& [name, value] : rows) {
    page += fmt::format("<tr><td>{}</td><td>{:.4f} ms</td></tr>\n", name, value);
  }
  page += fmt::format("</table>\n<p>{:.4f} ms to {:.4f} ms</p>\n", summary.min_ms, summary.p99_ms);
  return page + histogram(summary) + "</body></html>\n";
}

}  // namespace ingot::cli
