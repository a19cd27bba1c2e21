// Fuzzes the parsers, and checks what they read: its text reads back as itself, its nodes rebuild
// as themselves, and simplifying keeps its value.
#include <cstdlib>
#include <string>
#include <string_view>

#include "symbolic/expr.h"
#include "symbolic/guard.h"

namespace {

using namespace ingot;
using sym::Expr;

// Larger results are still built, but not walked again and again.
constexpr uint32_t kMaxChecked = 300;

void require(bool condition) {
  if (!condition) std::abort();
}

void check_value(const Expr& expr, const Expr& other, const sym::Values& values) {
  Result<int64_t> a = sym::evaluate(expr, values);
  Result<int64_t> b = sym::evaluate(other, values);
  // Only an overflow may differ: on the way to a value, or instead of one.
  if (a.ok() && b.ok()) require(*a == *b);
}

void check(const Expr& expr) {
  if (expr.tree_size() > kMaxChecked) return;
  Result<Expr> again = sym::parse(to_string(expr));
  require(again.ok() && *again == expr);
  if (!expr.operands().empty()) require(sym::rebuild(expr.kind(), expr.operands()) == expr);
  const sym::Ranges ranges = {{"a", {-3, 3}}, {"n", {0, INT64_MAX}}, {"m", {1, 9}}};
  const sym::Extents extents = {{"i", Expr::symbol("n")}, {"j", Expr::symbol("m") + 1}};
  Expr simple = sym::simplify(expr, ranges, extents);
  check_value(expr, simple, {{"a", -2}, {"b", -5}, {"n", 6}, {"m", 3}, {"i", 5}, {"j", 2}});
  check_value(expr, simple, {{"a", 3}, {"b", 4}, {"n", 1}, {"m", 9}, {"i", 0}, {"j", 9}});
  sym::split_linear(expr, "a");
  check_value(sym::substitute(expr, {{"b", Expr::symbol("a") * 2}}), expr,
              {{"a", 2}, {"b", 4}, {"n", 2}, {"m", 2}, {"i", 1}, {"j", 1}});
}

std::optional<Expr> symbol_of(std::string_view path, int64_t dim) {
  if (path == "x") return Expr::symbol(dim == 0 ? "n" : "m");
  return Expr::symbol(std::string(path) + std::to_string(dim));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const Result<Expr>& result :
       {sym::parse(text), sym::parse_sympy(text), sym::parse_guard(text, symbol_of)}) {
    if (result.ok()) check(*result);
  }
  return 0;
}
