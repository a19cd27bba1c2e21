#include "import/describe.h"

#include <fmt/format.h>

#include <algorithm>

#include "import/description.h"

namespace ingot::pt2 {
namespace {

std::string type_text(const std::string& dtype, const std::vector<std::string>& sizes) {
  return fmt::format("{}[{}]", dtype, fmt::join(sizes, ", "));
}

std::string bytes_text(uint64_t bytes) {
  constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string range_text(const SymbolDescription& symbol) {
  if (symbol.min && symbol.max) {
    return fmt::format("{} in [{}, {}]", symbol.name, *symbol.min, *symbol.max);
  }
  if (symbol.min) return fmt::format("{} >= {}", symbol.name, *symbol.min);
  if (symbol.max) return fmt::format("{} <= {}", symbol.name, *symbol.max);
  return fmt::format("{}: any", symbol.name);
}

void append_leaves(std::string& out, const std::string& title,
                   const std::vector<LeafDescription>& leaves) {
  out += fmt::format("{}: {}\n", title, leaves.size());
  for (const LeafDescription& leaf : leaves) {
    if (leaf.kind == "tensor") {
      out += fmt::format("  {}: {}\n", leaf.name, type_text(leaf.dtype, leaf.sizes));
    } else if (leaf.kind == "number") {
      out += fmt::format("  {}: number {}\n", leaf.name, leaf.value);
    } else {
      out += fmt::format("  {}: constant {}\n", leaf.name, leaf.value);
    }
  }
}

void append_weights(std::string& out, const Description& description, bool list) {
  out += fmt::format("weights: {} in {} records, {}\n", description.weights.size(),
                     description.weight_records, bytes_text(description.weight_bytes));
  if (!list) return;
  for (const WeightDescription& weight : description.weights) {
    out += fmt::format("  {}: {} {}, {}\n", weight.name, weight.kind,
                       type_text(weight.dtype, weight.sizes), bytes_text(weight.bytes));
  }
}

void append_operators(std::string& out, const Description& description) {
  size_t calls = 0;
  size_t missing = 0;
  size_t width = 0;
  for (const OperatorDescription& op : description.operators) {
    calls += op.count;
    missing += op.supported ? 0 : 1;
    width = std::max(width, op.name.size());
  }
  out += fmt::format("operators: {} ({} calls), {}\n", description.operators.size(), calls,
                     missing == 0 ? "all supported" : fmt::format("{} not supported", missing));
  for (const OperatorDescription& op : description.operators) {
    out += fmt::format("  {:<{}}  {:>5}  {}\n", op.name, width, op.count,
                       op.supported ? "supported" : "not supported");
  }
}

void append_lines(std::string& out, const std::string& title,
                  const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  out += title + ":\n";
  for (const std::string& line : lines) out += "  " + line + "\n";
}

}  // namespace

std::string describe(const Archive& archive, const ExportedProgram& program,
                     const DescribeOptions& options) {
  const Description description = make_description(archive, program);
  std::string out =
      fmt::format("exported program '{}' of PyTorch {}, schema {}, {}\n", description.model,
                  description.torch_version, description.schema_version,
                  description.dialect == "training" ? "training IR" : "decomposed (ATen)");
  append_leaves(out, "inputs", description.inputs);
  std::vector<std::string> ranges;
  for (const SymbolDescription& symbol : description.symbols) ranges.push_back(range_text(symbol));
  append_lines(out, "ranges", ranges);
  append_leaves(out, "outputs", description.outputs);
  append_lines(out, "updates", description.updates);
  append_weights(out, description, options.list_weights);
  append_operators(out, description);
  append_lines(out, "guards", description.guards);
  append_lines(out, "warnings", description.warnings);
  return out;
}

}  // namespace ingot::pt2
