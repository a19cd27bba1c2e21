// Tables of what the builders and `simplify` make of expressions, as text.
#include <gtest/gtest.h>

#include "symbolic/rule_cases.h"

namespace ingot::sym {
namespace {

Expr read(std::string_view text) {
  Result<Expr> result = parse(text);
  if (!result.ok()) {
    ADD_FAILURE() << result.status().message();
    return 0;
  }
  return *result;
}

void expect_builds(std::span<const RuleCase> cases) {
  for (const RuleCase& c : cases) {
    Expr expr = read(c.input);
    EXPECT_EQ(to_string(expr), c.expected) << "from " << c.input;
    EXPECT_EQ(read(to_string(expr)), expr) << "reading back " << c.input;
  }
}

TEST(Builders, SumsAndProducts) { expect_builds(kSumRules); }
TEST(Builders, Divisions) { expect_builds(kDivisionRules); }
TEST(Builders, Conditions) { expect_builds(kConditionRules); }

TEST(Simplify, WithRangesAndExtents) {
  for (const RuleCase& c : kRangedRules) {
    Expr result = simplify(read(c.input), rule_ranges(), rule_extents());
    EXPECT_EQ(to_string(result), c.expected) << "from " << c.input;
    EXPECT_EQ(simplify(result, rule_ranges(), rule_extents()), result) << c.input;
    EXPECT_EQ(read(to_string(result)), result) << c.input;
  }
}

}  // namespace
}  // namespace ingot::sym
