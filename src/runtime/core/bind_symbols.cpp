#include <fmt/core.h>

#include "runtime/core/arguments.h"
#include "support/diagnostics.h"

namespace ingot::runtime {
namespace {

using program::Input;
using program::InputKind;
using program::Program;

// Where a symbol got its value, for messages: "size 0 of 'x'".
using Origins = std::map<std::string, std::string, std::less<>>;

class SymbolBinder {
 public:
  SymbolBinder(const Program& program, const MatchedArguments& matched)
      : program_(program), matched_(matched), ranges_(ranges_of(program)) {}

  Result<sym::Values> bind() {
    INGOT_RETURN_IF_ERROR(bind_bare());
    // A symbol found may leave only one unknown in a size passed over before.
    size_t known = 0;
    do {
      known = values_.size();
      INGOT_RETURN_IF_ERROR(bind_linear());
    } while (values_.size() > known);
    INGOT_RETURN_IF_ERROR(check_sizes());
    INGOT_RETURN_IF_ERROR(check_guards());
    return std::move(values_);
  }

 private:
  // Calls `visit(input, dimension, expression, size)` for every size of every tensor.
  template <typename Visit>
  Status for_each_size(Visit visit) {
    for (size_t i = 0; i < matched_.size(); ++i) {
      const Input& input = program_.inputs[i];
      if (input.kind != InputKind::kTensor) continue;
      for (size_t d = 0; d < input.sizes.size(); ++d) {
        INGOT_RETURN_IF_ERROR(visit(input, d, input.sizes[d], matched_[i]->tensor.sizes[d]));
      }
    }
    return ok_status();
  }

  Status bind_bare() {
    for (size_t i = 0; i < matched_.size(); ++i) {
      const Input& input = program_.inputs[i];
      if (input.kind != InputKind::kScalar) continue;
      const Argument& argument = *matched_[i];
      const int64_t value = integer_argument(argument);
      const sym::Range range = range_of(input.symbol);
      if (value < range.lo || value > range.hi) {
        return make_status(Diag::kInputValue, fmt::format("input '{}' is {}; allowed: {}",
                                                          input.name, value, to_string(range)));
      }
      if (const auto it = values_.find(input.symbol); it != values_.end() && it->second != value) {
        return make_status(Diag::kInputValue,
                           fmt::format("input '{}' is {}; allowed: {}, as {}", input.name, value,
                                       it->second, origins_[input.symbol]));
      }
      set(input.symbol, value, fmt::format("the input '{}'", input.name));
    }
    return for_each_size([this](const Input& input, size_t d, const sym::Expr& expr, int64_t size) {
      if (!expr.is_symbol() || values_.contains(expr.symbol_name())) return ok_status();
      const sym::Range range = range_of(expr.symbol_name());
      if (size < range.lo || size > range.hi) return size_error(input, d, size, range);
      set(expr.symbol_name(), size, fmt::format("size {} of '{}'", d, input.name));
      return ok_status();
    });
  }

  // A symbol that no size shows bare, but one shows as a*symbol + b.
  Status bind_linear() {
    return for_each_size([this](const Input& input, size_t d, const sym::Expr& expr, int64_t size) {
      std::set<std::string, std::less<>> names;
      sym::collect_symbols(expr, names);
      std::erase_if(names, [this](const std::string& n) { return values_.contains(n); });
      if (names.size() != 1) return ok_status();
      const std::string& name = *names.begin();
      const auto linear = sym::split_linear(expr, name);
      if (!linear) return ok_status();
      const auto coefficient = sym::evaluate(linear->coefficient, values_);
      const auto rest = sym::evaluate(linear->rest, values_);
      int64_t scaled = 0;
      if (!coefficient.ok() || !rest.ok() || *coefficient == 0 ||
          __builtin_sub_overflow(size, *rest, &scaled)) {
        return ok_status();
      }
      const sym::Range range = range_of(name);
      const int64_t value = scaled / *coefficient;
      if (scaled % *coefficient != 0) {
        return make_status(
            Diag::kInputShape,
            fmt::format("input '{}' has size {} in dimension {}; allowed: {} for an integer {}",
                        input.name, size, d, sym::to_string(expr), name));
      }
      if (value < range.lo || value > range.hi) {
        return size_error(input, d, size, sym::bounds(expr, ranges_));
      }
      set(name, value, fmt::format("size {} of '{}'", d, input.name));
      return ok_status();
    });
  }

  Status check_sizes() {
    return for_each_size([this](const Input& input, size_t d, const sym::Expr& expr, int64_t size) {
      const auto expected = sym::evaluate(expr, values_);
      if (!expected.ok()) {
        return make_status(
            Diag::kInputShape,
            fmt::format("input '{}' has size {} in dimension {}, which cannot be "
                        "compared with {}: {}",
                        input.name, size, d, sym::to_string(expr), expected.status().message()));
      }
      if (*expected == size) return ok_status();
      std::string message = fmt::format("input '{}' has size {} in dimension {} ({}); allowed: {}",
                                        input.name, size, d, shape_text(input), *expected);
      if (!expr.is_const()) {
        message += fmt::format(", as {} = {}", sym::to_string(expr), *expected);
        message += where_from(expr);
      }
      return make_status(Diag::kInputShape, std::move(message));
    });
  }

  Status check_guards() {
    for (const program::Guard& guard : program_.guards) {
      std::set<std::string, std::less<>> names;
      sym::collect_symbols(guard.condition, names);
      // Sizes that the run computes are checked by assert steps.
      bool bound = true;
      for (const std::string& name : names) bound = bound && values_.contains(name);
      if (!bound) continue;
      const auto holds = sym::evaluate(guard.condition, values_);
      if (holds.ok() && *holds != 0) continue;
      const std::string text = guard.text.empty() ? sym::to_string(guard.condition) : guard.text;
      return make_status(Diag::kGuard, fmt::format("the model was exported for inputs with {}{}",
                                                   text, where_from(guard.condition)));
    }
    return ok_status();
  }

  std::string where_from(const sym::Expr& expr) {
    std::set<std::string, std::less<>> names;
    sym::collect_symbols(expr, names);
    std::string text;
    for (const std::string& name : names) {
      const auto origin = origins_.find(name);
      if (origin == origins_.end()) continue;
      text += fmt::format("{}{} = {} is {}", text.empty() ? " (" : ", ", name, values_[name],
                          origin->second);
    }
    return text.empty() ? text : text + ")";
  }

  Status size_error(const Input& input, size_t d, int64_t size, const sym::Range& range) {
    return make_status(Diag::kInputShape,
                       fmt::format("input '{}' has size {} in dimension {} ({}); allowed: {}",
                                   input.name, size, d, shape_text(input), to_string(range)));
  }

  std::string shape_text(const Input& input) {
    const auto position = static_cast<size_t>(&input - program_.inputs.data());
    return describe(input.dtype, matched_[position]->tensor.sizes);
  }

  sym::Range range_of(const std::string& name) const {
    const auto it = ranges_.find(name);
    return it == ranges_.end() ? sym::Range{} : it->second;
  }

  void set(const std::string& name, int64_t value, std::string origin) {
    values_[name] = value;
    origins_[name] = std::move(origin);
  }

  const Program& program_;
  const MatchedArguments& matched_;
  sym::Ranges ranges_;
  sym::Values values_;
  Origins origins_;
};

}  // namespace

Result<sym::Values> bind_symbols(const Program& program, const MatchedArguments& matched) {
  return SymbolBinder(program, matched).bind();
}

}  // namespace ingot::runtime
