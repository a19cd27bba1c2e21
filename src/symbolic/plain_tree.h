// Expressions as the tests write them down, without any simplification.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "symbolic/expr.h"

namespace ingot::sym {

struct Tree {
  ExprKind kind = ExprKind::kConst;
  int64_t value = 0;  // of a constant; of a symbol: its position in a list, if there is one
  std::vector<Tree> operands;
  std::string name = {};  // of a symbol
};

struct TreeOperator {
  std::string_view text;
  size_t level;
  ExprKind kind;
  bool swaps = false;      // a > b is b < a
  bool subtracts = false;  // a - b is a + -1*b
};
inline constexpr TreeOperator kTreeOperators[] = {
    {"or ", 0, ExprKind::kOr},      {"and ", 1, ExprKind::kAnd},
    {"<=", 3, ExprKind::kLe},       {"<", 3, ExprKind::kLt},
    {">=", 3, ExprKind::kLe, true}, {">", 3, ExprKind::kLt, true},
    {"==", 3, ExprKind::kEq},       {"!=", 3, ExprKind::kNe},
    {"+", 4, ExprKind::kAdd},       {"-", 4, ExprKind::kAdd, false, true},
    {"//", 5, ExprKind::kFloorDiv}, {"%", 5, ExprKind::kMod},
    {"*", 5, ExprKind::kMul}};

// Reads well-formed text into a tree: a small parser of its own, so that the proofs do not rest on
// the one that simplifies.
class TreeReader {
 public:
  explicit TreeReader(std::string_view text) : text_(text) {}

  // Level 0 is `or`; each level's operators bind more tightly.
  Tree read(size_t level = 0) {
    if (level == 2 && accept("not ")) return {ExprKind::kNot, 0, {read(2)}};
    if (level == 6) return read_primary();
    Tree left = read(level + 1);
    Tree last = left;
    bool is_chained = false;
    for (const TreeOperator* op = accept_operator(level); op; op = accept_operator(level)) {
      Tree right = read(level + 1);
      Tree next = apply(*op, level == 3 ? last : left, right);
      left = is_chained && level == 3 ? Tree{ExprKind::kAnd, 0, {left, next}} : next;
      last = right;
      is_chained = true;
    }
    return left;
  }

 private:
  static Tree apply(const TreeOperator& op, const Tree& left, const Tree& right) {
    if (op.swaps) return {op.kind, 0, {right, left}};
    if (op.subtracts) return {op.kind, 0, {left, negate(right)}};
    return {op.kind, 0, {left, right}};
  }

  static Tree negate(const Tree& tree) {
    return {ExprKind::kMul, 0, {Tree{ExprKind::kConst, -1, {}}, tree}};
  }

  Tree read_primary() {
    if (accept("-")) return negate(read_primary());
    if (accept("(")) {
      Tree inner = read();
      accept(")");
      return inner;
    }
    skip_spaces();
    size_t end = position_;
    while (end < text_.size() && (isalnum(text_[end]) != 0 || text_[end] == '_')) ++end;
    std::string word(text_.substr(position_, end - position_));
    position_ = end;
    if (isdigit(word[0]) != 0) return {ExprKind::kConst, std::stoll(word), {}};
    if (!accept("(")) return {ExprKind::kSymbol, 0, {}, word};
    Tree call{word == "min"   ? ExprKind::kMin
              : word == "max" ? ExprKind::kMax
                              : ExprKind::kSelect,
              0,
              {}};
    do {
      call.operands.push_back(read());
    } while (accept(","));
    accept(")");
    return call;
  }

  const TreeOperator* accept_operator(size_t level) {
    for (const TreeOperator& op : kTreeOperators) {
      if (op.level == level && accept(op.text)) return &op;
    }
    return nullptr;
  }

  void skip_spaces() {
    while (position_ < text_.size() && text_[position_] == ' ') ++position_;
  }

  bool accept(std::string_view word) {
    skip_spaces();
    if (!text_.substr(position_).starts_with(word)) return false;
    position_ += word.size();
    return true;
  }

  std::string_view text_;
  size_t position_ = 0;
};

}  // namespace ingot::sym
