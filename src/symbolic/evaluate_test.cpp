#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "symbolic/expr.h"

namespace ingot::sym {
namespace {

using ::testing::HasSubstr;

Result<int64_t> value_of(std::string_view text, const Values& values) {
  Result<Expr> expr = parse(text);
  if (!expr.ok()) return expr.status();
  return evaluate(*expr, values);
}

TEST(Evaluate, PythonDivision) {
  struct Case {
    int64_t a, b, quotient, remainder;
  };
  for (const Case& c :
       {Case{7, 2, 3, 1}, Case{-7, 2, -4, 1}, Case{7, -2, -4, -1}, Case{-7, -2, 3, -1},
        Case{6, 3, 2, 0}, Case{-6, 3, -2, 0}, Case{INT64_MIN, 1, INT64_MIN, 0},
        Case{INT64_MAX, -1, -INT64_MAX, 0}, Case{INT64_MIN, 3, -3074457345618258603, 1}}) {
    Values values = {{"a", c.a}, {"b", c.b}};
    EXPECT_EQ(*value_of("a // b", values), c.quotient);
    EXPECT_EQ(*value_of("a % b", values), c.remainder);
    EXPECT_EQ(*floor_div(c.a, c.b).as_const(), c.quotient);
    EXPECT_EQ(*mod(c.a, c.b).as_const(), c.remainder);
  }
}

TEST(Evaluate, Errors) {
  auto expect_error = [](std::string_view text, const Values& values, const std::string& part) {
    Result<int64_t> result = value_of(text, values);
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_EQ(result.status().code(), StatusCode::kInvalidData);
    EXPECT_EQ(result.status().id(), 520);
    EXPECT_THAT(result.status().message(), HasSubstr(part));
  };
  expect_error("a + b", {{"a", 1}}, "symbol 'b' has no value");
  expect_error("a // b", {{"a", 1}, {"b", 0}}, "division by zero");
  expect_error("a % b", {{"a", 1}, {"b", 0}}, "division by zero");
  expect_error("a // 0", {{"a", 1}}, "division by zero");
  expect_error("a + b", {{"a", INT64_MAX}, {"b", 1}}, "does not fit in int64");
  expect_error("a*b", {{"a", INT64_MAX}, {"b", 2}}, "does not fit in int64");
  expect_error("a // b", {{"a", INT64_MIN}, {"b", -1}}, "does not fit in int64");
  expect_error("-a", {{"a", INT64_MIN}}, "does not fit in int64");
}

TEST(Evaluate, OrderOfTermsDoesNotMatter) {
  EXPECT_EQ(*value_of("a + b + c", {{"a", INT64_MAX}, {"b", 1}, {"c", -2}}), INT64_MAX - 1);
  EXPECT_EQ(*value_of("a*b*c", {{"a", INT64_MAX}, {"b", INT64_MAX}, {"c", 0}}), 0);
}

TEST(Evaluate, WhatDoesNotDecideMayFail) {
  Values values = {{"n", 0}, {"x", 7}};
  EXPECT_EQ(*value_of("select(n != 0, x // n, 5)", values), 5);
  EXPECT_EQ(*value_of("n != 0 and x // n < 3", values), 0);
  EXPECT_EQ(*value_of("x // n < 3 and n != 0", values), 0);
  EXPECT_EQ(*value_of("n == 0 or x // n < 3", values), 1);
  EXPECT_FALSE(value_of("n == 0 and x // n < 3", values).ok());
}

// A shared node is evaluated once: as a tree this one has 2^150 nodes.
TEST(Evaluate, SharedNodes) {
  Expr expr = Expr::symbol("a");
  for (int i = 0; i < 150; ++i) expr = max(mod(expr, i + 2), floor_div(expr, 3));
  EXPECT_TRUE(evaluate(expr, {{"a", 1000}}).ok());
  EXPECT_EQ(substitute(expr, {{"b", 1}}), expr);
  EXPECT_TRUE(substitute(expr, {{"a", 5}}).is_const());
  EXPECT_TRUE(uses_symbol(expr, "a"));
  EXPECT_FALSE(uses_symbol(expr, "b"));
  EXPECT_EQ(simplify(expr, {{"a", {7, 7}}}), substitute(expr, {{"a", 7}}));
}

}  // namespace
}  // namespace ingot::sym
