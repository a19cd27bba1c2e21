#include "symbolic/expr.h"

#include <gtest/gtest.h>

namespace ingot::sym {
namespace {

TEST(Expr, SplitLinear) {
  Expr i = Expr::symbol("i");
  Expr j = Expr::symbol("j");
  Expr n = Expr::symbol("n");
  std::optional<Linear> split = split_linear(i * n * 2 + i + j * 3 + 1, "i");
  ASSERT_TRUE(split);
  EXPECT_EQ(split->coefficient, n * 2 + 1);
  EXPECT_EQ(split->rest, j * 3 + 1);
  EXPECT_FALSE(split_linear(i * i, "i"));
  EXPECT_FALSE(split_linear(floor_div(i, 2) + i, "i"));
  split = split_linear(floor_div(j, 2), "i");
  ASSERT_TRUE(split);
  EXPECT_EQ(split->coefficient, 0);
  EXPECT_EQ(split->rest, floor_div(j, 2));
}

TEST(Expr, ConstantsAndSymbols) {
  EXPECT_EQ(Expr().as_const(), 0);
  EXPECT_EQ(Expr(INT64_MIN).as_const(), INT64_MIN);
  EXPECT_TRUE(Expr(7).is_const(7));
  EXPECT_FALSE(Expr::symbol("i").as_const());
  EXPECT_EQ(Expr::symbol("i").symbol_name(), "i");
  EXPECT_EQ(Expr(3).symbol_name(), "");
  EXPECT_EQ(Expr::symbol("i"), Expr::symbol("i"));
  EXPECT_NE(Expr::symbol("i"), Expr::symbol("j"));
  EXPECT_EQ(Expr::symbol("i").hash(), Expr::symbol("i").hash());
}

}  // namespace
}  // namespace ingot::sym
