// Random expressions: what the builders and `simplify` make of them has the value of the plain
// tree.
#include <gtest/gtest.h>

#include "symbolic/random_tree.h"

namespace ingot::sym {
namespace {

// --gtest_random_seed=N draws other trees.
std::mt19937_64 seeded(int test, int mix) {
  auto seed = static_cast<uint64_t>(GTEST_FLAG_GET(random_seed));
  return std::mt19937_64(seed * 10000 + static_cast<uint64_t>(test * 10 + mix));
}

constexpr int kTrees = 2000;
constexpr int kPoints = 12;

Values to_values(const TreeOptions& options, const std::vector<int64_t>& point) {
  Values values;
  for (size_t n = 0; n < point.size(); ++n) values[options.symbols[n]] = point[n];
  return values;
}

void expect_value(const Expr& expr, const Values& values, int64_t expected, const Expr& origin) {
  Result<int64_t> value = evaluate(expr, values);
  ASSERT_TRUE(value.ok()) << value.status().message() << " from " << to_string(origin);
  std::string where;
  for (const auto& [name, number] : values) where += name + "=" + std::to_string(number) + " ";
  ASSERT_EQ(*value, expected) << to_string(expr) << " from " << to_string(origin) << " at "
                              << where;
}

// Every node is what its own operands build, and its text reads back as itself.
void expect_canonical(const Expr& expr) {
  Result<Expr> again = parse(to_string(expr));
  ASSERT_TRUE(again.ok()) << again.status().message();
  ASSERT_EQ(*again, expr) << to_string(expr) << " reads back as " << to_string(*again);
  if (expr.is_const() || expr.is_symbol()) return;
  Expr same = rebuild(expr.kind(), expr.operands());
  ASSERT_EQ(same, expr) << to_string(expr) << " rebuilds as " << to_string(same);
}

class RandomTrees : public ::testing::TestWithParam<int> {
 protected:
  TreeOptions options() const {
    TreeOptions result;
    result.affine_and_division_only = GetParam() == 1;
    if (GetParam() == 2) result.symbols = {"a", "b"};
    return result;
  }
};

TEST_P(RandomTrees, BuildersKeepTheValue) {
  std::mt19937_64 random = seeded(0, GetParam());
  TreeOptions opts = options();
  for (int n = 0; n < kTrees; ++n) {
    Tree tree = random_tree(random, opts, 2 + n % 3);
    Expr expr = build(tree, opts);
    ASSERT_NO_FATAL_FAILURE(expect_canonical(expr));
    for (int p = 0; p < kPoints; ++p) {
      std::vector<int64_t> point;
      for (size_t s = 0; s < opts.symbols.size(); ++s) {
        point.push_back(static_cast<int64_t>(random() % 41) - 20);
      }
      std::optional<int64_t> expected = naive_value(tree, point);
      if (!expected) continue;
      ASSERT_NO_FATAL_FAILURE(expect_value(expr, to_values(opts, point), *expected, expr));
      Range range = bounds(expr, {});
      ASSERT_TRUE(range.lo <= *expected && *expected <= range.hi) << to_string(expr);
    }
  }
}

TEST_P(RandomTrees, SimplifyKeepsTheValueWithinRanges) {
  std::mt19937_64 random = seeded(1, GetParam());
  TreeOptions opts = options();
  for (int n = 0; n < kTrees; ++n) {
    Tree tree = random_tree(random, opts, 2 + n % 3);
    Expr expr = build(tree, opts);
    Ranges ranges;
    std::vector<Range> limits;
    for (const std::string& name : opts.symbols) {
      int64_t lo = static_cast<int64_t>(random() % 31) - 15;
      Range range{lo, lo + static_cast<int64_t>(random() % 12)};
      limits.push_back(range);
      ranges[name] = range;
    }
    Expr simple = simplify(expr, ranges);
    ASSERT_NO_FATAL_FAILURE(expect_canonical(simple));
    Range range = bounds(expr, ranges);
    for (int p = 0; p < kPoints; ++p) {
      std::vector<int64_t> point;
      for (const Range& limit : limits) {
        auto width = static_cast<uint64_t>(limit.hi - limit.lo + 1);
        point.push_back(limit.lo + static_cast<int64_t>(random() % width));
      }
      std::optional<int64_t> expected = naive_value(tree, point);
      if (!expected) continue;
      ASSERT_NO_FATAL_FAILURE(expect_value(simple, to_values(opts, point), *expected, expr));
      ASSERT_TRUE(range.lo <= *expected && *expected <= range.hi) << to_string(expr);
    }
  }
}

// a and b are sizes, i and j axes; c is anything.
TEST_P(RandomTrees, SimplifyKeepsTheValueWithinExtents) {
  std::mt19937_64 random = seeded(2, GetParam());
  TreeOptions opts = options();
  opts.symbols = {"a", "b", "i", "j", "c"};
  opts.max_constant = 4;
  const Expr a = Expr::symbol("a");
  const Expr b = Expr::symbol("b");
  const std::vector<std::pair<Expr, Expr>> extents = {{a, b}, {a * b, b}, {a + 1, a * 2}, {3, a}};
  const Ranges ranges = {{"a", {0, 9}}, {"b", {0, INT64_MAX}}};
  for (int n = 0; n < kTrees; ++n) {
    Tree tree = random_tree(random, opts, 2 + n % 3);
    Expr expr = build(tree, opts);
    const auto& [extent_i, extent_j] = extents[random() % extents.size()];
    Expr simple = simplify(expr, ranges, {{"i", extent_i}, {"j", extent_j}});
    ASSERT_NO_FATAL_FAILURE(expect_canonical(simple));
    for (int p = 0; p < kPoints; ++p) {
      Values sizes = {{"a", random() % 10}, {"b", random() % 14}};
      auto limit_i = static_cast<uint64_t>(*evaluate(extent_i, sizes));
      auto limit_j = static_cast<uint64_t>(*evaluate(extent_j, sizes));
      if (limit_i == 0 || limit_j == 0) continue;
      std::vector<int64_t> point = {
          sizes["a"], sizes["b"], static_cast<int64_t>(random() % limit_i),
          static_cast<int64_t>(random() % limit_j), static_cast<int64_t>(random() % 41) - 20};
      std::optional<int64_t> expected = naive_value(tree, point);
      if (!expected) continue;
      ASSERT_NO_FATAL_FAILURE(expect_value(simple, to_values(opts, point), *expected, expr));
    }
  }
}

TEST_P(RandomTrees, SubstituteKeepsTheValue) {
  std::mt19937_64 random = seeded(3, GetParam());
  TreeOptions opts = options();
  for (int n = 0; n < kTrees / 4; ++n) {
    Tree tree = random_tree(random, opts, 2 + n % 3);
    Tree inner = random_tree(random, opts, 2);
    Expr expr = build(tree, opts);
    Expr replacement = build(inner, opts);
    Expr result = substitute(expr, {{"a", replacement}});
    for (int p = 0; p < kPoints; ++p) {
      std::vector<int64_t> point;
      for (size_t s = 0; s < opts.symbols.size(); ++s) {
        point.push_back(static_cast<int64_t>(random() % 41) - 20);
      }
      std::optional<int64_t> value = naive_value(inner, point);
      if (!value) continue;
      std::vector<int64_t> replaced = point;
      replaced[0] = *value;
      std::optional<int64_t> expected = naive_value(tree, replaced);
      if (!expected) continue;
      ASSERT_NO_FATAL_FAILURE(expect_value(result, to_values(opts, point), *expected, expr));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Mixes, RandomTrees, ::testing::Values(0, 1, 2));

}  // namespace
}  // namespace ingot::sym
