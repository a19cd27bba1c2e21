// Evaluation with checked 64-bit arithmetic.
#include "support/diagnostics.h"
#include "symbolic/node.h"
#include "symbolic/walk.h"

namespace ingot::sym {
namespace {

using Wide = __int128;

class Evaluator {
 public:
  Evaluator(const Expr& root, const Values& values) : values_(values), memo_(root) {}

  // Nothing when there is no value; `error` says why.
  std::optional<int64_t> visit(const Expr& expr) {
    if (std::optional<int64_t> value = expr.as_const()) return value;
    if (expr.is_symbol()) return look_up(expr.symbol_name());
    if (const int64_t* known = memo_.find(expr)) return *known;
    std::optional<int64_t> result = visit_operands(expr.kind(), expr.operands());
    if (result) memo_.insert(expr, *result);
    return result;
  }

  const std::string& error() const { return error_; }

 private:
  std::optional<int64_t> fail(std::string error) {
    error_ = std::move(error);
    return std::nullopt;
  }
  std::optional<int64_t> overflow() { return fail("an intermediate value does not fit in int64"); }

  std::optional<int64_t> look_up(const std::string& name) {
    auto found = values_.find(name);
    if (found == values_.end()) return fail("symbol '" + name + "' has no value");
    return found->second;
  }

  std::optional<int64_t> add(std::span<const Expr> terms) {
    Wide total = 0;
    for (const Expr& term : terms) {
      std::optional<int64_t> value = visit(term);
      if (!value) return std::nullopt;
      total += *value;
    }
    if (total < INT64_MIN || total > INT64_MAX) return overflow();
    return static_cast<int64_t>(total);
  }

  std::optional<int64_t> multiply(std::span<const Expr> factors) {
    int64_t product = 1;
    bool overflowed = false;
    bool zero = false;
    for (const Expr& factor : factors) {
      std::optional<int64_t> value = visit(factor);
      if (!value) return std::nullopt;
      zero |= *value == 0;
      overflowed |= __builtin_mul_overflow(product, *value, &product);
    }
    if (zero) return 0;
    if (overflowed) return overflow();
    return product;
  }

  std::optional<int64_t> divide(ExprKind kind, int64_t a, int64_t b) {
    if (b == 0) return fail("division by zero");
    if (b == -1) {
      if (kind == ExprKind::kMod) return 0;
      if (a == INT64_MIN) return overflow();
      return -a;
    }
    int64_t quotient = a / b;
    int64_t remainder = a % b;
    bool rounds_down = remainder != 0 && (remainder < 0) != (b < 0);
    if (kind == ExprKind::kMod) return rounds_down ? remainder + b : remainder;
    return rounds_down ? quotient - 1 : quotient;
  }

  // One operand that decides makes the other one's error irrelevant, in either order.
  std::optional<int64_t> junction(std::span<const Expr> x, bool deciding) {
    std::optional<int64_t> a = visit(x[0]);
    if (a && (*a != 0) == deciding) return deciding;
    std::optional<int64_t> b = visit(x[1]);
    if (b && (*b != 0) == deciding) return deciding;
    if (!a || !b) return std::nullopt;
    return !deciding;
  }

  std::optional<int64_t> visit_operands(ExprKind kind, std::span<const Expr> x) {
    switch (kind) {
      case ExprKind::kAdd:
        return add(x);
      case ExprKind::kMul:
        return multiply(x);
      case ExprKind::kAnd:
      case ExprKind::kOr:
        return junction(x, kind == ExprKind::kOr);
      case ExprKind::kNot: {
        std::optional<int64_t> a = visit(x[0]);
        if (!a) return std::nullopt;
        return *a == 0;
      }
      case ExprKind::kSelect: {
        std::optional<int64_t> condition = visit(x[0]);
        if (!condition) return std::nullopt;
        return visit(*condition != 0 ? x[1] : x[2]);
      }
      default:
        break;
    }
    std::optional<int64_t> a = visit(x[0]);
    if (!a) return std::nullopt;
    std::optional<int64_t> b = visit(x[1]);
    if (!b) return std::nullopt;
    return binary(kind, *a, *b);
  }

  std::optional<int64_t> binary(ExprKind kind, int64_t a, int64_t b) {
    switch (kind) {
      case ExprKind::kFloorDiv:
      case ExprKind::kMod:
        return divide(kind, a, b);
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
      default:
        return a != b;
    }
  }

  const Values& values_;
  Memo<int64_t> memo_;
  std::string error_;
};

// For messages; an expression with shared parts may have a text of any length.
std::string brief_text(const Expr& expr) {
  return expr.tree_size() <= 64 ? to_string(expr) : "an expression too long to print";
}

}  // namespace

Result<int64_t> evaluate(const Expr& expr, const Values& values) {
  if (std::optional<int64_t> value = expr.as_const()) return *value;
  Evaluator evaluator(expr, values);
  if (std::optional<int64_t> value = evaluator.visit(expr)) return *value;
  return make_status(Diag::kSizeValue,
                     "cannot evaluate " + brief_text(expr) + ": " + evaluator.error());
}

}  // namespace ingot::sym
