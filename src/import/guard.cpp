#include "import/guard.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>

#include "symbolic/guard.h"

namespace ingot::pt2 {
namespace {

// Turns a guard's accesses to inputs into symbols that stand for them, and remembers what each one
// is: an expression over the model's symbols, and the user's spelling.
class AccessTable {
 public:
  explicit AccessTable(const ir::Model& model) : model_(model) {}

  std::optional<sym::Expr> add(std::string_view path, int64_t dim) {
    const program::Input* input = find_input(path);
    if (!input) return std::nullopt;
    if (dim == sym::kGuardValue) return add_value(*input);
    if (input->kind != program::InputKind::kTensor) return std::nullopt;
    if (dim < 0 || dim >= static_cast<int64_t>(input->sizes.size())) return std::nullopt;
    return add_access(input->sizes[static_cast<size_t>(dim)],
                      fmt::format("{}.size({})", input->name, dim));
  }

  const sym::Bindings& bindings() const { return bindings_; }

  // A printed condition with every symbol replaced by the user's spelling.
  std::string spell(std::string text) const {
    for (const auto& [symbol, spelling] : spellings_) {
      for (size_t at = text.find(symbol); at != text.npos;
           at = text.find(symbol, at + spelling.size())) {
        text.replace(at, symbol.size(), spelling);
      }
    }
    return text;
  }

 private:
  // "cache['k'][2].keys" as inputs are named: "cache.k.2.keys".
  static std::string dotted(std::string_view path) {
    std::string name;
    for (const char c : path) {
      if (c == '[') {
        name += '.';
      } else if (c != ']' && c != '\'' && c != '"') {
        name += c;
      }
    }
    return name;
  }

  const program::Input* find_input(std::string_view path) const {
    constexpr std::string_view kFlat = "flat_args.";
    const std::string name = dotted(path);
    if (name.starts_with(kFlat)) {  // strict mode numbers the leaves
      size_t index = 0;
      const char* end = name.data() + name.size();
      const auto [stop, error] = std::from_chars(name.data() + kFlat.size(), end, index);
      const bool is_leaf = error == std::errc() && stop == end && index < model_.user_inputs.size();
      return is_leaf ? &model_.user_inputs[index] : nullptr;
    }
    std::string of_rest = name;  // *rest is named rest_0, rest_1, …
    if (const size_t dot = of_rest.find('.'); dot != of_rest.npos) of_rest[dot] = '_';
    const auto it = std::find_if(
        model_.user_inputs.begin(), model_.user_inputs.end(),
        [&](const program::Input& input) { return input.name == name || input.name == of_rest; });
    return it == model_.user_inputs.end() ? nullptr : &*it;
  }

  std::optional<sym::Expr> add_value(const program::Input& input) {
    if (input.kind == program::InputKind::kScalar) {
      return add_access(sym::Expr::symbol(input.symbol), input.name);
    }
    const bool is_integer = input.literal.kind == program::Literal::Kind::kInt ||
                            input.literal.kind == program::Literal::Kind::kBool;
    if (input.kind != program::InputKind::kBurnedIn || !is_integer) return std::nullopt;
    return add_access(sym::Expr(input.literal.int_value), input.name);
  }

  sym::Expr add_access(const sym::Expr& value, const std::string& spelling) {
    for (const auto& [symbol, known] : spellings_) {
      if (known == spelling) return sym::Expr::symbol(symbol);
    }
    // No symbol's text is part of another's.
    const std::string symbol = fmt::format("guard_access_{}_", spellings_.size());
    bindings_.emplace(symbol, value);
    spellings_.emplace(symbol, spelling);
    return sym::Expr::symbol(symbol);
  }

  const ir::Model& model_;
  sym::Bindings bindings_;
  std::map<std::string, std::string> spellings_;  // by symbol
};

void add_guard(ImportContext& context, const sym::Expr& condition, std::string text) {
  ir::Model& model = context.model;
  const sym::Expr simple = sym::simplify(condition, model.ranges());
  if (sym::provably(simple, model.ranges())) return;
  const bool is_known =
      std::any_of(model.guards.begin(), model.guards.end(),
                  [&](const program::Guard& guard) { return guard.condition == simple; });
  if (!is_known) model.guards.push_back({simple, std::move(text)});
}

// The user's spelling of an expression: the size of an input that has it, or the expression.
std::string spell(const ir::Model& model, const sym::Expr& expr) {
  for (const program::Input& input : model.user_inputs) {
    for (size_t dim = 0; dim < input.sizes.size(); ++dim) {
      if (input.sizes[dim] == expr) return fmt::format("{}.size({})", input.name, dim);
    }
  }
  return sym::to_string(expr);
}

void import_range(ImportContext& context, const std::string& key, const RangeConstraint& range) {
  const std::optional<sym::Expr> expr = context.symbols.parse(key);
  if (!expr) {
    context.model.warnings.push_back(fmt::format("ignored: the range of '{}'", key));
    return;
  }
  // Bare symbols have their range in Model::symbols; symbols that no input has left over from
  // tracing constrain nothing.
  if (expr->is_symbol() || !context.symbols.is_bound(*expr)) return;
  const std::string text = spell(context.model, *expr);
  if (range.min) {
    add_guard(context, sym::le(*range.min, *expr), fmt::format("{} >= {}", text, *range.min));
  }
  if (range.max) {
    add_guard(context, sym::le(*expr, *range.max), fmt::format("{} <= {}", text, *range.max));
  }
}

void import_guard(ImportContext& context, const std::string& source) {
  AccessTable accesses(context.model);
  const Result<sym::Expr> condition = sym::parse_guard(
      source, [&](std::string_view path, int64_t dim) { return accesses.add(path, dim); });
  if (!condition.ok()) {
    context.model.warnings.push_back(
        fmt::format("not checked at run time: the export's guard \"{}\": {}", source,
                    condition.status().message()));
    return;
  }
  add_guard(context, sym::substitute(*condition, accesses.bindings()),
            accesses.spell(sym::to_string(*condition)));
}

}  // namespace

void import_guards(ImportContext& context) {
  for (const auto& [key, range] : context.program.range_constraints) {
    import_range(context, key, range);
  }
  for (const std::string& guard : context.program.guards_code) import_guard(context, guard);
}

}  // namespace ingot::pt2
