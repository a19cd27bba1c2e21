#include "cli/call_results.h"

#include <cstring>

#include "cli/elements.h"
#include "support/diagnostics.h"

namespace ingot::cli {
namespace {

arrays::Array copy_of(const runtime::TensorView& tensor) {
  const auto bytes =
      static_cast<size_t>(runtime::element_count(tensor.sizes) * size_of(tensor.dtype));
  arrays::Array array{tensor.dtype, {tensor.sizes.begin(), tensor.sizes.end()}, {}};
  array.bytes.resize(bytes);
  if (bytes > 0) std::memcpy(array.bytes.data(), tensor.data, bytes);
  return array;
}

}  // namespace

std::vector<CallResult> run_call(runtime::Context& context, CallValues& values) {
  const program::Program& program = context.loaded().program();
  const std::vector<runtime::Argument> arguments = arguments_of(values);
  std::vector<runtime::OutputSlot> slots(program.outputs.size());
  check_ok(context.run(arguments, slots));
  runtime::MatchedArguments matched;
  check_ok(runtime::match_arguments(program, arguments, matched));
  std::vector<CallResult> results;
  for (size_t i = 0; i < slots.size(); ++i) {
    const program::Output& output = program.outputs[i];
    switch (output.kind) {
      case program::OutputKind::kTensor:
        results.push_back({output.name, copy_of(slots[i].tensor->view())});
        break;
      case program::OutputKind::kInput:
        results.push_back({output.name, copy_of(matched[output.input]->tensor)});
        break;
      case program::OutputKind::kLiteral:
      case program::OutputKind::kScalar:
        results.push_back({output.name, std::move(slots[i].literal)});
        break;
    }
  }
  return results;
}

std::optional<arrays::Array> array_of(const CallResult& result) {
  if (const auto* array = std::get_if<arrays::Array>(&result.value)) return *array;
  const auto& literal = std::get<program::Literal>(result.value);
  switch (literal.kind) {
    case program::Literal::Kind::kBool:
      return scalar_array(literal.int_value != 0);
    case program::Literal::Kind::kInt:
      return scalar_array(literal.int_value);
    case program::Literal::Kind::kFloat:
      return scalar_array(literal.float_value);
    case program::Literal::Kind::kNone:
    case program::Literal::Kind::kString:
      break;
  }
  return std::nullopt;
}

}  // namespace ingot::cli
