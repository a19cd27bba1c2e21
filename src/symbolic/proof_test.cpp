// Proofs by z3 that every rule of the tables keeps the value, for all integers.
//
// Products and quotients of symbols are beyond a decision procedure, so the symbols that occur in
// divisors, and all but one of those multiplied with each other, take each of a few values in turn;
// the others stay free.
#include <gtest/gtest.h>
#include <z3++.h>

#include <algorithm>
#include <set>

#include "symbolic/plain_tree.h"
#include "symbolic/rule_cases.h"

namespace ingot::sym {
namespace {

using Names = std::set<std::string>;

void symbols_of(const Tree& tree, Names& names) {
  if (tree.kind == ExprKind::kSymbol) names.insert(tree.name);
  for (const Tree& operand : tree.operands) symbols_of(operand, names);
}

Tree to_tree(const Expr& expr) {
  Tree tree;
  tree.kind = expr.kind();
  tree.value = expr.as_const().value_or(0);
  tree.name = expr.symbol_name();
  for (const Expr& operand : expr.operands()) tree.operands.push_back(to_tree(operand));
  return tree;
}

// The symbols that must have a value for the tree to be linear in the others.
void find_nonlinear(const Tree& tree, Names& fixed) {
  if (tree.kind == ExprKind::kFloorDiv || tree.kind == ExprKind::kMod) {
    symbols_of(tree.operands[1], fixed);
  }
  if (tree.kind == ExprKind::kMul) {
    bool has_free = false;
    for (const Tree& operand : tree.operands) {
      Names names;
      symbols_of(operand, names);
      if (std::includes(fixed.begin(), fixed.end(), names.begin(), names.end())) continue;
      if (has_free) fixed.insert(names.begin(), names.end());
      has_free = true;
    }
  }
  for (const Tree& operand : tree.operands) find_nonlinear(operand, fixed);
}

class Prover {
 public:
  explicit Prover(const std::map<std::string, int64_t>& fixed) : fixed_(fixed), solver_(context_) {}

  // SMT's quotient rounds down where the divisor is positive.
  z3::expr quotient(const z3::expr& a, const z3::expr& b) {
    solver_.add(b != 0);
    return z3::ite(b > 0, z3::expr(context_, Z3_mk_div(context_, a, b)),
                   z3::expr(context_, Z3_mk_div(context_, -a, -b)));
  }

  z3::expr translate(const Tree& tree) {
    if (tree.kind == ExprKind::kConst) return context_.int_val(tree.value);
    if (tree.kind == ExprKind::kSymbol) {
      auto found = fixed_.find(tree.name);
      return found == fixed_.end() ? context_.int_const(tree.name.c_str())
                                   : context_.int_val(found->second);
    }
    std::vector<z3::expr> x;
    for (const Tree& operand : tree.operands) x.push_back(translate(operand));
    z3::expr result = x[0];
    for (size_t n = 1; n < x.size(); ++n) {
      if (tree.kind == ExprKind::kAdd) result = result + x[n];
      if (tree.kind == ExprKind::kMul) result = result * x[n];
      if (tree.kind == ExprKind::kMin) result = z3::ite(result < x[n], result, x[n]);
      if (tree.kind == ExprKind::kMax) result = z3::ite(result > x[n], result, x[n]);
    }
    switch (tree.kind) {
      case ExprKind::kFloorDiv:
        return quotient(x[0], x[1]);
      case ExprKind::kMod:
        return x[0] - quotient(x[0], x[1]) * x[1];
      case ExprKind::kLt:
        return number(x[0] < x[1]);
      case ExprKind::kLe:
        return number(x[0] <= x[1]);
      case ExprKind::kEq:
        return number(x[0] == x[1]);
      case ExprKind::kNe:
        return number(x[0] != x[1]);
      case ExprKind::kAnd:
        return number(x[0] != 0 && x[1] != 0);
      case ExprKind::kOr:
        return number(x[0] != 0 || x[1] != 0);
      case ExprKind::kNot:
        return number(x[0] == 0);
      case ExprKind::kSelect:
        return z3::ite(x[0] != 0, x[1], x[2]);
      default:
        return result;
    }
  }

  void assume(const Tree& condition) { solver_.add(translate(condition) != 0); }

  z3::check_result find_difference(const Tree& a, const Tree& b) {
    solver_.add(translate(a) != translate(b));
    return solver_.check();
  }

 private:
  z3::expr number(const z3::expr& condition) {
    return z3::ite(condition, context_.int_val(1), context_.int_val(0));
  }

  std::map<std::string, int64_t> fixed_;
  z3::context context_;
  z3::solver solver_;
};

// What the ranges and extents say, for the symbols that the proof is about.
std::vector<Tree> assumptions() {
  std::vector<Tree> result;
  for (const auto& [name, range] : rule_ranges()) {
    result.push_back(TreeReader(std::to_string(range.lo) + " <= " + name).read());
    if (range.hi == INT64_MAX) continue;
    result.push_back(TreeReader(name + " <= " + std::to_string(range.hi)).read());
  }
  for (const auto& [name, extent] : rule_extents()) {
    result.push_back(TreeReader("0 <= " + name).read());
    result.push_back(TreeReader(name + " < " + to_string(extent)).read());
  }
  return result;
}

// Calls `visit` with every choice of values for the names.
template <typename Visit>
void for_each_choice(const Names& names, std::span<const int64_t> values, const Visit& visit) {
  std::vector<size_t> choice(names.size(), 0);
  while (true) {
    std::map<std::string, int64_t> fixed;
    size_t position = 0;
    for (const std::string& name : names) fixed[name] = values[choice[position++]];
    visit(fixed);
    size_t carry = 0;
    while (carry < choice.size() && ++choice[carry] == values.size()) choice[carry++] = 0;
    if (carry == choice.size()) return;
  }
}

void prove_all(std::span<const RuleCase> cases, std::span<const int64_t> values, bool is_ranged) {
  for (const RuleCase& c : cases) {
    Tree before = TreeReader(c.input).read();
    Result<Expr> built = parse(c.input);
    ASSERT_TRUE(built.ok()) << c.input;
    Expr simple = is_ranged ? simplify(*built, rule_ranges(), rule_extents()) : *built;
    Tree after = to_tree(simple);
    Names fixed;
    find_nonlinear(before, fixed);
    find_nonlinear(after, fixed);
    if (is_ranged) {
      for (const Tree& assumption : assumptions()) find_nonlinear(assumption, fixed);
    }
    for_each_choice(fixed, values, [&](const std::map<std::string, int64_t>& choice) {
      Prover prover(choice);
      if (is_ranged) {
        for (const Tree& assumption : assumptions()) prover.assume(assumption);
      }
      EXPECT_EQ(prover.find_difference(before, after), z3::unsat)
          << c.input << " is not " << to_string(simple);
    });
  }
}

constexpr int64_t kAnyValues[] = {-3, 1, 2, 4};
constexpr int64_t kSizes[] = {1, 2, 5};

TEST(Proof, Sums) { prove_all(kSumRules, kAnyValues, false); }
TEST(Proof, Divisions) { prove_all(kDivisionRules, kAnyValues, false); }
TEST(Proof, Conditions) { prove_all(kConditionRules, kAnyValues, false); }
TEST(Proof, Ranged) { prove_all(kRangedRules, kSizes, true); }

// The prover itself: it must find the point where two things differ.
TEST(Proof, FindsDifferences) {
  Prover prover({});
  Tree a = TreeReader("(x + 1) // 2").read();
  Tree b = TreeReader("x // 2").read();
  EXPECT_EQ(prover.find_difference(a, b), z3::sat);
}

}  // namespace
}  // namespace ingot::sym
