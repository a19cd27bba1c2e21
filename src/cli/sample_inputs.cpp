#include "cli/sample_inputs.h"

#include <fmt/core.h>

#include <algorithm>
#include <random>

#include "cli/elements.h"
#include "support/diagnostics.h"

namespace ingot::cli {
namespace {

using arrays::Array;
using program::Input;
using program::InputKind;

class Sampler {
 public:
  Sampler(CallValues& values, const program::Program& program)
      : values_(values), program_(program) {}

  void complete() {
    name_positional();
    sym::Values known = known_symbols();
    for (const int64_t size : {16, 8, 32, 64, 128, 4, 2, 1, 256, 512, 1024, 3, 5, 7}) {
      sym::Values symbols = known;
      for (const program::Symbol& symbol : program_.symbols) {
        symbols.try_emplace(symbol.name, std::clamp(size, symbol.range.lo, symbol.range.hi));
      }
      CallValues attempt = values_;
      if (add_missing(attempt, symbols) && is_accepted(attempt)) {
        values_ = std::move(attempt);
        return;
      }
    }
    throw CompileError(Diag::kInputMissing,
                       "no sizes were found that the model accepts; give its inputs with --input");
  }

 private:
  // Values by position get the names that a run would give them, so that the others can be added.
  void name_positional() {
    size_t position = 0;
    for (CallValue& value : values_) {
      if (!value.name.empty()) continue;
      while (position < program_.inputs.size() &&
             (program_.inputs[position].kind == InputKind::kBurnedIn ||
              is_given(values_, program_.inputs[position].name))) {
        ++position;
      }
      if (position == program_.inputs.size()) return;  // too many: the run says so
      value.name = program_.inputs[position].name;
    }
  }

  // What the sizes of the given inputs show bare.
  sym::Values known_symbols() const {
    sym::Values known;
    for (const CallValue& value : values_) {
      for (const Input& input : program_.inputs) {
        if (input.name != value.name) continue;
        if (const auto* array = std::get_if<Array>(&value.value)) {
          for (size_t d = 0; d < std::min(array->sizes.size(), input.sizes.size()); ++d) {
            if (input.sizes[d].is_symbol()) known[input.sizes[d].symbol_name()] = array->sizes[d];
          }
        } else if (input.kind == InputKind::kScalar) {
          known[input.symbol] = std::get<program::Literal>(value.value).int_value;
        }
      }
    }
    return known;
  }

  bool add_missing(CallValues& values, const sym::Values& symbols) {
    std::mt19937 random(1);
    for (const Input& input : program_.inputs) {
      if (input.kind == InputKind::kBurnedIn || is_given(values, input.name)) continue;
      if (input.kind == InputKind::kScalar) {
        const program::Literal value{program::Literal::Kind::kInt, symbols.at(input.symbol), 0, {}};
        values.push_back({input.name, value});
        continue;
      }
      std::vector<int64_t> sizes;
      for (const sym::Expr& expr : input.sizes) {
        const Result<int64_t> size = sym::evaluate(expr, symbols);
        if (!size.ok() || *size < 0) return false;
        sizes.push_back(*size);
      }
      values.push_back({input.name, random_array(input.dtype, std::move(sizes), random)});
    }
    return true;
  }

  static Array random_array(DType dtype, std::vector<int64_t> sizes, std::mt19937& random) {
    Array array{dtype, std::move(sizes), {}};
    const auto width = static_cast<size_t>(size_of(dtype));
    array.bytes.resize(static_cast<size_t>(runtime::element_count(array.sizes)) * width);
    std::normal_distribution<double> normal;
    for (size_t at = 0; at < array.bytes.size(); at += width) {
      if (is_float(dtype)) {
        store_element(dtype, normal(random), array.bytes.data() + at);
      } else {
        store_element(dtype, static_cast<int64_t>(random() & 1), array.bytes.data() + at);
      }
    }
    return array;
  }

  bool is_accepted(CallValues& values) const {
    const std::vector<runtime::Argument> arguments = arguments_of(values);
    runtime::MatchedArguments matched;
    std::vector<int64_t> key;
    return runtime::match_arguments(program_, arguments, matched).ok() &&
           runtime::check_types(program_, {}, matched, key).ok() &&
           runtime::bind_symbols(program_, matched).ok();
  }

  static bool is_given(const CallValues& values, const std::string& name) {
    return std::any_of(values.begin(), values.end(),
                       [&name](const CallValue& value) { return value.name == name; });
  }

  CallValues& values_;
  const program::Program& program_;
};

}  // namespace

CallValues complete_inputs(CallValues given, const program::Program& program) {
  const bool is_complete =
      std::none_of(program.inputs.begin(), program.inputs.end(),
                   [](const Input& input) { return input.kind != InputKind::kBurnedIn; });
  if (!is_complete) Sampler(given, program).complete();
  return given;
}

}  // namespace ingot::cli
