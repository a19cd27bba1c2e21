#include "import/guard.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace ingot::pt2 {
namespace {

// A guard's text with every access to an input replaced: by symbols that stand for the numbers in
// `code`, by the user's spelling in `text`.
struct Rewritten {
  std::string code;
  std::string text;
  sym::Bindings bindings;
};

class GuardRewriter {
 public:
  GuardRewriter(const ir::Model& model, std::string_view source) : model_(model), rest_(source) {}

  // Nothing if an access is not one to a size of an input or to an integer input.
  std::optional<Rewritten> run() {
    while (!rest_.empty()) {
      const bool in_word = !out_.code.empty() && is_word(out_.code.back());
      if (!in_word && (rest_.starts_with("L[") || rest_.starts_with("L.get("))) {
        if (!rewrite_access()) return std::nullopt;
        continue;
      }
      out_.code += rest_.front();
      out_.text += rest_.front();
      rest_.remove_prefix(1);
    }
    return std::move(out_);
  }

 private:
  static bool is_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }
  bool accept(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  bool take_index(int64_t& index) {
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), index);
    if (error != std::errc()) return false;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return true;
  }
  bool take_quoted(std::string& text) {
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) return false;
    const size_t end = rest_.find(rest_.front(), 1);
    if (end == rest_.npos) return false;
    text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return true;
  }
  // ['name'] or [3]: appends to the path.
  bool take_subscript(std::string& path) {
    if (!accept("[")) return false;
    std::string step;
    int64_t index = 0;
    if (!take_quoted(step)) {
      if (!take_index(index)) return false;
      step = fmt::format("{}", index);
    }
    path += path.empty() ? step : "." + step;
    return accept("]");
  }

  const program::Input* find_input(const std::string& path) const {
    constexpr std::string_view kFlat = "flat_args.";
    if (path.starts_with(kFlat)) {  // strict mode numbers the leaves
      size_t index = 0;
      const auto [end, error] =
          std::from_chars(path.data() + kFlat.size(), path.data() + path.size(), index);
      const bool is_whole = error == std::errc() && end == path.data() + path.size();
      return is_whole && index < model_.user_inputs.size() ? &model_.user_inputs[index] : nullptr;
    }
    const auto it = std::find_if(model_.user_inputs.begin(), model_.user_inputs.end(),
                                 [&](const program::Input& input) { return input.name == path; });
    return it == model_.user_inputs.end() ? nullptr : &*it;
  }

  bool rewrite_access() {
    std::string path;
    if (!accept("L") || !take_subscript(path)) return false;
    while (rest_.starts_with('[')) {
      if (!take_subscript(path)) return false;
    }
    const program::Input* input = find_input(path);
    if (!input) return false;
    if (input->kind == program::InputKind::kScalar) {
      return replace(sym::Expr::symbol(input->symbol), input->name);
    }
    int64_t dim = 0;
    const bool is_size = accept(".size()[") || accept(".shape[");
    if (!is_size || !take_index(dim) || !accept("]")) return false;
    if (input->kind != program::InputKind::kTensor) return false;
    const auto rank = static_cast<int64_t>(input->sizes.size());
    if (dim < 0) dim += rank;
    if (dim < 0 || dim >= rank) return false;
    return replace(input->sizes[static_cast<size_t>(dim)],
                   fmt::format("{}.size({})", input->name, dim));
  }

  bool replace(const sym::Expr& value, const std::string& text) {
    const std::string symbol = fmt::format("guard_operand_{}", out_.bindings.size());
    out_.bindings.emplace(symbol, value);
    out_.code += symbol;
    out_.text += text;
    return true;
  }

  const ir::Model& model_;
  std::string_view rest_;
  Rewritten out_;
};

// "(a % 8) == 0" without brackets around all of it.
std::string_view strip_brackets(std::string_view text) {
  while (text.size() >= 2 && text.front() == '(' && text.back() == ')') {
    int depth = 0;
    for (size_t i = 0; i + 1 < text.size(); ++i) {
      if (text[i] == '(') ++depth;
      if (text[i] == ')' && --depth == 0) return text;
    }
    text = text.substr(1, text.size() - 2);
  }
  return text;
}

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
  std::optional<Rewritten> rewritten = GuardRewriter(context.model, source).run();
  if (rewritten) {
    const Result<sym::Expr> condition = sym::parse(rewritten->code);
    if (condition.ok()) {
      add_guard(context, sym::substitute(*condition, rewritten->bindings),
                std::string(strip_brackets(rewritten->text)));
      return;
    }
  }
  context.model.warnings.push_back(
      fmt::format("not checked at run time: the export's guard '{}'", source));
}

}  // namespace

void import_guards(ImportContext& context) {
  for (const auto& [key, range] : context.program.range_constraints) {
    import_range(context, key, range);
  }
  for (const std::string& guard : context.program.guards_code) import_guard(context, guard);
}

}  // namespace ingot::pt2
