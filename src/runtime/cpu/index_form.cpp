#include "runtime/cpu/index_form.h"

#include <algorithm>
#include <numeric>

#include "program/expr_facts.h"
#include "support/diagnostics.h"

namespace ingot::runtime::cpu {
namespace {

using sym::ExprKind;

// Deeper expressions are not built: they would need as much stack.
constexpr int kMaxDepth = 200;
// Forms whose values stay within this never wrap, so that algebra on them is exact.
constexpr int64_t kSafe = int64_t{1} << 60;

int64_t wrap_add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t wrap_mul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

int64_t floor_div(int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return wrap_mul(a, -1);
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}
int64_t floor_mod(int64_t a, int64_t b) {
  if (b == 0 || b == -1) return 0;
  const int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

int64_t clamp(__int128 value) {
  if (value < INT64_MIN) return INT64_MIN;
  return value > INT64_MAX ? INT64_MAX : static_cast<int64_t>(value);
}

bool is_safe(const IndexForms::Bounds& bounds) {
  return bounds.low >= -kSafe && bounds.high <= kSafe;
}

}  // namespace

bool IndexForm::is_constant() const {
  return terms.empty() && std::all_of(axis.begin(), axis.end(), [](int64_t c) { return c == 0; });
}

void add_scaled(IndexForm& form, const IndexForm& other, int64_t scale) {
  form.constant = wrap_add(form.constant, wrap_mul(other.constant, scale));
  for (size_t k = 0; k < form.axis.size(); ++k) {
    form.axis[k] = wrap_add(form.axis[k], wrap_mul(other.axis[k], scale));
  }
  for (const ScaledTerm& term : other.terms) {
    const auto at = std::lower_bound(form.terms.begin(), form.terms.end(), term.term,
                                     [](const ScaledTerm& a, TermId id) { return a.term < id; });
    const int64_t scaled = wrap_mul(term.scale, scale);
    if (at == form.terms.end() || at->term != term.term) {
      if (scaled != 0) form.terms.insert(at, {term.term, scaled});
      continue;
    }
    at->scale = wrap_add(at->scale, scaled);
    if (at->scale == 0) form.terms.erase(at);
  }
}

IndexForms::IndexForms(std::span<const int64_t> scalars, std::vector<int64_t> extents,
                       std::vector<IndexForm> axis_forms)
    : scalars_(scalars.begin(), scalars.end()),
      extents_(std::move(extents)),
      axis_forms_(std::move(axis_forms)) {}

Result<IndexForm> IndexForms::build(const sym::Expr& expr) { return build_node(expr, 0); }

IndexForm IndexForms::constant(int64_t value) const {
  return {.constant = value, .axis = std::vector<int64_t>(extents_.size()), .terms = {}};
}

Result<IndexForm> IndexForms::symbol(const sym::Expr& expr) const {
  const program::KernelSymbol found = program::parse_kernel_symbol(expr.symbol_name());
  if (found.kind == program::KernelSymbolKind::kScalar && found.position < scalars_.size()) {
    return constant(scalars_[found.position]);
  }
  if (found.kind == program::KernelSymbolKind::kAxis && found.position < axis_forms_.size()) {
    return axis_forms_[found.position];
  }
  return make_status(Diag::kBadPackage, "an index uses the unknown symbol " + expr.symbol_name());
}

Result<IndexForm> IndexForms::build_node(const sym::Expr& expr, int depth) {
  if (const auto value = expr.as_const()) return constant(*value);
  if (const auto found = built_.find(expr.node()); found != built_.end()) return found->second;
  if (depth > kMaxDepth) return make_status(Diag::kBadPackage, "an index is nested too deeply");
  IndexForm form;
  if (expr.is_symbol()) {
    const program::KernelSymbol found = program::parse_kernel_symbol(expr.symbol_name());
    if (found.kind == program::KernelSymbolKind::kValue) {
      IndexTerm term;
      term.value = found.position;
      form = intern(std::move(term));
    } else {
      INGOT_ASSIGN_OR_RETURN(form, symbol(expr));
    }
  } else {
    std::vector<IndexForm> operands;
    for (const sym::Expr& operand : expr.operands()) {
      INGOT_ASSIGN_OR_RETURN(IndexForm built, build_node(operand, depth + 1));
      operands.push_back(std::move(built));
    }
    if (expr.kind() == ExprKind::kSelect) {
      form = choose(operands[0], operands[1], operands[2]);
    } else if (expr.kind() == ExprKind::kNot) {
      form = compare(ExprKind::kEq, operands[0], constant(0));
    } else {
      form = operands[0];
      for (size_t i = 1; i < operands.size(); ++i) {
        form = combine(expr.kind(), form, operands[i]);
      }
    }
  }
  built_.emplace(expr.node(), form);
  return form;
}

IndexForm IndexForms::combine(ExprKind kind, const IndexForm& a, const IndexForm& b) {
  switch (kind) {
    case ExprKind::kAdd: {
      IndexForm sum = a;
      add_scaled(sum, b, 1);
      return sum;
    }
    case ExprKind::kMul:
      return multiply(a, b);
    case ExprKind::kFloorDiv:
    case ExprKind::kMod:
      return divide(kind, a, b);
    case ExprKind::kMin:
    case ExprKind::kMax:
    case ExprKind::kLt:
    case ExprKind::kLe:
    case ExprKind::kEq:
    case ExprKind::kNe:
      return compare(kind, a, b);
    case ExprKind::kAnd:
    case ExprKind::kOr:
      return logic(kind, a, b);
    case ExprKind::kConst:
    case ExprKind::kSymbol:
    case ExprKind::kNot:
    case ExprKind::kSelect:
      break;
  }
  return a;
}

IndexForms::Bounds IndexForms::bounds(const IndexForm& form) const {
  Bounds result{form.constant, form.constant};
  for (size_t k = 0; k < form.axis.size(); ++k) {
    const __int128 last = static_cast<__int128>(form.axis[k]) * (extents_[k] - 1);
    if (extents_[k] > 0) (last < 0 ? result.low : result.high) += last;
  }
  for (const ScaledTerm& scaled : form.terms) {
    const IndexTerm& term = terms_[scaled.term];
    const __int128 one = static_cast<__int128>(term.low) * scaled.scale;
    const __int128 other = static_cast<__int128>(term.high) * scaled.scale;
    result.low += std::min(one, other);
    result.high += std::max(one, other);
  }
  return result;
}

IndexForm IndexForms::multiply(const IndexForm& a, const IndexForm& b) {
  if (!a.is_constant() && !b.is_constant())
    return intern({.kind = ExprKind::kMul, .operands = {a, b}});
  IndexForm product = constant(0);
  add_scaled(product, a.is_constant() ? b : a, (a.is_constant() ? a : b).constant);
  return product;
}

IndexForm IndexForms::divide(ExprKind kind, const IndexForm& a, const IndexForm& b) {
  if (a.is_constant() && b.is_constant()) {
    return constant(kind == ExprKind::kFloorDiv ? floor_div(a.constant, b.constant)
                                                : floor_mod(a.constant, b.constant));
  }
  if (b.is_constant() && b.constant > 0 && is_safe(bounds(a))) {
    return divide_by_constant(kind, a, b.constant);
  }
  if (b.is_constant() && b.constant == 0) return constant(0);
  return intern({.kind = kind, .operands = {a, b}});
}

// a = divisor * whole + unit * rest + small with 0 <= small < unit, unit a divisor of `divisor`.
IndexForm IndexForms::divide_by_constant(ExprKind kind, const IndexForm& a, int64_t divisor) {
  IndexForm whole = constant(0);
  IndexForm rest = a;
  rest.constant = 0;
  int64_t unit = divisor;
  for (size_t k = 0; k < a.axis.size(); ++k) {
    if (a.axis[k] % divisor == 0) {
      whole.axis[k] = a.axis[k] / divisor;
      rest.axis[k] = 0;
    }
    unit = std::gcd(unit, rest.axis[k]);
  }
  std::vector<ScaledTerm> left;
  for (const ScaledTerm& term : a.terms) {
    if (term.scale % divisor == 0) {
      whole.terms.push_back({term.term, term.scale / divisor});
    } else {
      left.push_back(term);
      unit = std::gcd(unit, term.scale);
    }
  }
  rest.terms = std::move(left);
  whole.constant = floor_div(a.constant, divisor);
  const int64_t offset = floor_mod(a.constant, divisor);
  for (int64_t& coefficient : rest.axis) coefficient /= unit;
  for (ScaledTerm& term : rest.terms) term.scale /= unit;
  rest.constant = offset / unit;
  const int64_t small = offset % unit;
  const int64_t reduced = divisor / unit;
  const Bounds range = bounds(rest);
  const bool fits = range.low >= 0 && range.high < reduced;
  IndexForm result = kind == ExprKind::kFloorDiv ? std::move(whole) : constant(small);
  if (fits) {
    if (kind == ExprKind::kMod) add_scaled(result, rest, unit);
    return result;
  }
  const IndexForm term = intern({.kind = kind, .operands = {rest, constant(reduced)}});
  add_scaled(result, term, kind == ExprKind::kFloorDiv ? 1 : unit);
  return result;
}

IndexForm IndexForms::compare(ExprKind kind, const IndexForm& a, const IndexForm& b) {
  IndexForm difference = a;
  add_scaled(difference, b, -1);
  const Bounds range = bounds(difference);
  const bool safe = is_safe(bounds(a)) && is_safe(bounds(b));
  if (safe) {
    const bool below = range.high < 0;
    const bool above = range.low > 0;
    const bool never_above = range.high <= 0;
    const bool never_below = range.low >= 0;
    const bool same = never_above && never_below;
    if (kind == ExprKind::kMin && (never_above || never_below)) return never_above ? a : b;
    if (kind == ExprKind::kMax && (never_above || never_below)) return never_above ? b : a;
    if (kind == ExprKind::kLt && (below || never_below)) return constant(below);
    if (kind == ExprKind::kLe && (never_above || above)) return constant(never_above);
    if (kind == ExprKind::kEq && (same || below || above)) return constant(same);
    if (kind == ExprKind::kNe && (same || below || above)) return constant(!same);
    // Against 0, equal conditions are found to be equal more often.
    if (kind != ExprKind::kMin && kind != ExprKind::kMax) {
      return intern({.kind = kind, .operands = {difference, constant(0)}});
    }
  }
  return intern({.kind = kind, .operands = {a, b}});
}

IndexForm IndexForms::logic(ExprKind kind, const IndexForm& a, const IndexForm& b) {
  for (const auto& [known, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    if (!known->is_constant()) continue;
    const bool decides = (known->constant != 0) == (kind == ExprKind::kOr);
    if (decides) return constant(known->constant != 0);
    if (other->is_constant()) return constant(other->constant != 0);
    // A condition is its own truth value.
    const Bounds range = bounds(*other);
    if (range.low >= 0 && range.high <= 1) return *other;
    return compare(ExprKind::kNe, *other, constant(0));
  }
  return intern({.kind = kind, .operands = {a, b}});
}

IndexForm IndexForms::choose(const IndexForm& condition, const IndexForm& a, const IndexForm& b) {
  if (condition.is_constant()) return condition.constant != 0 ? a : b;
  if (a == b) return a;
  return intern({.kind = ExprKind::kSelect, .operands = {condition, a, b}});
}

IndexForm IndexForms::intern(IndexTerm term) {
  TermId id = 0;
  while (id < terms_.size() && !(terms_[id].value == term.value && terms_[id].kind == term.kind &&
                                 terms_[id].operands == term.operands)) {
    ++id;
  }
  if (id == terms_.size()) {
    Bounds range{INT64_MIN, INT64_MAX};
    std::vector<Bounds> of;
    for (const IndexForm& operand : term.operands) of.push_back(bounds(operand));
    const bool safe = std::all_of(of.begin(), of.end(), is_safe);
    switch (term.kind) {
      case ExprKind::kFloorDiv:
        // Divisors are positive constants wherever the operand is known.
        if (safe && term.operands[1].is_constant() && of[1].low > 0) {
          range = {floor_div(static_cast<int64_t>(of[0].low), term.operands[1].constant),
                   floor_div(static_cast<int64_t>(of[0].high), term.operands[1].constant)};
        }
        break;
      case ExprKind::kMod:
        if (term.operands[1].is_constant() && of[1].low > 0) range = {0, of[1].low - 1};
        break;
      case ExprKind::kMin:
        if (safe) range = {std::min(of[0].low, of[1].low), std::min(of[0].high, of[1].high)};
        break;
      case ExprKind::kMax:
        if (safe) range = {std::max(of[0].low, of[1].low), std::max(of[0].high, of[1].high)};
        break;
      case ExprKind::kSelect:
        if (safe) range = {std::min(of[1].low, of[2].low), std::max(of[1].high, of[2].high)};
        break;
      case ExprKind::kLt:
      case ExprKind::kLe:
      case ExprKind::kEq:
      case ExprKind::kNe:
      case ExprKind::kAnd:
      case ExprKind::kOr:
        range = {0, 1};
        break;
      default:
        break;
    }
    term.low = clamp(range.low);
    term.high = clamp(range.high);
    terms_.push_back(std::move(term));
  }
  IndexForm form = constant(0);
  form.terms.push_back({id, 1});
  return form;
}

}  // namespace ingot::runtime::cpu
