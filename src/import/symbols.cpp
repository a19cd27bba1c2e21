#include "import/symbols.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ingot::pt2 {
namespace {

using sym::Expr;
using Unary = Expr (*)(const Expr&);
using Binary = Expr (*)(const Expr&, const Expr&);

constexpr std::pair<std::string_view, Binary> kBinary[] = {
    {"_operator.add", [](const Expr& a, const Expr& b) { return a + b; }},
    {"_operator.sub", [](const Expr& a, const Expr& b) { return a - b; }},
    {"_operator.mul", [](const Expr& a, const Expr& b) { return a * b; }},
    {"_operator.floordiv", [](const Expr& a, const Expr& b) { return sym::floor_div(a, b); }},
    {"_operator.mod", [](const Expr& a, const Expr& b) { return sym::mod(a, b); }},
    {"_operator.eq", [](const Expr& a, const Expr& b) { return sym::eq(a, b); }},
    {"_operator.ne", [](const Expr& a, const Expr& b) { return sym::ne(a, b); }},
    {"_operator.lt", [](const Expr& a, const Expr& b) { return sym::lt(a, b); }},
    {"_operator.le", [](const Expr& a, const Expr& b) { return sym::le(a, b); }},
    {"_operator.gt", [](const Expr& a, const Expr& b) { return sym::lt(b, a); }},
    {"_operator.ge", [](const Expr& a, const Expr& b) { return sym::le(b, a); }},
    {"_operator.and_", [](const Expr& a, const Expr& b) { return sym::logical_and(a, b); }},
    {"_operator.or_", [](const Expr& a, const Expr& b) { return sym::logical_or(a, b); }},
    {"torch.sym_max", [](const Expr& a, const Expr& b) { return sym::max(a, b); }},
    {"torch.sym_min", [](const Expr& a, const Expr& b) { return sym::min(a, b); }},
};

constexpr std::pair<std::string_view, Unary> kUnary[] = {
    {"_operator.neg", [](const Expr& a) { return -a; }},
    {"_operator.pos", [](const Expr& a) { return a; }},
    {"torch.sym_int", [](const Expr& a) { return a; }},
    {"math.trunc", [](const Expr& a) { return a; }},
    {"torch.sym_not", [](const Expr& a) { return sym::logical_not(a); }},
};

// Those that need more than two expressions.
constexpr std::string_view kOthers[] = {"_operator.pow",     "_operator.lshift", "_operator.rshift",
                                        "_operator.truediv", "torch.sym_float",  "torch.sym_ite",
                                        "torch._sym_sqrt"};

template <typename Table>
auto find(const Table& table, std::string_view name) {
  return std::find_if(std::begin(table), std::end(table),
                      [&](const auto& row) { return row.first == name; });
}

std::optional<Expr> to_expr(const SymValue& value) {
  if (const auto* expr = std::get_if<Expr>(&value)) return *expr;
  if (const auto* flag = std::get_if<bool>(&value)) return Expr(*flag ? 1 : 0);
  return std::nullopt;
}

std::optional<double> to_double(const SymValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  const auto expr = to_expr(value);
  const auto constant = expr ? expr->as_const() : std::nullopt;
  if (!constant) return std::nullopt;
  return static_cast<double>(*constant);
}

std::optional<SymValue> evaluate_shift(bool is_left, const Expr& a, const Expr& b) {
  const auto distance = b.as_const();
  if (!distance || *distance < 0 || *distance > 62) return std::nullopt;
  const Expr factor(int64_t{1} << *distance);
  return SymValue(is_left ? a * factor : sym::floor_div(a, factor));
}

std::optional<SymValue> evaluate_pow(const Expr& base, const Expr& exponent) {
  constexpr int64_t kMaxExponent = 16;
  const auto count = exponent.as_const();
  if (!count || *count < 0 || *count > kMaxExponent) return std::nullopt;
  Expr product(1);
  for (int64_t i = 0; i < *count; ++i) product = product * base;
  return SymValue(product);
}

// Operators of floats, which are only known as constants.
std::optional<SymValue> evaluate_float(std::string_view target, std::span<const SymValue> args) {
  const auto a = args.empty() ? std::nullopt : to_double(args[0]);
  if (!a) return std::nullopt;
  if (args.size() == 1) {
    if (target == "torch.sym_float" || target == "_operator.pos") return SymValue(*a);
    if (target == "_operator.neg") return SymValue(-*a);
    if (target == "torch._sym_sqrt") return SymValue(std::sqrt(*a));
    return std::nullopt;
  }
  const auto b = to_double(args[1]);
  if (!b || args.size() != 2) return std::nullopt;
  if (target == "_operator.add") return SymValue(*a + *b);
  if (target == "_operator.sub") return SymValue(*a - *b);
  if (target == "_operator.mul") return SymValue(*a * *b);
  if (target == "_operator.truediv" && *b != 0) return SymValue(*a / *b);
  if (target == "_operator.pow") return SymValue(std::pow(*a, *b));
  return std::nullopt;
}

}  // namespace

std::optional<Expr> SymbolTable::parse(const std::string& text) {
  const auto known = parsed_.find(text);
  if (known != parsed_.end()) return known->second;
  Result<Expr> result = sym::parse_sympy(text);
  std::optional<Expr> expr;
  if (result.ok()) expr = std::move(result).value();
  return parsed_.emplace(text, std::move(expr)).first->second;
}

bool SymbolTable::is_bound(const Expr& expr) const {
  if (expr.is_const()) return true;
  std::set<std::string, std::less<>> used;
  sym::collect_symbols(expr, used);
  return std::all_of(used.begin(), used.end(),
                     [&](const std::string& symbol) { return is_bound(std::string_view(symbol)); });
}

bool is_symbolic_operator(std::string_view target) {
  return find(kBinary, target) != std::end(kBinary) || find(kUnary, target) != std::end(kUnary) ||
         std::find(std::begin(kOthers), std::end(kOthers), target) != std::end(kOthers);
}

std::optional<SymValue> evaluate_operator(std::string_view target, std::span<const SymValue> args) {
  std::vector<Expr> exprs;
  for (const SymValue& arg : args) {
    const auto expr = to_expr(arg);
    if (!expr) return evaluate_float(target, args);
    exprs.push_back(*expr);
  }
  if (exprs.size() == 1) {
    const auto* row = find(kUnary, target);
    if (row != std::end(kUnary)) return SymValue(row->second(exprs[0]));
  }
  if (exprs.size() == 2) {
    if (target == "_operator.pow") return evaluate_pow(exprs[0], exprs[1]);
    if (target == "_operator.lshift") return evaluate_shift(true, exprs[0], exprs[1]);
    if (target == "_operator.rshift") return evaluate_shift(false, exprs[0], exprs[1]);
    const bool divides = target == "_operator.floordiv" || target == "_operator.mod";
    if (divides && exprs[1].is_const(0)) return std::nullopt;
    const auto* row = find(kBinary, target);
    if (row != std::end(kBinary)) return SymValue(row->second(exprs[0], exprs[1]));
  }
  if (exprs.size() == 3 && target == "torch.sym_ite") {
    return SymValue(sym::select(exprs[0], exprs[1], exprs[2]));
  }
  return evaluate_float(target, args);
}

}  // namespace ingot::pt2
