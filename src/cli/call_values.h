// The values that a user gives to a model, from `--input` texts or from arrays.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "arrays/array.h"
#include "program/program.h"
#include "runtime/core/arguments.h"

namespace ingot::cli {

// One value; an empty name means by position.
struct CallValue {
  std::string name;
  std::variant<arrays::Array, program::Literal> value;
};
using CallValues = std::vector<CallValue>;

// The value of one `--input`, or the values of an `@all.npz`. `program` gives in0, in1, … their
// names. Throws CompileError: kBadOption for a malformed text, errors of array files and of inputs.
CallValues parse_input(std::string_view text, const program::Program& program);
CallValues parse_inputs(const std::vector<std::string>& texts, const program::Program& program);

// The arrays called in0, in1, … (after `prefix`) as values for the inputs at those positions, and
// the arrays that are called like an input. Other names are passed over when they are
// `prefix` + (out|ref|mut_in) + number, and refused otherwise.
CallValues inputs_of(std::vector<arrays::NamedArray> arrays, const program::Program& program,
                     std::string_view file);

// Gives arrays that hold bits of a type that NumPy lacks (bfloat16, float8; float16 as well) the
// type that the program has in their place.
void adopt_types(CallValues& values, const program::Program& program);

// Borrows the values: they must not move before the run is over.
std::vector<runtime::Argument> arguments_of(CallValues& values);

// A tensor view of an array, writable.
runtime::TensorView view_of(arrays::Array& array);
// "in12" with prefix "in" is 12; -1 when it is none such.
int number_after(std::string_view name, std::string_view prefix);
// True where a file's integers may stand for the bits of `wanted`.
bool holds_bits_of(DType stored, DType wanted);

}  // namespace ingot::cli
