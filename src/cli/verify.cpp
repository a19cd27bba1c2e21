#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "cli/call_results.h"
#include "cli/commands.h"
#include "cli/compare.h"
#include "cli/model_file.h"
#include "support/diagnostics.h"

namespace ingot::cli {
namespace {

using arrays::Array;
using arrays::NamedArray;
using ArraysByName = std::map<std::string, Array, std::less<>>;

// The arrays of one file, by call: "call03_in0" belongs to call 3, names without such a prefix to
// call 0. "state.NAME" and "refstate.NAME" are compared after the last call.
struct Expected {
  std::map<int, ArraysByName> calls;
  ArraysByName states;
};

Expected read_expected(const std::string& path) {
  Expected expected;
  for (NamedArray& named : value_or_throw(arrays::read_npz(path))) {
    if (named.name.starts_with("state.") || named.name.starts_with("refstate.")) {
      expected.states[named.name] = std::move(named.array);
      continue;
    }
    const size_t underscore = named.name.find('_');
    const int call = underscore == std::string::npos
                         ? -1
                         : number_after(std::string_view(named.name).substr(0, underscore), "call");
    std::string name = call < 0 ? named.name : named.name.substr(underscore + 1);
    expected.calls[std::max(call, 0)][std::move(name)] = std::move(named.array);
  }
  return expected;
}

class Verifier {
 public:
  explicit Verifier(const VerifyOptions& options)
      : options_(options), expected_(read_expected(options.expected)) {
    if (options.rtol || options.atol) {
      tolerance_ = Tolerance{options.rtol.value_or(0), options.atol.value_or(0)};
    }
    program_ = load_model(options.model, options.device);
    context_ = value_or_throw(runtime::Context::create(program_));
  }

  int run() {
    for (auto& [number, arrays] : expected_.calls) {
      prefix_ = expected_.calls.size() > 1 ? fmt::format("call{:02} ", number) : "";
      run_call_of(arrays);
    }
    prefix_.clear();
    compare_states();
    if (compared_ == 0) {
      throw CompileError(Diag::kArrayFile,
                         fmt::format("{} holds no out0 to compare with", options_.expected));
    }
    fmt::print("{} of {} results match\n", compared_ - failed_, compared_);
    return failed_ == 0 ? 0 : 1;
  }

 private:
  void run_call_of(ArraysByName& arrays) {
    std::vector<NamedArray> given;
    for (auto& [name, array] : arrays) {
      if (number_after(name, "in") >= 0) given.push_back({name, array});
    }
    CallValues values = inputs_of(std::move(given), program_->program(), options_.expected);
    adopt_types(values, program_->program());
    const std::vector<CallResult> results = run_call(*context_, values);
    for (size_t i = 0; i < results.size(); ++i) {
      const std::optional<Array> actual = array_of(results[i]);
      if (actual) check(arrays, fmt::format("out{}", i), fmt::format("ref{}", i), *actual);
    }
    for (const auto& [name, array] : arrays) {
      const int position = number_after(name, "out");
      if (position >= 0 && static_cast<size_t>(position) >= results.size()) {
        fail(name, fmt::format("the model has {} outputs", results.size()));
      }
    }
    compare_mutated(arrays, values);
  }

  // What the model wrote to its inputs.
  void compare_mutated(const ArraysByName& arrays, const CallValues& values) {
    const auto& inputs = program_->program().inputs;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const std::string name = fmt::format("mut_in{}", i);
      if (!arrays.contains(name)) continue;
      for (const CallValue& value : values) {
        if (value.name != inputs[i].name) continue;
        check(arrays, name, "", std::get<Array>(value.value));
      }
    }
  }

  void compare_states() {
    for (const auto& [name, expected] : expected_.states) {
      if (!name.starts_with("state.")) continue;
      const std::string state = name.substr(6);
      const program::Weight* weight = find_weight(state);
      if (weight == nullptr) {
        fail(name, "the model has no such buffer");
        continue;
      }
      Array actual{weight->dtype, weight->sizes, {}};
      actual.bytes.resize(
          static_cast<size_t>(runtime::element_count(weight->sizes) * size_of(weight->dtype)));
      check_ok(context_->read_state(state, view_of(actual)));
      check(expected_.states, name, "refstate." + state, actual);
    }
  }

  const program::Weight* find_weight(std::string_view name) const {
    for (const program::Weight& weight : program_->program().weights) {
      if (weight.name == name) return &weight;
    }
    return nullptr;
  }

  void check(const ArraysByName& arrays, const std::string& name, const std::string& reference,
             const Array& actual) {
    const auto expected = arrays.find(name);
    if (expected == arrays.end()) return fail(name, "the file does not have it");
    const auto exact = arrays.find(reference);
    const Comparison result = compare(actual, expected->second,
                                      exact == arrays.end() ? nullptr : &exact->second, tolerance_);
    if (!result.equal) {
      return fail(name, fmt::format("{}  max abs {:.3g}  max rel {:.3g}  ({})",
                                    runtime::describe(actual.dtype, actual.sizes),
                                    result.max_absolute, result.max_relative, result.text));
    }
    ++compared_;
    fmt::print("ok    {}{}  {}  max abs {:.3g}  max rel {:.3g}  ({})\n", prefix_, name,
               runtime::describe(actual.dtype, actual.sizes), result.max_absolute,
               result.max_relative, result.text);
  }

  void fail(const std::string& name, const std::string& why) {
    ++compared_;
    ++failed_;
    fmt::print("FAIL  {}{}  {}\n", prefix_, name, why);
  }

  const VerifyOptions& options_;
  Expected expected_;
  std::optional<Tolerance> tolerance_;
  std::shared_ptr<runtime::LoadedProgram> program_;
  std::unique_ptr<runtime::Context> context_;
  std::string prefix_;
  int compared_ = 0;
  int failed_ = 0;
};

}  // namespace

int run_verify(const VerifyOptions& options) { return Verifier(options).run(); }

}  // namespace ingot::cli
