#include "cli/program_facts.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <set>

#include "runtime/core/arguments.h"
#include "runtime/core/state.h"

namespace ingot::cli {
namespace {

using Json = nlohmann::ordered_json;
using program::Program;

std::optional<int64_t> limit(int64_t value) {
  if (value == INT64_MIN || value == INT64_MAX) return std::nullopt;
  return value;
}

Json sizes_json(const Program& program, const std::vector<sym::Expr>& sizes) {
  const sym::Ranges ranges = runtime::ranges_of(program);
  Json result = Json::array();
  for (const sym::Expr& size : sizes) {
    if (const auto constant = size.as_const()) {
      result.push_back(*constant);
      continue;
    }
    const sym::Range range = sym::bounds(size, ranges);
    Json entry = {{"expression", sym::to_string(size)}};
    if (limit(range.lo)) entry["min"] = range.lo;
    if (limit(range.hi)) entry["max"] = range.hi;
    result.push_back(std::move(entry));
  }
  return result;
}

Json literal_json(const program::Literal& literal) {
  switch (literal.kind) {
    case program::Literal::Kind::kNone:
      return nullptr;
    case program::Literal::Kind::kBool:
      return literal.int_value != 0;
    case program::Literal::Kind::kInt:
      return literal.int_value;
    case program::Literal::Kind::kFloat:
      return literal.float_value;
    case program::Literal::Kind::kString:
      return literal.string_value;
  }
  return nullptr;
}

Json input_json(const Program& program, const program::Input& input) {
  Json entry = {{"name", input.name}};
  switch (input.kind) {
    case program::InputKind::kTensor:
      entry["dtype"] = to_string(input.dtype);
      entry["sizes"] = sizes_json(program, input.sizes);
      if (input.mutated) entry["mutated"] = true;
      break;
    case program::InputKind::kScalar:
      entry["integer"] = input.symbol;
      break;
    case program::InputKind::kBurnedIn:
      entry["burned_in"] = literal_json(input.literal);
      break;
  }
  return entry;
}

Json output_json(const Program& program, const program::Output& output) {
  Json entry = {{"name", output.name}};
  switch (output.kind) {
    case program::OutputKind::kTensor:
      entry["dtype"] = to_string(output.dtype);
      entry["sizes"] = sizes_json(program, output.sizes);
      break;
    case program::OutputKind::kLiteral:
      entry["value"] = literal_json(output.literal);
      break;
    case program::OutputKind::kScalar:
      entry["integer"] = sym::to_string(output.scalar);
      break;
    case program::OutputKind::kInput:
      entry["input"] = program.inputs[output.input].name;
      break;
  }
  return entry;
}

Json plan_json(const Program& program, const program::Plan& plan) {
  const PlanFacts facts = facts_of(plan);
  const MemoryFacts memory = memory_of(program, plan);
  Json entry = {{"target", plan.target},
                {"launches", facts.launches},
                {"other_steps", facts.other_steps},
                {"init_steps", facts.init_steps},
                {"kernels", facts.kernels},
                {"state_bytes", memory.states},
                {"derived_bytes", memory.derived},
                {"arena_bytes", memory.arena}};
  if (memory.arena_min) entry["arena_bytes_min"] = *memory.arena_min;
  if (memory.arena_max) entry["arena_bytes_max"] = *memory.arena_max;
  Json states = Json::array();
  for (const uint32_t source : runtime::state_weights(plan)) {
    states.push_back(program.weights[source].name);
  }
  entry["states"] = std::move(states);
  return entry;
}

}  // namespace

MemoryFacts memory_of(const Program& program, const program::Plan& plan) {
  MemoryFacts facts;
  for (const program::Storage& storage : program.storages) facts.weights += storage.bytes;
  for (const uint32_t source : runtime::state_weights(plan)) {
    const program::Weight& weight = program.weights[source];
    facts.states +=
        static_cast<uint64_t>(runtime::element_count(weight.sizes) * size_of(weight.dtype));
  }
  facts.derived = static_cast<uint64_t>(plan.derived_bytes.as_const().value_or(0));
  facts.arena = sym::to_string(plan.arena_bytes);
  const sym::Range range = sym::bounds(plan.arena_bytes, runtime::ranges_of(program));
  facts.arena_min = limit(range.lo);
  facts.arena_max = limit(range.hi);
  return facts;
}

PlanFacts facts_of(const program::Plan& plan) {
  PlanFacts facts;
  std::set<program::KernelIndex> kernels;
  for (const program::Step& step : plan.steps) {
    const bool is_launch = step.kind == program::StepKind::kLaunch;
    ++(is_launch ? facts.launches : facts.other_steps);
    if (is_launch) kernels.insert(step.kernel);
  }
  for (const program::Step& step : plan.init) {
    if (step.kind == program::StepKind::kLaunch) kernels.insert(step.kernel);
  }
  facts.init_steps = plan.init.size();
  facts.kernels = kernels.size();
  return facts;
}

std::string range_text(const Program& program, const sym::Expr& expr) {
  return runtime::to_string(sym::bounds(expr, runtime::ranges_of(program)));
}

std::string shape_text(const Program& program, DType dtype, const std::vector<sym::Expr>& sizes) {
  program::Input input;
  input.dtype = dtype;
  input.sizes = sizes;
  return runtime::describe_input(program, input);
}

std::string bytes_text(uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} bytes", bytes);
  double value = static_cast<double>(bytes);
  const char* unit = "";
  for (const char* next : {"kB", "MB", "GB", "TB"}) {
    if (value < 1000) break;
    value /= 1000;
    unit = next;
  }
  return fmt::format("{:.3g} {}", value, unit);
}

Json to_json(const Program& program) {
  Json json;
  json["producer"] = program.producer;
  json["symbols"] = Json::array();
  for (const program::Symbol& symbol : program.symbols) {
    Json entry = {{"name", symbol.name}};
    if (limit(symbol.range.lo)) entry["min"] = symbol.range.lo;
    if (limit(symbol.range.hi)) entry["max"] = symbol.range.hi;
    json["symbols"].push_back(std::move(entry));
  }
  json["inputs"] = Json::array();
  for (const program::Input& input : program.inputs) {
    json["inputs"].push_back(input_json(program, input));
  }
  json["outputs"] = Json::array();
  for (const program::Output& output : program.outputs) {
    json["outputs"].push_back(output_json(program, output));
  }
  json["guards"] = Json::array();
  for (const program::Guard& guard : program.guards) {
    json["guards"].push_back(guard.text.empty() ? sym::to_string(guard.condition) : guard.text);
  }
  json["weights"] = Json::array();
  for (const program::Weight& weight : program.weights) {
    json["weights"].push_back(
        {{"name", weight.name}, {"dtype", to_string(weight.dtype)}, {"sizes", weight.sizes}});
  }
  json["plans"] = Json::array();
  for (const program::Plan& plan : program.plans) {
    json["plans"].push_back(plan_json(program, plan));
  }
  return json;
}

}  // namespace ingot::cli
