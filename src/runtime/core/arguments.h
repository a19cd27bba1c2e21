// Matches the values of a call with the program's inputs and checks them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "program/program.h"
#include "runtime/core/tensor.h"

namespace ingot::runtime {

// One value of a call: a tensor, or a Python value. Borrowed until the run returns.
struct Argument {
  std::string_view name;  // the input's name; empty means by position
  bool is_tensor = true;
  TensorView tensor;
  program::Literal literal;
};

// One entry per Program::inputs; null where a burned-in value was left out.
using MatchedArguments = std::vector<const Argument*>;

// Finds the argument of each input. Values without a name go, in order, to the inputs that are not
// named; when there are exactly as many as inputs that must be given, burned-in ones are passed
// over. Errors: kInputMissing, kInputUnknown.
Status match_arguments(const program::Program& program, std::span<const Argument> arguments,
                       MatchedArguments& matched);

// Checks everything but sizes (devices, dtypes, ranks, burned-in values) and appends to `key` the
// sizes and scalars that decide the rest: calls with equal keys are bound equally.
Status check_types(const program::Program& program, DeviceId device,
                   const MatchedArguments& matched, std::vector<int64_t>& key);

// The program's symbols under the arguments' sizes. Checks static and derived sizes, ranges and
// guards. Call after check_types. Symbols of host-reads stay unbound.
Result<sym::Values> bind_symbols(const program::Program& program, const MatchedArguments& matched);

// The value of an argument that check_types accepted for a kScalar input.
int64_t integer_argument(const Argument& argument);

// "[1 to 1024]x64xf32", "an integer", "the value True".
std::string describe_input(const program::Program& program, const program::Input& input);
// "2", "1.5", "True", "None", "'sum'": as Python writes it.
std::string to_string(const program::Literal& literal);
// "1 to 1024", "at least 2", "any".
std::string to_string(const sym::Range& range);
sym::Ranges ranges_of(const program::Program& program);
// "cpu", "cuda:1".
std::string to_string(DeviceId device);

}  // namespace ingot::runtime
