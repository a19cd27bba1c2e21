// The results of a run as values that can be printed, saved and compared.
#pragma once

#include <string>
#include <vector>

#include "cli/call_values.h"
#include "runtime/core/context.h"

namespace ingot::cli {

struct CallResult {
  std::string name;
  std::variant<arrays::Array, program::Literal> value;
};

// Runs the model once; inputs that it mutates change in `values`. Throws CompileError.
std::vector<CallResult> run_call(runtime::Context& context, CallValues& values);

// A number or bool as an array without dimensions; None and texts have none.
std::optional<arrays::Array> array_of(const CallResult& result);

}  // namespace ingot::cli
