#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "symbolic/expr.h"

namespace ingot::sym {
namespace {

using ::testing::HasSubstr;

void expect_text(std::string_view text, std::string_view expected) {
  Result<Expr> result = parse(text);
  ASSERT_TRUE(result.ok()) << text << ": " << result.status().message();
  EXPECT_EQ(to_string(*result), expected) << text;
}

void expect_error(std::string_view text, std::string_view part) {
  Result<Expr> result = parse(text);
  ASSERT_FALSE(result.ok()) << text.substr(0, 200);
  EXPECT_EQ(result.status().code(), StatusCode::kInvalidData);
  EXPECT_EQ(result.status().id(), 306);
  EXPECT_THAT(result.status().message(), HasSubstr(std::string(part)));
}

TEST(Parse, Precedence) {
  expect_text("2+3*4", "14");
  expect_text("(2+3)*4", "20");
  expect_text("a - b - c", "a - b - c");
  expect_text("a - (b - c)", "a - b + c");
  expect_text("-a*b", "-a*b");
  expect_text("-2**2", "-4");
  expect_text("2**-0", "1");
  expect_text("7 // 2 * 2", "6");
  expect_text("7 % 4 // 2", "1");
  expect_text("x // 2 * 3 % 5", "(3*(x // 2)) % 5");
  expect_text("not a < b == c", "b <= a or b != c");
  expect_text("a < b or c < d and e < f", "a < b or c < d and e < f");
  expect_text("(a < b or c < d) and e < f", "e < f and (a < b or c < d)");
  expect_text("True", "1");
  expect_text("False or true", "1");
  expect_text("min(c, b, a)", "min(a, b, c)");
  expect_text("min(max(a, b), c)", "min(c, max(a, b))");
  expect_text("+a", "a");
  expect_text("- - a", "a");
  expect_text("not not (a < b)", "a < b");
  expect_text("not not a", "a != 0");
}

TEST(Parse, Names) {
  expect_text("'two words' + a_1", "a_1 + 'two words'");
  expect_text(R"('a\'b\\c')", R"('a\'b\\c')");
  expect_text("''", "''");
  expect_text("'and'", "'and'");
  expect_text("'plain'", "plain");
  expect_text("min + max", "max + min");
  EXPECT_EQ(Expr::symbol("two words"), *parse("'two words'"));
}

TEST(Parse, Limits) {
  expect_text("9223372036854775807", "9223372036854775807");
  expect_text("-9223372036854775808", "-9223372036854775808");
  expect_text("x - 9223372036854775807 - 1", "x + (-9223372036854775808)");
  expect_text("x + -9223372036854775808*y", "x + -9223372036854775808*y");
  expect_text("-9223372036854775808 // 2", "-4611686018427387904");
  expect_error("9223372036854775808", "does not fit in int64");
  expect_error("-9223372036854775809", "does not fit in int64");
  expect_error("99999999999999999999999999", "does not fit in int64");
}

// What would leave int64 stays as it is, reads back, and is found out when evaluated.
TEST(Parse, Overflow) {
  for (const char* text :
       {"9223372036854775807 + 1", "9223372036854775807*2", "s + 9223372036854775807 + 1",
        "3*(2*9223372036854775807)*s", "-(-9223372036854775808)", "2 ** 63",
        "4611686018427387904*s + 4611686018427387904*s", "(-9223372036854775808) // (-1)",
        "(s*9223372036854775807 + 9223372036854775807)*2", "-9223372036854775808 - 1 < s",
        "min(s, 9223372036854775807 + 9223372036854775807)"}) {
    Result<Expr> result = parse(text);
    ASSERT_TRUE(result.ok()) << text << ": " << result.status().message();
    Result<Expr> again = parse(to_string(*result));
    ASSERT_TRUE(again.ok()) << to_string(*result) << ": " << again.status().message();
    EXPECT_EQ(*again, *result) << text << " is " << to_string(*result);
    EXPECT_FALSE(evaluate(*result, {{"s", 2}}).ok()) << to_string(*result);
  }
}

TEST(Parse, Malformed) {
  expect_error("", "ends too early");
  expect_error("1 +", "ends too early");
  expect_error("(1", "expected ')'");
  expect_error("1)", "unexpected ')'");
  expect_error("1 2", "unexpected '2'");
  expect_error("a b", "unexpected 'b'");
  expect_error("a $ b", "unexpected '$'");
  expect_error("'a", "unexpected");
  expect_error("f(1)", "unknown function 'f'");
  expect_error("min()", "wrong number of arguments");
  expect_error("select(1, 2)", "wrong number of arguments");
  expect_error("min(1,)", "unexpected ')'");
  expect_error("min(1 2)", "expected ','");
  expect_error("1.5", "not an integer expression");
  expect_error("and", "unexpected 'and'");
  expect_error("a / b", "unexpected '/'");
  expect_error("2 ** s", "not constant");
  expect_error("2 ** -1", "negative power");
  expect_error("s ** 65", "power above 64");
  expect_error(std::string_view("a\0b", 3), "unexpected");
}

TEST(Parse, HostileText) {
  auto repeated = [](std::string_view part, size_t count) {
    std::string text;
    for (size_t i = 0; i < count; ++i) text += part;
    return text;
  };
  expect_error(repeated("(", 60000), "200 levels");
  expect_error(repeated("-", 60000) + "a", "200 levels");
  expect_error(repeated("2**", 20000) + "a", "200 levels");
  expect_error(repeated("a // (", 9000), "200 levels");
  expect_error("a" + repeated(" // s % t", 7000), "200 levels");
  expect_error(repeated(" ", 70000), "64 KiB");
  expect_error(repeated("min(", 9000), "200 levels");
  // Long, but not deep: these are fine, and quick.
  EXPECT_TRUE(parse(repeated("a + ", 16000) + "a").ok());
  EXPECT_TRUE(parse(repeated("a*", 30000) + "a").ok());
  EXPECT_TRUE(parse(repeated("not ", 16000) + "a").ok());
  std::string sum = "0";
  std::string conjunction = "1";
  std::string minimum = "min(0";
  std::string chain = "a0";
  for (int i = 0; i < 4000; ++i) {
    std::string name = "a" + std::to_string(i);
    sum += " + " + name;
    conjunction += " and " + name;
    minimum += ", " + name;
    chain += " < " + name;
  }
  EXPECT_TRUE(parse(sum).ok());
  EXPECT_TRUE(parse(conjunction).ok());
  EXPECT_TRUE(parse(minimum + ")").ok());
  EXPECT_TRUE(parse(chain).ok());
  // Products of sums stop being multiplied out.
  EXPECT_TRUE(parse(repeated("(a + b + c + 1)*", 500) + "a").ok());
  EXPECT_TRUE(parse("(a + b + c + d + e + 1)**64").ok());
}

}  // namespace
}  // namespace ingot::sym
