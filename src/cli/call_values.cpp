#include "cli/call_values.h"

#include <fmt/core.h>

#include <charconv>

#include "support/diagnostics.h"

namespace ingot::cli {
namespace {

using arrays::Array;
using program::Program;

bool is_ignored(std::string_view name) {
  for (const std::string_view prefix : {"out", "ref", "mut_in"}) {
    if (number_after(name, prefix) >= 0) return true;
  }
  return false;
}

const program::Input* find_input(const Program& program, std::string_view name) {
  for (const program::Input& input : program.inputs) {
    if (input.name == name) return &input;
  }
  return nullptr;
}

}  // namespace

int number_after(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix) || name.size() == prefix.size()) return -1;
  const std::string_view digits = name.substr(prefix.size());
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  return whole && number >= 0 && digits[0] != '+' ? number : -1;
}

bool holds_bits_of(DType stored, DType wanted) {
  const bool is_wide = wanted == DType::kBF16 || wanted == DType::kF16;
  if (is_wide) return stored == DType::kI16 || stored == DType::kU16;
  const bool is_narrow = wanted == DType::kF8E4M3 || wanted == DType::kF8E5M2 ||
                         wanted == DType::kF8E4M3Fnuz || wanted == DType::kF8E5M2Fnuz ||
                         wanted == DType::kF8E8M0;
  return is_narrow && (stored == DType::kI8 || stored == DType::kU8);
}

CallValues inputs_of(std::vector<arrays::NamedArray> arrays, const Program& program,
                     std::string_view file) {
  CallValues values;
  for (arrays::NamedArray& named : arrays) {
    if (find_input(program, named.name) != nullptr) {
      values.push_back({named.name, std::move(named.array)});
      continue;
    }
    const int position = number_after(named.name, "in");
    if (position >= 0 && static_cast<size_t>(position) < program.inputs.size()) {
      values.push_back(
          {program.inputs[static_cast<size_t>(position)].name, std::move(named.array)});
    } else if (!is_ignored(named.name)) {
      throw CompileError(
          Diag::kInputUnknown,
          fmt::format("{} holds '{}', but the model has {} input{} and none of that name", file,
                      named.name, program.inputs.size(), program.inputs.size() == 1 ? "" : "s"));
    }
  }
  return values;
}

void adopt_types(CallValues& values, const Program& program) {
  const std::vector<runtime::Argument> arguments = arguments_of(values);
  runtime::MatchedArguments matched;
  // A call that does not match is refused by the run, with the same words.
  if (!runtime::match_arguments(program, arguments, matched).ok()) return;
  for (size_t i = 0; i < matched.size(); ++i) {
    if (matched[i] == nullptr || !matched[i]->is_tensor) continue;
    CallValue& value = values[static_cast<size_t>(matched[i] - arguments.data())];
    Array& array = std::get<Array>(value.value);
    if (holds_bits_of(array.dtype, program.inputs[i].dtype)) array.dtype = program.inputs[i].dtype;
  }
}

runtime::TensorView view_of(Array& array) {
  return {array.bytes.data(), array.dtype, {}, array.sizes, {}, false};
}

std::vector<runtime::Argument> arguments_of(CallValues& values) {
  std::vector<runtime::Argument> arguments;
  for (CallValue& value : values) {
    runtime::Argument argument;
    argument.name = value.name;
    if (Array* array = std::get_if<Array>(&value.value)) {
      argument.tensor = view_of(*array);
    } else {
      argument.is_tensor = false;
      argument.literal = std::get<program::Literal>(value.value);
    }
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

}  // namespace ingot::cli
