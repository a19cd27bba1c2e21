#include <fmt/core.h>

#include "program/print.h"

namespace ingot::program {
namespace {

std::string list(std::span<const sym::Expr> exprs) {
  std::string text;
  for (const sym::Expr& expr : exprs) text += (text.empty() ? "" : ", ") + sym::to_string(expr);
  return "[" + text + "]";
}

std::string argument(const BufferArg& arg) {
  if (arg.offset.is_const(0)) return fmt::format("#{}", arg.buffer);
  return fmt::format("#{}+{}", arg.buffer, sym::to_string(arg.offset));
}

std::string arguments(const Step& step) {
  std::string text;
  for (const BufferArg& arg : step.buffers) text += (text.empty() ? "" : ", ") + argument(arg);
  return text;
}

std::string step_text(const Program& program, const Step& step) {
  switch (step.kind) {
    case StepKind::kLaunch: {
      const std::string name = step.kernel < program.kernels.size()
                                   ? kernel_symbol(program.kernels[step.kernel])
                                   : "(no kernel)";
      return fmt::format("launch {}({}){}", name, arguments(step),
                         step.scalars.empty() ? "" : " scalars " + list(step.scalars));
    }
    case StepKind::kCopy:
      return fmt::format("copy {} bytes {}", arguments(step), sym::to_string(step.bytes));
    case StepKind::kFill:
      return fmt::format("fill {} bytes {} with {}", arguments(step), sym::to_string(step.bytes),
                         step.fill);
    case StepKind::kAssert:
      return fmt::format("assert {} \"{}\"", sym::to_string(step.condition), step.message);
    case StepKind::kHostRead:
      return fmt::format("host_read {} = {}", step.symbol, arguments(step));
  }
  return {};
}

void print_steps(const Program& program, const std::vector<Step>& steps, std::string& text) {
  for (size_t i = 0; i < steps.size(); ++i) {
    text += fmt::format("    {}: {}", i, step_text(program, steps[i]));
    const Location* location = find_location(program, steps[i].loc);
    if (location != nullptr && !location->module_path.empty()) {
      text += "  # " + location->module_path;
    }
    text += "\n";
  }
}

std::string literal_text(const Literal& literal) {
  switch (literal.kind) {
    case Literal::Kind::kNone:
      return "None";
    case Literal::Kind::kBool:
      return literal.int_value != 0 ? "True" : "False";
    case Literal::Kind::kInt:
      return fmt::format("{}", literal.int_value);
    case Literal::Kind::kFloat:
      return fmt::format("{}", literal.float_value);
    case Literal::Kind::kString:
      return "\"" + literal.string_value + "\"";
  }
  return {};
}

std::string input_text(const Input& input) {
  switch (input.kind) {
    case InputKind::kTensor:
      return fmt::format("{}{}{}", to_string(input.dtype), list(input.sizes),
                         input.mutated ? " mutated" : "");
    case InputKind::kScalar:
      return "scalar " + input.symbol;
    case InputKind::kBurnedIn:
      return "burned in " + literal_text(input.literal);
  }
  return {};
}

std::string output_text(const Program& program, const Output& output) {
  switch (output.kind) {
    case OutputKind::kTensor:
      return fmt::format("{}{}", to_string(output.dtype), list(output.sizes));
    case OutputKind::kLiteral:
      return literal_text(output.literal);
    case OutputKind::kScalar:
      return "scalar " + sym::to_string(output.scalar);
    case OutputKind::kInput:
      return output.input < program.inputs.size() ? "input " + program.inputs[output.input].name
                                                  : "(no input)";
  }
  return {};
}

std::string bound(int64_t value) {
  if (value == INT64_MIN) return "-inf";
  return value == INT64_MAX ? "inf" : fmt::format("{}", value);
}

}  // namespace

std::string print_plan(const Program& program, const Plan& plan) {
  std::string text =
      fmt::format("plan {} arena {} bytes derived {} bytes\n", plan.target,
                  sym::to_string(plan.arena_bytes), sym::to_string(plan.derived_bytes));
  text += "  buffers:\n";
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    const Buffer& buffer = plan.buffers[i];
    text += fmt::format("    #{}: {} {} {}[{}]", i, to_string(buffer.kind), buffer.name,
                        to_string(buffer.dtype), sym::to_string(buffer.elements));
    if (in_arena(buffer.kind)) text += " at " + sym::to_string(buffer.arena_offset);
    text += "\n";
  }
  if (!plan.init.empty()) text += "  init:\n";
  print_steps(program, plan.init, text);
  text += "  steps:\n";
  print_steps(program, plan.steps, text);
  return text;
}

std::string print_signature(const Program& program) {
  std::string text;
  for (const Symbol& symbol : program.symbols) {
    text += fmt::format("symbol {} in [{}, {}]\n", symbol.name, bound(symbol.range.lo),
                        bound(symbol.range.hi));
  }
  for (const Input& input : program.inputs) {
    text += fmt::format("input {}: {}\n", input.name, input_text(input));
  }
  for (const Output& output : program.outputs) {
    text += fmt::format("output {}: {}\n", output.name, output_text(program, output));
  }
  for (const Guard& guard : program.guards) {
    text += fmt::format("guard {}  # {}\n", sym::to_string(guard.condition), guard.text);
  }
  return text;
}

std::string print_all(const Program& program) {
  std::string text = print_signature(program);
  for (const Kernel& kernel : program.kernels) text += "\n" + print_kernel(kernel);
  for (const Plan& plan : program.plans) text += "\n" + print_plan(program, plan);
  return text;
}

}  // namespace ingot::program
