#include "runtime/core/arguments.h"

#include <fmt/core.h>

#include "support/diagnostics.h"

namespace ingot::runtime {
namespace {

using program::Input;
using program::InputKind;
using program::Literal;
using program::Program;

bool must_be_given(const Input& input) { return input.kind != InputKind::kBurnedIn; }

std::string input_names(const Program& program) {
  std::string names;
  for (const Input& input : program.inputs) {
    if (!names.empty()) names += ", ";
    names += input.name;
  }
  return names.empty() ? "none" : names;
}

size_t find_input(const Program& program, std::string_view name) {
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    if (program.inputs[i].name == name) return i;
  }
  return program.inputs.size();
}

Status match_named(const Program& program, std::span<const Argument> arguments,
                   MatchedArguments& matched) {
  for (const Argument& argument : arguments) {
    if (argument.name.empty()) continue;
    const size_t position = find_input(program, argument.name);
    if (position == program.inputs.size()) {
      return make_status(Diag::kInputUnknown, fmt::format("the model has no input '{}'; it has: {}",
                                                          argument.name, input_names(program)));
    }
    if (matched[position] != nullptr) {
      return make_status(Diag::kInputUnknown,
                         fmt::format("input '{}' is given twice", argument.name));
    }
    matched[position] = &argument;
  }
  return ok_status();
}

Status match_positional(const Program& program, std::span<const Argument> arguments,
                        MatchedArguments& matched) {
  size_t given = 0;
  for (const Argument& argument : arguments) given += argument.name.empty();
  size_t open = 0;
  size_t needed = 0;
  for (size_t i = 0; i < matched.size(); ++i) {
    if (matched[i] != nullptr) continue;
    ++open;
    needed += must_be_given(program.inputs[i]);
  }
  if (given > open) {
    return make_status(Diag::kInputUnknown,
                       fmt::format("{} inputs are given, the model takes {}: {}", arguments.size(),
                                   program.inputs.size(), input_names(program)));
  }
  const bool skip_burned_in = given == needed;
  size_t position = 0;
  for (const Argument& argument : arguments) {
    if (!argument.name.empty()) continue;
    while (matched[position] != nullptr ||
           (skip_burned_in && !must_be_given(program.inputs[position]))) {
      ++position;
    }
    matched[position++] = &argument;
  }
  return ok_status();
}

// The Python value that a literal, or a host tensor without dimensions, holds.
bool read_scalar(const Argument& argument, Literal& value) {
  if (!argument.is_tensor) {
    value = argument.literal;
    return true;
  }
  const TensorView& tensor = argument.tensor;
  if (tensor.rank() != 0 || tensor.device.type == 2 || tensor.data == nullptr) return false;
  const auto read = [&tensor]<typename T>(T) {
    T element;
    __builtin_memcpy(&element, tensor.data, sizeof element);
    return element;
  };
  const auto set_int = [&value](int64_t number) {
    value.kind = Literal::Kind::kInt;
    value.int_value = number;
    return true;
  };
  const auto set_float = [&value](double number) {
    value.kind = Literal::Kind::kFloat;
    value.float_value = number;
    return true;
  };
  switch (tensor.dtype) {
    case DType::kBool:
      value.kind = Literal::Kind::kBool;
      value.int_value = read(uint8_t{}) != 0;
      return true;
    case DType::kU8:
      return set_int(read(uint8_t{}));
    case DType::kI8:
      return set_int(read(int8_t{}));
    case DType::kI16:
      return set_int(read(int16_t{}));
    case DType::kI32:
      return set_int(read(int32_t{}));
    case DType::kI64:
      return set_int(read(int64_t{}));
    case DType::kF32:
      return set_float(read(float{}));
    case DType::kF64:
      return set_float(read(double{}));
    default:
      return false;
  }
}

// Python's `==` between numbers; other kinds compare by kind and value. A 32-bit array stands for
// the double it was rounded from.
bool equal_values(const Literal& expected, const Literal& given, bool given_is_f32) {
  using Kind = Literal::Kind;
  const auto is_number = [](const Literal& v) {
    return v.kind == Kind::kBool || v.kind == Kind::kInt || v.kind == Kind::kFloat;
  };
  if (!is_number(expected) || !is_number(given)) {
    return expected.kind == given.kind && expected.string_value == given.string_value;
  }
  const bool expected_is_float = expected.kind == Kind::kFloat;
  const bool given_is_float = given.kind == Kind::kFloat;
  if (!expected_is_float && !given_is_float) return expected.int_value == given.int_value;
  const auto number = [](const Literal& v) {
    return v.kind == Kind::kFloat ? v.float_value : static_cast<double>(v.int_value);
  };
  const double a = number(expected);
  const double b = number(given);
  if (given_is_f32 && static_cast<float>(a) == static_cast<float>(b)) return true;
  return a == b || (a != a && b != b);
}

Status check_burned_in(const Input& input, const Argument& argument) {
  Literal value;
  if (!read_scalar(argument, value)) {
    return make_status(
        Diag::kInputDtype,
        fmt::format("input '{}' is a tensor {}; the export burned in the value {}", input.name,
                    describe(argument.tensor.dtype, argument.tensor.sizes),
                    to_string(input.literal)));
  }
  const bool is_f32 = argument.is_tensor && argument.tensor.dtype == DType::kF32;
  if (equal_values(input.literal, value, is_f32)) return ok_status();
  return make_status(
      Diag::kInputValue,
      fmt::format("input '{}' is {}; the export burned in {}, the only value allowed", input.name,
                  to_string(value), to_string(input.literal)));
}

Status check_scalar(const Input& input, const Argument& argument, std::vector<int64_t>& key) {
  Literal value;
  const bool readable = read_scalar(argument, value);
  if (!readable || (value.kind != Literal::Kind::kInt && value.kind != Literal::Kind::kBool)) {
    const std::string given =
        readable ? to_string(value)
                 : "a tensor " + describe(argument.tensor.dtype, argument.tensor.sizes);
    return make_status(
        Diag::kInputDtype,
        fmt::format("input '{}' is {}; the model takes an integer", input.name, given));
  }
  key.push_back(value.int_value);
  return ok_status();
}

Status check_tensor(const Program& program, const Input& input, const Argument& argument,
                    DeviceId device) {
  const std::string wanted = describe_input(program, input);
  if (!argument.is_tensor) {
    return make_status(Diag::kInputDtype,
                       fmt::format("input '{}' is the value {}; the model takes a tensor {}",
                                   input.name, to_string(argument.literal), wanted));
  }
  const TensorView& tensor = argument.tensor;
  const std::string given = describe(tensor.dtype, tensor.sizes);
  if (tensor.device != device) {
    return make_status(Diag::kInputDevice,
                       fmt::format("input '{}' is on {}; the program runs on {}", input.name,
                                   to_string(tensor.device), to_string(device)));
  }
  if (tensor.dtype != input.dtype) {
    return make_status(
        Diag::kInputDtype,
        fmt::format("input '{}' is {} with element type {}; the model takes {}: {}", input.name,
                    given, to_string(tensor.dtype), to_string(input.dtype), wanted));
  }
  if (tensor.rank() != input.sizes.size()) {
    return make_status(Diag::kInputShape,
                       fmt::format("input '{}' is {} with {} dimension{}; the model takes {}: {}",
                                   input.name, given, tensor.rank(), tensor.rank() == 1 ? "" : "s",
                                   input.sizes.size(), wanted));
  }
  if (input.mutated && tensor.read_only) {
    return make_status(
        Diag::kInputValue,
        fmt::format("input '{}' is read-only, but the model writes to it", input.name));
  }
  if (tensor.data == nullptr && element_count(tensor.sizes) != 0) {
    return make_status(Diag::kInputValue,
                       fmt::format("input '{}' is {} without data", input.name, given));
  }
  return ok_status();
}

bool tensor_fits(const Input& input, const Argument& argument, DeviceId device) {
  const TensorView& tensor = argument.tensor;
  return argument.is_tensor && tensor.device == device && tensor.dtype == input.dtype &&
         tensor.rank() == input.sizes.size() && !(input.mutated && tensor.read_only) &&
         tensor.data != nullptr;
}

}  // namespace

Status match_arguments(const Program& program, std::span<const Argument> arguments,
                       MatchedArguments& matched) {
  matched.assign(program.inputs.size(), nullptr);
  INGOT_RETURN_IF_ERROR(match_named(program, arguments, matched));
  INGOT_RETURN_IF_ERROR(match_positional(program, arguments, matched));
  for (size_t i = 0; i < matched.size(); ++i) {
    const Input& input = program.inputs[i];
    if (matched[i] == nullptr && must_be_given(input)) {
      return make_status(Diag::kInputMissing,
                         fmt::format("input '{}' is not given; the model takes {}", input.name,
                                     describe_input(program, input)));
    }
  }
  return ok_status();
}

Status check_types(const Program& program, DeviceId device, const MatchedArguments& matched,
                   std::vector<int64_t>& key) {
  for (size_t i = 0; i < matched.size(); ++i) {
    if (matched[i] == nullptr) continue;
    const Input& input = program.inputs[i];
    const Argument& argument = *matched[i];
    switch (input.kind) {
      case InputKind::kBurnedIn:
        INGOT_RETURN_IF_ERROR(check_burned_in(input, argument));
        break;
      case InputKind::kScalar:
        INGOT_RETURN_IF_ERROR(check_scalar(input, argument, key));
        break;
      case InputKind::kTensor:
        // The fast test first: the slow one prepares texts.
        if (!tensor_fits(input, argument, device)) {
          INGOT_RETURN_IF_ERROR(check_tensor(program, input, argument, device));
        }
        key.insert(key.end(), argument.tensor.sizes.begin(), argument.tensor.sizes.end());
        break;
    }
  }
  return ok_status();
}

int64_t integer_argument(const Argument& argument) {
  Literal value;
  read_scalar(argument, value);
  return value.int_value;
}

std::string to_string(const Literal& literal) {
  switch (literal.kind) {
    case Literal::Kind::kNone:
      return "None";
    case Literal::Kind::kBool:
      return literal.int_value != 0 ? "True" : "False";
    case Literal::Kind::kInt:
      return std::to_string(literal.int_value);
    case Literal::Kind::kFloat:
      return fmt::format("{}", literal.float_value);
    case Literal::Kind::kString:
      return "'" + literal.string_value + "'";
  }
  return {};
}

std::string to_string(const sym::Range& range) {
  const bool below = range.lo != INT64_MIN;
  const bool above = range.hi != INT64_MAX;
  if (below && above) {
    return range.lo == range.hi ? std::to_string(range.lo)
                                : fmt::format("{} to {}", range.lo, range.hi);
  }
  if (below) return fmt::format("at least {}", range.lo);
  return above ? fmt::format("at most {}", range.hi) : "any";
}

sym::Ranges ranges_of(const Program& program) {
  sym::Ranges ranges;
  for (const program::Symbol& symbol : program.symbols) ranges[symbol.name] = symbol.range;
  return ranges;
}

std::string describe_input(const Program& program, const Input& input) {
  if (input.kind == InputKind::kBurnedIn) return "the value " + to_string(input.literal);
  const sym::Ranges ranges = ranges_of(program);
  if (input.kind == InputKind::kScalar) {
    return fmt::format("an integer, {}",
                       to_string(sym::bounds(sym::Expr::symbol(input.symbol), ranges)));
  }
  std::string text;
  for (const sym::Expr& size : input.sizes) {
    if (const auto constant = size.as_const()) {
      text += std::to_string(*constant) + "x";
    } else {
      text += "[" + to_string(sym::bounds(size, ranges)) + "]x";
    }
  }
  return text += to_string(input.dtype);
}

std::string to_string(DeviceId device) {
  switch (device.type) {
    case 1:
      return "cpu";
    case 2:
      return fmt::format("cuda:{}", device.index);
    default:
      return fmt::format("device {}:{}", device.type, device.index);
  }
}

}  // namespace ingot::runtime
