#include "program/access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "program/interval.h"
#include "program/testing.h"

namespace ingot::program {
namespace {

using sym::Expr;
using sym::Range;
using ::testing::HasSubstr;

Expr symbol(const char* name) { return Expr::symbol(name); }

Range range_of(const Expr& expr, std::vector<Range> axes, std::vector<int64_t> scalars = {}) {
  return interval_of(expr, {.scalars = scalars, .axes = axes, .values = {}}).range;
}

TEST(Interval, HoldsEveryValue) {
  // Random expressions over two axes against all their values.
  std::mt19937 random(7);
  const std::vector<Range> axes = {{0, 4}, {-3, 6}};
  for (int round = 0; round < 2000; ++round) {
    std::vector<Expr> pool = {symbol("a0"), symbol("a1"),
                              Expr(static_cast<int64_t>(random() % 7) - 3)};
    for (int i = 0; i < 5; ++i) {
      const Expr& a = pool[random() % pool.size()];
      const Expr& b = pool[random() % pool.size()];
      const Expr positive = Expr(static_cast<int64_t>(1 + random() % 4));
      const Expr choices[] = {a + b,
                              a * b,
                              a - b,
                              sym::floor_div(a, positive),
                              sym::mod(a, positive),
                              sym::min(a, b),
                              sym::max(a, b),
                              sym::lt(a, b),
                              sym::select(sym::le(a, b), a, b),
                              sym::logical_and(sym::ne(a, b), sym::lt(a, 3)),
                              sym::logical_not(sym::eq(a, b))};
      pool.push_back(choices[random() % std::size(choices)]);
    }
    const Expr& expr = pool.back();
    const Range range = range_of(expr, axes);
    for (int64_t x = axes[0].lo; x <= axes[0].hi; ++x) {
      for (int64_t y = axes[1].lo; y <= axes[1].hi; ++y) {
        const auto value = sym::evaluate(expr, {{"a0", x}, {"a1", y}});
        ASSERT_TRUE(value.ok()) << sym::to_string(expr);
        ASSERT_LE(range.lo, *value) << sym::to_string(expr);
        ASSERT_GE(range.hi, *value) << sym::to_string(expr);
      }
    }
  }
}

TEST(Interval, IsExactForAffineIndices) {
  EXPECT_EQ(range_of(symbol("a0") * 64 + symbol("a1") * 2 + 5, {{0, 9}, {0, 31}}),
            (Range{5, 9 * 64 + 62 + 5}));
  EXPECT_EQ(range_of(symbol("a0") * -3 + symbol("d0"), {{0, 4}}, {12}), (Range{0, 12}));
}

TEST(Interval, OverflowIsUnbounded) {
  const Range large{0, INT64_MAX - 1};
  EXPECT_EQ(range_of(symbol("a0") + symbol("a0"), {large}), kUnbounded);
  EXPECT_EQ(range_of(symbol("a0") * symbol("a0"), {large}), kUnbounded);
  EXPECT_EQ(range_of(symbol("v3"), {}), kUnbounded);
  EXPECT_EQ(range_of(sym::mod(symbol("v3"), 8), {}), (Range{0, 7}));
  EXPECT_EQ(range_of(sym::min(sym::max(symbol("v3"), 0), 9), {}), (Range{0, 9}));
}

TEST(Interval, FindsBadDivisors) {
  const std::vector<int64_t> scalars = {0};
  const SymbolRanges ranges{.scalars = scalars, .axes = {}, .values = {}};
  EXPECT_TRUE(interval_of(sym::floor_div(symbol("d1"), symbol("d0")), ranges).bad_divisor);
  EXPECT_FALSE(interval_of(sym::floor_div(symbol("d1"), 2), ranges).bad_divisor);
}

class Access : public ::testing::Test {
 protected:
  // Whether the launch's accesses are proved, by instruction.
  std::vector<bool> proved(const Kernel& kernel, std::vector<int64_t> scalars,
                           std::vector<int64_t> elements) {
    auto access = body_access(kernel.body, {scalars, elements});
    EXPECT_TRUE(access.ok()) << access.status().message();
    return access.ok() ? access->proved : std::vector<bool>();
  }
  bool all_proved(const Kernel& kernel, std::vector<int64_t> scalars,
                  std::vector<int64_t> elements) {
    const std::vector<bool> result = proved(kernel, std::move(scalars), std::move(elements));
    return std::find(result.begin(), result.end(), false) == result.end();
  }

  Program program_ = make_test_program();
  const Kernel& row_ = program_.kernels[0];
  const Kernel& scatter_ = program_.kernels[1];
};

TEST_F(Access, BuffersMustBeLargeEnough) {
  EXPECT_TRUE(all_proved(row_, {3}, {192, 192}));
  EXPECT_FALSE(all_proved(row_, {3}, {192, 191}));
  EXPECT_FALSE(all_proved(row_, {3}, {191, 192}));
  EXPECT_TRUE(all_proved(row_, {0}, {0, 0}));
}

TEST_F(Access, CheckedIndicesAreProved) {
  EXPECT_TRUE(all_proved(scatter_, {5}, {5, 320, 8 * 64}));
  EXPECT_FALSE(all_proved(scatter_, {5}, {5, 320, 7 * 64}));
}

TEST_F(Access, UncheckedIndicesAreNot) {
  Kernel kernel = scatter_;
  Inst& store = kernel.body.insts.back();
  store.index = Expr::symbol("v0") * 64 + Expr::symbol("a1");  // the id as it was loaded
  EXPECT_FALSE(all_proved(kernel, {5}, {5, 320, 8 * 64}));
}

TEST_F(Access, NegativeExtentsAreRefused) {
  const std::vector<int64_t> scalars = {-1};
  const std::vector<int64_t> elements = {1, 1};
  const auto access = body_access(row_.body, {scalars, elements});
  ASSERT_FALSE(access.ok());
  EXPECT_THAT(access.status().message(), HasSubstr("negative"));
}

TEST_F(Access, TooManyPointsAreRefused) {
  const std::vector<int64_t> scalars = {INT64_MAX / 2};
  const std::vector<int64_t> elements = {1, 1};
  EXPECT_FALSE(body_access(row_.body, {scalars, elements}).ok());
}

TEST_F(Access, OperandsStayInside) {
  const Kernel& linear = program_.kernels[2];
  const std::vector<int64_t> scalars = {4};
  std::vector<int64_t> elements = {256, 2048, 32, 128};
  EXPECT_TRUE(check_template_sizes(linear, {scalars, elements}).ok());
  elements[1] = 2047;
  const Status status = check_template_sizes(linear, {scalars, elements});
  EXPECT_THAT(status.message(), HasSubstr("operand 1"));
}

TEST_F(Access, TemplateSizesMustFit) {
  Kernel attention = program_.kernels[4];
  attention.scalar_count = 1;
  attention.attention.heads = Expr::symbol("d0");
  attention.attention.kv_heads = 2;
  const std::vector<int64_t> elements = {100000, 100000};
  for (const int64_t heads : {2, 3}) {
    const std::vector<int64_t> scalars = {heads};
    EXPECT_EQ(check_template_sizes(attention, {scalars, elements}).ok(), heads % 2 == 0);
  }
}

}  // namespace
}  // namespace ingot::program
