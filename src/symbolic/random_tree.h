// Random expressions for the tests, kept as plain trees with a naive evaluator beside the real one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "symbolic/plain_tree.h"

namespace ingot::sym {

struct TreeOptions {
  std::vector<std::string> symbols = {"a", "b", "c", "i", "j"};
  int64_t max_constant = 12;
  bool affine_and_division_only = false;
};

inline Tree random_tree(std::mt19937_64& random, const TreeOptions& options, int depth) {
  auto below = [&](uint64_t n) { return static_cast<int64_t>(random() % n); };
  if (depth == 0 || below(6) == 0) {
    if (below(3) == 0) {
      auto span = static_cast<uint64_t>(2 * options.max_constant + 1);
      return {ExprKind::kConst, below(span) - options.max_constant, {}};
    }
    return {ExprKind::kSymbol, below(options.symbols.size()), {}};
  }
  static constexpr ExprKind kKinds[] = {
      ExprKind::kAdd, ExprKind::kAdd,      ExprKind::kAdd,      ExprKind::kMul,   ExprKind::kMul,
      ExprKind::kMod, ExprKind::kFloorDiv, ExprKind::kFloorDiv, ExprKind::kMod,   ExprKind::kMin,
      ExprKind::kMax, ExprKind::kLt,       ExprKind::kLe,       ExprKind::kEq,    ExprKind::kNe,
      ExprKind::kAnd, ExprKind::kOr,       ExprKind::kNot,      ExprKind::kSelect};
  Tree tree;
  tree.kind = kKinds[below(options.affine_and_division_only ? 9 : std::size(kKinds))];
  size_t count = operand_count(tree.kind).value_or(2 + static_cast<size_t>(below(2)));
  for (size_t n = 0; n < count; ++n)
    tree.operands.push_back(random_tree(random, options, depth - 1));
  return tree;
}

inline Expr build(const Tree& tree, const TreeOptions& options) {
  if (tree.kind == ExprKind::kConst) return tree.value;
  if (tree.kind == ExprKind::kSymbol) {
    return Expr::symbol(options.symbols[static_cast<size_t>(tree.value)]);
  }
  std::vector<Expr> operands;
  for (const Tree& operand : tree.operands) operands.push_back(build(operand, options));
  return rebuild(tree.kind, operands);
}

// Nothing when any part divides by zero or leaves 62 bits.
inline std::optional<int64_t> naive_value(const Tree& tree, const std::vector<int64_t>& symbols) {
  if (tree.kind == ExprKind::kConst) return tree.value;
  if (tree.kind == ExprKind::kSymbol) return symbols[static_cast<size_t>(tree.value)];
  std::vector<__int128> x;
  for (const Tree& operand : tree.operands) {
    std::optional<int64_t> value = naive_value(operand, symbols);
    if (!value) return std::nullopt;
    x.push_back(*value);
  }
  auto floor_quotient = [&]() {
    __int128 q = x[0] / x[1];
    return q * x[1] != x[0] && (x[0] < 0) != (x[1] < 0) ? q - 1 : q;
  };
  __int128 result = 0;
  switch (tree.kind) {
    case ExprKind::kAdd:
      for (__int128 v : x) result += v;
      break;
    case ExprKind::kMul:
      result = 1;
      for (__int128 v : x) result *= v;
      break;
    case ExprKind::kFloorDiv:
      if (x[1] == 0) return std::nullopt;
      result = floor_quotient();
      break;
    case ExprKind::kMod:
      if (x[1] == 0) return std::nullopt;
      result = x[0] - floor_quotient() * x[1];
      break;
    case ExprKind::kMin:
      result = *std::min_element(x.begin(), x.end());
      break;
    case ExprKind::kMax:
      result = *std::max_element(x.begin(), x.end());
      break;
    case ExprKind::kLt:
      result = x[0] < x[1];
      break;
    case ExprKind::kLe:
      result = x[0] <= x[1];
      break;
    case ExprKind::kEq:
      result = x[0] == x[1];
      break;
    case ExprKind::kNe:
      result = x[0] != x[1];
      break;
    case ExprKind::kAnd:
      result = std::count(x.begin(), x.end(), 0) == 0;
      break;
    case ExprKind::kOr:
      result = std::count(x.begin(), x.end(), 0) != static_cast<std::ptrdiff_t>(x.size());
      break;
    case ExprKind::kNot:
      result = x[0] == 0;
      break;
    default:
      result = x[0] != 0 ? x[1] : x[2];
  }
  constexpr __int128 kLimit = __int128{1} << 62;
  if (result > kLimit || result < -kLimit) return std::nullopt;
  return static_cast<int64_t>(result);
}

}  // namespace ingot::sym
