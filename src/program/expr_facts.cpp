#include "program/expr_facts.h"

#include <algorithm>
#include <set>

namespace ingot::program {
namespace {

using sym::Expr;
using sym::ExprKind;

void find_divisors(const Expr& expr, ExprFacts& facts) {
  if (expr.kind() == ExprKind::kFloorDiv || expr.kind() == ExprKind::kMod) {
    const Expr& divisor = expr.operands()[1];
    if (const auto value = divisor.as_const(); value && *value < 1) facts.bad_divisor = true;
    std::set<std::string, std::less<>> names;
    sym::collect_symbols(divisor, names);
    for (const std::string& name : names) {
      const KernelSymbolKind kind = parse_kernel_symbol(name).kind;
      if (kind == KernelSymbolKind::kAxis || kind == KernelSymbolKind::kValue) {
        facts.varying_divisor = true;
      }
    }
  }
  for (const Expr& operand : expr.operands()) find_divisors(operand, facts);
}

ExprFacts find_facts(const Expr& expr) {
  ExprFacts facts;
  std::set<std::string, std::less<>> names;
  sym::collect_symbols(expr, names);
  facts.symbols.assign(names.begin(), names.end());
  for (const std::string& name : facts.symbols) {
    const KernelSymbol symbol = parse_kernel_symbol(name);
    switch (symbol.kind) {
      case KernelSymbolKind::kScalar:
        facts.scalar_count = std::max(facts.scalar_count, symbol.position + 1);
        break;
      case KernelSymbolKind::kAxis:
        facts.axis_count = std::max(facts.axis_count, symbol.position + 1);
        break;
      case KernelSymbolKind::kValue:
        facts.values.push_back(symbol.position);
        break;
      case KernelSymbolKind::kOther:
        facts.other = name;
        break;
    }
  }
  find_divisors(expr, facts);
  return facts;
}

}  // namespace

KernelSymbol parse_kernel_symbol(std::string_view name) {
  constexpr size_t kMostDigits = 9;
  if (name.size() < 2 || name.size() > 1 + kMostDigits) return {};
  if (name[1] == '0' && name.size() > 2) return {};
  uint32_t position = 0;
  for (const char c : name.substr(1)) {
    if (c < '0' || c > '9') return {};
    position = position * 10 + static_cast<uint32_t>(c - '0');
  }
  switch (name[0]) {
    case 'd':
      return {KernelSymbolKind::kScalar, position};
    case 'a':
      return {KernelSymbolKind::kAxis, position};
    case 'v':
      return {KernelSymbolKind::kValue, position};
    default:
      return {};
  }
}

const ExprFacts& ExprFactsCache::of(const Expr& expr) {
  const auto found = facts_.find(expr.node());
  if (found != facts_.end()) return found->second;
  return facts_.emplace(expr.node(), find_facts(expr)).first->second;
}

}  // namespace ingot::program
