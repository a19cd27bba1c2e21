// Simplification with the help of facts, and substitution: both rebuild an expression bottom-up.
#include "symbolic/facts.h"
#include "symbolic/node.h"
#include "symbolic/term.h"
#include "symbolic/walk.h"

namespace ingot::sym {
namespace {

class Simplifier {
 public:
  Simplifier(const Expr& root, const Facts& facts) : facts_(facts), memo_(root) {}

  Expr visit(const Expr& expr) {
    if (expr.is_const()) return expr;
    if (expr.is_symbol()) return fold(expr);
    if (const Expr* known = memo_.find(expr)) return *known;
    std::vector<Expr> operands;
    operands.reserve(expr.operands().size());
    for (const Expr& operand : expr.operands()) operands.push_back(visit(operand));
    Expr result = fold(build(expr.kind(), operands));
    memo_.insert(expr, result);
    return result;
  }

 private:
  // The constant, where the interval holds but one value.
  Expr fold(const Expr& expr) const {
    if (expr.is_const()) return expr;
    Range range = facts_.bounds(expr);
    return range.lo == range.hi && range.lo != INT64_MIN && range.lo != INT64_MAX ? Expr(range.lo)
                                                                                  : expr;
  }

  Expr build(ExprKind kind, std::span<const Expr> x) const {
    switch (kind) {
      case ExprKind::kAdd: {
        std::vector<Expr> terms;
        for (const Expr& one : x) {
          std::span<const Expr> parts = terms_of(one);
          terms.insert(terms.end(), parts.begin(), parts.end());
        }
        return sum_terms(std::move(terms), facts_);
      }
      case ExprKind::kFloorDiv:
        return floor_div(x[0], x[1], facts_);
      case ExprKind::kMod:
        return mod(x[0], x[1], facts_);
      case ExprKind::kMin:
      case ExprKind::kMax:
        return extremum(kind, x, facts_);
      case ExprKind::kLt:
      case ExprKind::kLe:
      case ExprKind::kEq:
      case ExprKind::kNe:
        return relation(kind, x[0], x[1], facts_);
      default:
        return rebuild(kind, x);
    }
  }

  const Facts& facts_;
  Memo<Expr> memo_;
};

class Substituter {
 public:
  Substituter(const Expr& root, const Bindings& bindings) : bindings_(bindings), memo_(root) {
    for (const auto& [name, value] : bindings) symbols_ |= symbol_bit(name);
  }

  Expr visit(const Expr& expr) {
    if (!may_use(expr, symbols_)) return expr;
    if (expr.is_symbol()) {
      auto found = bindings_.find(expr.symbol_name());
      return found == bindings_.end() ? expr : found->second;
    }
    if (const Expr* known = memo_.find(expr)) return *known;
    std::vector<Expr> operands;
    operands.reserve(expr.operands().size());
    bool changed = false;
    for (const Expr& operand : expr.operands()) {
      operands.push_back(visit(operand));
      changed |= operands.back().node() != operand.node();
    }
    Expr result = changed ? rebuild(expr.kind(), operands) : expr;
    memo_.insert(expr, result);
    return result;
  }

 private:
  const Bindings& bindings_;
  uint64_t symbols_ = 0;
  Memo<Expr> memo_;
};

}  // namespace

Expr simplify(const Expr& expr, const Ranges& ranges) { return simplify(expr, ranges, {}); }

Expr simplify(const Expr& expr, const Ranges& ranges, const Extents& extents) {
  Facts facts(ranges, extents);
  Expr result = expr;
  // A rule may uncover work for another one higher up; that settles quickly.
  for (int round = 0; round < 3; ++round) {
    Expr next = Simplifier(result, facts).visit(result);
    if (next == result) break;
    result = next;
  }
  return result;
}

bool provably(const Expr& condition, const Ranges& ranges) {
  return provably(condition, ranges, {});
}

bool provably(const Expr& condition, const Ranges& ranges, const Extents& extents) {
  Expr simple = simplify(condition, ranges, extents);
  if (std::optional<int64_t> value = simple.as_const()) return *value != 0;
  Range range = bounds(simple, ranges, extents);
  return range.lo > 0 || range.hi < 0;
}

Expr substitute(const Expr& expr, const Bindings& bindings) {
  return Substituter(expr, bindings).visit(expr);
}

}  // namespace ingot::sym
