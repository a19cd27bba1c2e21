// Comparisons, logic, selection, minimum and maximum.
//
// A comparison keeps the terms with positive coefficients on its left and the others on its right,
// divided by what they have in common; a < b + 1 and a <= b are the same.
#include <algorithm>
#include <numeric>

#include "symbolic/facts.h"
#include "symbolic/node.h"
#include "symbolic/term.h"

namespace ingot::sym {
namespace {

// difference == scale * (left - right) + constant, scale > 0, only positive coefficients.
struct Balance {
  Expr left;
  Expr right;
  int64_t scale = 1;
  int64_t constant = 0;
};

// Nothing when constants leave int64 on the way, or come so near that they might.
std::optional<Balance> balance(const Expr& a, const Expr& b) {
  Expr difference = a - b;
  if (((flags_of(difference) | flags_of(a) | flags_of(b)) & kHasOverflow) != 0) return std::nullopt;
  uint64_t common = 0;
  for (const Expr& term : terms_of(difference)) {
    if (!term.is_const()) common = std::gcd(common, magnitude(term_of(term).coefficient));
  }
  if (common > INT64_MAX) return std::nullopt;
  Balance result;
  if (common > 1) result.scale = static_cast<int64_t>(common);
  std::vector<Expr> left;
  std::vector<Expr> right;
  for (const Expr& term : terms_of(difference)) {
    TermView view = term_of(term);
    if (term.is_const()) {
      result.constant = view.coefficient;
      continue;
    }
    int64_t coefficient = view.coefficient / result.scale;
    if (coefficient == INT64_MIN) return std::nullopt;
    std::vector<Expr>& side = coefficient > 0 ? left : right;
    side.push_back(make_term(coefficient > 0 ? coefficient : -coefficient, view.factors));
  }
  bool is_extreme = result.constant == INT64_MIN || result.constant == INT64_MAX;
  if (is_extreme || (left.empty() && right.empty())) return std::nullopt;
  result.left = sum(left);
  result.right = sum(right);
  return result;
}

bool holds(ExprKind kind, int64_t a, int64_t b) {
  switch (kind) {
    case ExprKind::kLt:
      return a < b;
    case ExprKind::kLe:
      return a <= b;
    case ExprKind::kEq:
      return a == b;
    default:
      return a != b;
  }
}

// The relation as it is, but for that of a condition and a constant, which is the condition, its
// opposite or a constant.
Expr make_relation(ExprKind kind, const Expr& a, const Expr& b) {
  const Expr& condition = a.is_const() ? b : a;
  std::optional<int64_t> value = a.is_const() ? a.as_const() : b.as_const();
  if (!value || condition.is_const() || !is_boolean(condition)) return make_node(kind, a, b);
  bool if_false = a.is_const() ? holds(kind, *value, 0) : holds(kind, 0, *value);
  bool if_true = a.is_const() ? holds(kind, *value, 1) : holds(kind, 1, *value);
  if (if_false == if_true) return if_true;
  return if_true ? condition : logical_not(condition);
}

// scale * (left - right) + constant <= 0.
Expr balanced_le(const Balance& parts) {
  int64_t limit = floor_quotient(-parts.constant, parts.scale);  // left <= right + limit
  if (parts.left.is_const()) return make_relation(ExprKind::kLe, -limit, parts.right);
  if (limit == -1) return make_relation(ExprKind::kLt, parts.left, parts.right);
  if (limit < 0 && !parts.right.is_const())
    return make_relation(ExprKind::kLe, parts.left + -limit, parts.right);
  return make_relation(ExprKind::kLe, parts.left, parts.right + limit);
}

// scale * (left - right) + constant == 0, or != 0.
Expr balanced_eq(ExprKind kind, Balance parts) {
  if (parts.constant % parts.scale != 0) return kind == ExprKind::kNe;
  bool swapped = !parts.right.is_const() && compare(parts.left, parts.right) > 0;
  if (swapped || parts.left.is_const()) {
    std::swap(parts.left, parts.right);
    parts.constant = -parts.constant;
  }
  int64_t offset = parts.constant / parts.scale;  // left + offset == right
  if (offset > 0 && !parts.right.is_const()) {
    return make_relation(kind, parts.left + offset, parts.right);
  }
  return make_relation(kind, parts.left, parts.right - offset);
}

// The operands of a tree of one binary operation.
void collect_chain(ExprKind kind, const Expr& expr, std::vector<Expr>& out) {
  if (expr.kind() != kind) {
    out.push_back(expr);
    return;
  }
  for (const Expr& operand : expr.operands()) collect_chain(kind, operand, out);
}

void sort_unique(std::vector<Expr>& operands) {
  std::sort(operands.begin(), operands.end(), ExprLess());
  operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
}

// A balanced tree of binary nodes, so that long chains stay shallow.
Expr make_chain(ExprKind kind, std::span<const Expr> operands) {
  if (operands.size() == 1) return operands[0];
  size_t half = (operands.size() + 1) / 2;
  return make_node(kind, make_chain(kind, operands.first(half)),
                   make_chain(kind, operands.subspan(half)));
}

// Operands up to which each is compared with each other one.
constexpr size_t kMaxCompared = 16;

// The relation decided by proof, where it can be.
std::optional<bool> decide(ExprKind kind, const Expr& a, const Expr& b, const Facts& facts) {
  switch (kind) {
    case ExprKind::kLt:
      if (facts.is_less(a, b)) return true;
      if (facts.is_less_equal(b, a)) return false;
      return std::nullopt;
    case ExprKind::kLe:
      if (facts.is_less_equal(a, b)) return true;
      if (facts.is_less(b, a)) return false;
      return std::nullopt;
    default:
      if (a == b) return kind == ExprKind::kEq;
      if (facts.is_less(a, b) || facts.is_less(b, a)) return kind == ExprKind::kNe;
      return std::nullopt;
  }
}

}  // namespace

// Drops every operand that another one makes superfluous: the larger ones of a minimum.
Expr extremum(ExprKind kind, std::span<const Expr> operands, const Facts& facts) {
  bool is_min = kind == ExprKind::kMin;
  auto covers = [&](const Expr& x, const Expr& y) {
    return is_min ? facts.is_less_equal(x, y) : facts.is_less_equal(y, x);
  };
  std::vector<Expr> all;
  for (const Expr& operand : operands) collect_chain(kind, operand, all);
  sort_unique(all);
  if (all.size() > kMaxCompared) return make_chain(kind, all);
  std::vector<Expr> kept;
  for (const Expr& operand : all) {
    bool superfluous = std::any_of(kept.begin(), kept.end(),
                                   [&](const Expr& other) { return covers(other, operand); });
    if (superfluous) continue;
    std::erase_if(kept, [&](const Expr& other) { return covers(operand, other); });
    kept.push_back(operand);
  }
  return make_chain(kind, kept);
}

// And, or: the neutral constant has no effect, the other one decides.
Expr junction(ExprKind kind, std::span<const Expr> operands) {
  int64_t neutral = kind == ExprKind::kAnd ? 1 : 0;
  std::vector<Expr> all;
  for (const Expr& operand : operands) {
    collect_chain(kind, is_boolean(operand) ? operand : ne(operand, 0), all);
  }
  std::erase_if(all, [&](const Expr& operand) { return operand.is_const(neutral); });
  sort_unique(all);
  if (all.empty()) return neutral;
  if (all[0].is_const()) return 1 - neutral;  // constants sort first
  for (size_t i = 0; i < all.size() && all.size() <= kMaxCompared; ++i) {
    Expr opposite = logical_not(all[i]);
    if (std::find(all.begin(), all.end(), opposite) != all.end()) return 1 - neutral;
  }
  return make_chain(kind, all);
}

bool is_boolean(const Expr& expr) {
  if (expr.is_const()) return expr.is_const(0) || expr.is_const(1);
  return expr.kind() >= ExprKind::kLt && expr.kind() <= ExprKind::kNot;
}

Expr relation(ExprKind kind, const Expr& a, const Expr& b, const Facts& facts) {
  if (std::optional<bool> known = decide(kind, a, b, facts)) return *known ? 1 : 0;
  std::optional<Balance> parts = balance(a, b);
  if (!parts) return make_relation(kind, a, b);
  if (kind == ExprKind::kEq || kind == ExprKind::kNe) return balanced_eq(kind, *parts);
  if (kind == ExprKind::kLt) ++parts->constant;
  return balanced_le(*parts);
}

Expr lt(const Expr& a, const Expr& b) { return relation(ExprKind::kLt, a, b, Facts::none()); }
Expr le(const Expr& a, const Expr& b) { return relation(ExprKind::kLe, a, b, Facts::none()); }
Expr eq(const Expr& a, const Expr& b) { return relation(ExprKind::kEq, a, b, Facts::none()); }
Expr ne(const Expr& a, const Expr& b) { return relation(ExprKind::kNe, a, b, Facts::none()); }

Expr min(const Expr& a, const Expr& b) { return rebuild(ExprKind::kMin, {{a, b}}); }
Expr max(const Expr& a, const Expr& b) { return rebuild(ExprKind::kMax, {{a, b}}); }
Expr logical_and(const Expr& a, const Expr& b) { return rebuild(ExprKind::kAnd, {{a, b}}); }
Expr logical_or(const Expr& a, const Expr& b) { return rebuild(ExprKind::kOr, {{a, b}}); }

Expr logical_not(const Expr& a) {
  std::span<const Expr> x = a.operands();
  switch (a.kind()) {
    case ExprKind::kConst:
      return a.is_const(0) ? 1 : 0;
    case ExprKind::kLt:
      return le(x[1], x[0]);
    case ExprKind::kLe:
      return lt(x[1], x[0]);
    case ExprKind::kEq:
      return ne(x[0], x[1]);
    case ExprKind::kNe:
      return eq(x[0], x[1]);
    case ExprKind::kAnd:
      return logical_or(logical_not(x[0]), logical_not(x[1]));
    case ExprKind::kOr:
      return logical_and(logical_not(x[0]), logical_not(x[1]));
    default:
      return eq(a, 0);
  }
}

Expr select(const Expr& cond, const Expr& if_true, const Expr& if_false) {
  Expr test = is_boolean(cond) ? cond : ne(cond, 0);
  if (std::optional<int64_t> value = test.as_const()) return *value != 0 ? if_true : if_false;
  if (if_true == if_false) return if_true;
  if (if_true.is_const(1) && if_false.is_const(0)) return test;
  if (if_true.is_const(0) && if_false.is_const(1)) return logical_not(test);
  return make_node(ExprKind::kSelect, test, if_true, if_false);
}

}  // namespace ingot::sym
