// Integer expressions over named symbols: sizes of dynamic dimensions, index arithmetic of kernels,
// and the conditions (0 or 1) that guard them.
//
// An Expr is an immutable, canonical tree behind a shared pointer. The builders below simplify as
// they build, so two expressions that build to the same form compare equal; they never throw.
//
// Values are mathematical integers. Division and remainder are Python's, and a divisor is taken to
// be non-zero: n // n is 1. A constant that would leave int64 is never folded; `evaluate` reports
// it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/status.h"

namespace ingot::sym {

// The numbers are part of the package format: append only.
enum class ExprKind : uint8_t {
  kConst = 0,
  kSymbol = 1,
  kAdd = 2,       // n-ary, sorted; a constant term comes last
  kMul = 3,       // n-ary, sorted; a constant factor comes first
  kFloorDiv = 4,  // rounds towards minus infinity
  kMod = 5,       // sign of the divisor, as in Python
  kMin = 6,
  kMax = 7,
  kLt = 8,  // conditions: 1 when true, else 0
  kLe = 9,
  kEq = 10,
  kNe = 11,
  kAnd = 12,
  kOr = 13,
  kNot = 14,
  kSelect = 15,  // operands: condition, value if non-zero, value if zero
};

class Expr {
 public:
  Expr();               // the constant 0
  Expr(int64_t value);  // NOLINT: implicit, so that sizes can be written as numbers
  static Expr symbol(std::string_view name);

  ExprKind kind() const;
  bool is_const() const;
  bool is_const(int64_t value) const;
  bool is_symbol() const;
  std::optional<int64_t> as_const() const;
  const std::string& symbol_name() const;  // of a kSymbol
  std::span<const Expr> operands() const;
  size_t hash() const;         // of the structure; the same in every process
  uint32_t depth() const;      // 1 for a constant or symbol
  uint32_t tree_size() const;  // nodes, shared ones counted each time; saturates

  // Structural equality of the canonical forms.
  friend bool operator==(const Expr& a, const Expr& b);

  struct Node;
  // For the builders: wraps a node as it is.
  explicit Expr(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  const Node* node() const { return node_.get(); }  // null only when moved from

 private:
  std::shared_ptr<const Node> node_;
};

// Made by the builders of this library only.
struct Expr::Node {
  ExprKind kind = ExprKind::kConst;
  uint8_t flags = 0;  // symbolic/node.h
  uint32_t depth = 1;
  uint32_t tree_size = 1;
  uint32_t operand_count = 0;
  uint64_t hash = 0;
  uint64_t symbols = 0;  // a Bloom filter of the symbols' names
  int64_t value = 0;     // of a kConst
  const Expr* operands = nullptr;
};

inline ExprKind Expr::kind() const { return node_->kind; }
inline std::span<const Expr> Expr::operands() const {
  return {node_->operands, node_->operand_count};
}
inline std::optional<int64_t> Expr::as_const() const {
  if (node_->kind != ExprKind::kConst) return std::nullopt;
  return node_->value;
}
inline bool Expr::is_const() const { return node_->kind == ExprKind::kConst; }
inline bool Expr::is_const(int64_t value) const { return is_const() && node_->value == value; }
inline bool Expr::is_symbol() const { return node_->kind == ExprKind::kSymbol; }
inline size_t Expr::hash() const { return node_->hash; }
inline uint32_t Expr::depth() const { return node_->depth; }
inline uint32_t Expr::tree_size() const { return node_->tree_size; }

// A total order that depends on the structure alone (never on addresses).
int compare(const Expr& a, const Expr& b);
struct ExprLess {
  bool operator()(const Expr& a, const Expr& b) const { return compare(a, b) < 0; }
};

struct ExprHash {
  size_t operator()(const Expr& expr) const { return expr.hash(); }
};

// The deepest expression the parsers accept; decoders of foreign data must hold to it too, because
// everything here walks expressions recursively.
inline constexpr uint32_t kMaxDepth = 200;

Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator-(const Expr& a);
Expr operator*(const Expr& a, const Expr& b);
inline Expr& operator+=(Expr& a, const Expr& b) { return a = a + b; }
inline Expr& operator*=(Expr& a, const Expr& b) { return a = a * b; }
Expr floor_div(const Expr& a, const Expr& b);
Expr mod(const Expr& a, const Expr& b);
Expr ceil_div(const Expr& a, const Expr& b);  // b must be positive
Expr align_up(const Expr& a, int64_t multiple);
Expr min(const Expr& a, const Expr& b);
Expr max(const Expr& a, const Expr& b);
Expr lt(const Expr& a, const Expr& b);
Expr le(const Expr& a, const Expr& b);
Expr eq(const Expr& a, const Expr& b);
Expr ne(const Expr& a, const Expr& b);
Expr logical_and(const Expr& a, const Expr& b);
Expr logical_or(const Expr& a, const Expr& b);
Expr logical_not(const Expr& a);
Expr select(const Expr& cond, const Expr& if_true, const Expr& if_false);
// Sum of all terms, in one go (adding n terms one by one takes quadratic time); 0 for none.
Expr sum(std::span<const Expr> terms);
// Product of all sizes; 1 for none.
Expr product(std::span<const Expr> sizes);
// The number of operands that `rebuild` takes, or nothing where it takes any number from one: kAdd,
// kMul, kMin, kMax, kAnd and kOr. (A node of the last four has two; longer ones are trees.)
std::optional<size_t> operand_count(ExprKind kind);
// Rebuilds a node of `kind` through the builder above that belongs to it. The number of operands
// must be right, and the kind neither kConst nor kSymbol.
Expr rebuild(ExprKind kind, std::span<const Expr> operands);

using Bindings = std::map<std::string, Expr, std::less<>>;
// Replaces symbols and simplifies again. Unbound symbols stay.
Expr substitute(const Expr& expr, const Bindings& bindings);
void collect_symbols(const Expr& expr, std::set<std::string, std::less<>>& names);
bool uses_symbol(const Expr& expr, std::string_view name);

// An inclusive range; the int64 limits mean unbounded.
struct Range {
  int64_t lo = INT64_MIN;
  int64_t hi = INT64_MAX;
  friend bool operator==(const Range&, const Range&) = default;
};
using Ranges = std::map<std::string, Range, std::less<>>;

// Loop axes by name: 0 <= axis < extent. An axis that has no point (its extent is 0 or less) makes
// every statement below true, so extents count as at least 1: simplify what runs inside the loops
// with them, and what the host computes without.
using Extents = std::map<std::string, Expr, std::less<>>;

// A range that holds every value of `expr` when each symbol is within its own (absent: unbounded).
Range bounds(const Expr& expr, const Ranges& ranges);
Range bounds(const Expr& expr, const Ranges& ranges, const Extents& extents);
// Simplifies with the help of ranges: (i mod n) is i when 0 <= i < n, min and max fold, and so on.
Expr simplify(const Expr& expr, const Ranges& ranges);
// Also (i*n + j) // n is i when the extent of j is n, and so on.
Expr simplify(const Expr& expr, const Ranges& ranges, const Extents& extents);
// True when the condition holds for all values within the ranges; false means "not provable".
bool provably(const Expr& condition, const Ranges& ranges);
bool provably(const Expr& condition, const Ranges& ranges, const Extents& extents);

// expr == coefficient * symbol + rest, neither using the symbol.
struct Linear {
  Expr coefficient;
  Expr rest;
};
// The split above, or nothing when `expr` is not linear in the symbol.
std::optional<Linear> split_linear(const Expr& expr, std::string_view symbol);

// Infix text that `parse` reads back: "2*s0 + 1", "i0 // 4", "min(a, b)", "a < b", "a and b".
std::string to_string(const Expr& expr);
Result<Expr> parse(std::string_view text);
// Both spellings that torch.export writes: sympy.srepr ("Mul(Integer(2), Symbol('s0', …))") and
// str ("2*s0", "(s0//2)", "Max(1, s0)", "Mod(s0, 2)").
Result<Expr> parse_sympy(std::string_view text);
// Symbol values at run time.
using Values = std::map<std::string, int64_t, std::less<>>;

// The value under the bindings. An error for an unbound symbol, a division by zero or overflow.
Result<int64_t> evaluate(const Expr& expr, const Values& values);

}  // namespace ingot::sym
