// Infix text of expressions.
#include <algorithm>
#include <array>

#include "symbolic/names.h"
#include "symbolic/term.h"

namespace ingot::sym {
namespace {

// How tightly the operators bind, loosest first.
enum Precedence { kOr, kAnd, kComparison, kAdditive, kMultiplicative, kAtom };

Precedence precedence_of(const Expr& expr) {
  switch (expr.kind()) {
    case ExprKind::kConst:
      return *expr.as_const() < 0 ? kAdditive : kAtom;
    case ExprKind::kAdd:
      return kAdditive;
    case ExprKind::kMul:
    case ExprKind::kFloorDiv:
    case ExprKind::kMod:
      return kMultiplicative;
    case ExprKind::kLt:
    case ExprKind::kLe:
    case ExprKind::kEq:
    case ExprKind::kNe:
      return kComparison;
    case ExprKind::kAnd:
      return kAnd;
    case ExprKind::kOr:
      return kOr;
    default:
      return kAtom;
  }
}

const char* operator_text(ExprKind kind) {
  switch (kind) {
    case ExprKind::kFloorDiv:
      return " // ";
    case ExprKind::kMod:
      return " % ";
    case ExprKind::kLt:
      return " < ";
    case ExprKind::kLe:
      return " <= ";
    case ExprKind::kEq:
      return " == ";
    case ExprKind::kNe:
      return " != ";
    case ExprKind::kAnd:
      return " and ";
    default:
      return " or ";
  }
}

class Printer {
 public:
  std::string take() { return std::move(text_); }

  void print(const Expr& expr) {
    switch (expr.kind()) {
      case ExprKind::kConst:
        text_ += std::to_string(*expr.as_const());
        break;
      case ExprKind::kSymbol:
        append_symbol(expr.symbol_name(), text_);
        break;
      case ExprKind::kAdd:
        print_sum(expr.operands());
        break;
      case ExprKind::kMul:
        print_product(expr.operands());
        break;
      case ExprKind::kMin:
        print_call("min", expr);
        break;
      case ExprKind::kMax:
        print_call("max", expr);
        break;
      case ExprKind::kSelect:
        print_call("select", expr);
        break;
      case ExprKind::kNot:
        print_call("not", expr);
        break;
      default:
        print_binary(expr);
    }
  }

 private:
  void print_at_least(const Expr& expr, Precedence minimum) {
    bool parenthesize = precedence_of(expr) < minimum;
    if (parenthesize) text_ += '(';
    print(expr);
    if (parenthesize) text_ += ')';
  }

  void print_sum(std::span<const Expr> terms) {
    print_at_least(terms[0], kMultiplicative);
    for (const Expr& term : terms.subspan(1)) {
      int64_t coefficient = term_of(term).coefficient;
      if (coefficient < 0 && coefficient != INT64_MIN) {
        text_ += " - ";
        print_at_least(-term, kMultiplicative);
      } else {
        text_ += " + ";
        print_at_least(term, kMultiplicative);
      }
    }
  }

  void print_product(std::span<const Expr> factors) {
    // A sum must not take the sign: it would be multiplied by it when read back.
    if (factors[0].is_const(-1) && factors[1].kind() != ExprKind::kAdd && !factors[1].is_const()) {
      text_ += '-';
      factors = factors.subspan(1);
    }
    // A leading constant needs no parentheses, though it may be negative.
    if (factors[0].is_const()) {
      print(factors[0]);
    } else {
      print_at_least(factors[0], kAtom);
    }
    for (const Expr& factor : factors.subspan(1)) {
      text_ += '*';
      print_at_least(factor, kAtom);
    }
  }

  void print_call(const char* name, const Expr& expr) {
    text_ += name;
    text_ += '(';
    print_arguments(expr);
    text_ += ')';
  }

  // Those of a nested minimum or maximum of the same kind are printed as one list.
  void print_arguments(const Expr& expr) {
    bool nests = expr.kind() == ExprKind::kMin || expr.kind() == ExprKind::kMax;
    bool first = true;
    for (const Expr& operand : expr.operands()) {
      if (!first) text_ += ", ";
      first = false;
      if (nests && operand.kind() == expr.kind()) {
        print_arguments(operand);
      } else {
        print(operand);
      }
    }
  }

  void print_binary(const Expr& expr) {
    Precedence own = precedence_of(expr);
    // Arithmetic operands are set apart for the eye; chains of one logical operator are not.
    bool is_logic = own == kAnd || own == kOr;
    bool is_division = own == kMultiplicative;
    Precedence operand = is_division ? kAtom : is_logic ? own : kAdditive;
    print_at_least(expr.operands()[0], operand);
    text_ += operator_text(expr.kind());
    print_at_least(expr.operands()[1], operand);
  }

  std::string text_;
};

}  // namespace

std::string to_string(const Expr& expr) {
  Printer printer;
  printer.print(expr);
  return printer.take();
}

}  // namespace ingot::sym
