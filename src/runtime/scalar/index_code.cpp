#include "runtime/scalar/index_code.h"

#include <charconv>

#include "support/diagnostics.h"

namespace ingot::runtime::scalar {
namespace {

using sym::ExprKind;

int64_t wrap(uint64_t value) { return static_cast<int64_t>(value); }

int64_t floor_div(int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return wrap(0 - static_cast<uint64_t>(a));
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

int64_t floor_mod(int64_t a, int64_t b) {
  if (b == 0 || b == -1) return 0;
  const int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

int64_t apply(ExprKind kind, int64_t a, int64_t b) {
  switch (kind) {
    case ExprKind::kAdd:
      return wrap(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    case ExprKind::kMul:
      return wrap(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    case ExprKind::kFloorDiv:
      return floor_div(a, b);
    case ExprKind::kMod:
      return floor_mod(a, b);
    case ExprKind::kMin:
      return a < b ? a : b;
    case ExprKind::kMax:
      return a > b ? a : b;
    case ExprKind::kLt:
      return a < b;
    case ExprKind::kLe:
      return a <= b;
    case ExprKind::kEq:
      return a == b;
    case ExprKind::kNe:
      return a != b;
    case ExprKind::kAnd:
      return a != 0 && b != 0;
    case ExprKind::kOr:
      return a != 0 || b != 0;
    case ExprKind::kConst:
    case ExprKind::kSymbol:
    case ExprKind::kNot:
    case ExprKind::kSelect:
      break;
  }
  return 0;
}

int64_t at(std::span<const int64_t> values, int64_t position) {
  return static_cast<size_t>(position) < values.size() ? values[static_cast<size_t>(position)] : 0;
}

}  // namespace

Result<IndexCode> IndexCode::compile(const sym::Expr& expr) {
  IndexCode code;
  INGOT_RETURN_IF_ERROR(code.append(expr));
  return code;
}

Status IndexCode::append(const sym::Expr& expr) {
  if (const auto constant = expr.as_const()) {
    items_.push_back({Source::kConst, ExprKind::kConst, *constant});
    return ok_status();
  }
  if (expr.is_symbol()) {
    const std::string& name = expr.symbol_name();
    int64_t number = -1;
    const char* end = name.data() + name.size();
    const bool known =
        name.size() > 1 && std::from_chars(name.data() + 1, end, number).ptr == end && number >= 0;
    Source source = Source::kConst;
    if (name[0] == 'd') source = Source::kScalar;
    if (name[0] == 'a') source = Source::kAxis;
    if (name[0] == 'v') source = Source::kInst;
    if (!known || source == Source::kConst) {
      return make_status(Diag::kBadPackage, "a kernel's index uses the unknown symbol " + name);
    }
    items_.push_back({source, ExprKind::kSymbol, number});
    return ok_status();
  }
  for (const sym::Expr& operand : expr.operands()) INGOT_RETURN_IF_ERROR(append(operand));
  items_.push_back({Source::kOperator, expr.kind(), static_cast<int64_t>(expr.operands().size())});
  return ok_status();
}

int64_t IndexCode::evaluate(const IndexValues& values) const {
  stack_.clear();
  for (const Item& item : items_) {
    switch (item.source) {
      case Source::kConst:
        stack_.push_back(item.value);
        break;
      case Source::kScalar:
        stack_.push_back(at(values.scalars, item.value));
        break;
      case Source::kAxis:
        stack_.push_back(at(values.axes, item.value));
        break;
      case Source::kInst:
        stack_.push_back(at(values.insts, item.value));
        break;
      case Source::kOperator: {
        int64_t* args = stack_.data() + stack_.size() - item.value;
        int64_t result = args[0];
        if (item.kind == ExprKind::kNot) result = args[0] == 0;
        if (item.kind == ExprKind::kSelect) result = args[0] != 0 ? args[1] : args[2];
        if (item.kind != ExprKind::kNot && item.kind != ExprKind::kSelect) {
          for (int64_t i = 1; i < item.value; ++i) result = apply(item.kind, result, args[i]);
        }
        stack_.resize(stack_.size() - static_cast<size_t>(item.value));
        stack_.push_back(result);
        break;
      }
    }
  }
  return stack_.back();
}

}  // namespace ingot::runtime::scalar
