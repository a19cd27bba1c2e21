#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "symbolic/expr.h"

namespace ingot::sym {
namespace {

using ::testing::HasSubstr;

struct Case {
  const char* input;
  const char* expected;
};

void expect_all(std::span<const Case> cases) {
  for (const Case& c : cases) {
    Result<Expr> result = parse_sympy(c.input);
    ASSERT_TRUE(result.ok()) << c.input << ": " << result.status().message();
    EXPECT_EQ(to_string(*result), c.expected) << c.input;
  }
}

void expect_error(std::string_view text, std::string_view part) {
  Result<Expr> result = parse_sympy(text);
  ASSERT_FALSE(result.ok()) << text << " is " << to_string(*result);
  EXPECT_EQ(result.status().id(), 306);
  EXPECT_THAT(result.status().message(), HasSubstr(std::string(part)));
}

// Spellings found in exported archives, of several versions of PyTorch.
TEST(Sympy, ExportedExpressions) {
  constexpr Case kCases[] = {
      {"Symbol('s77', positive=True, integer=True)", "s77"},
      {"Symbol('u0', integer=True)", "u0"},
      {"Add(Mul(Integer(2), Symbol('s0', positive=True, integer=True)), Integer(-1))", "2*s0 - 1"},
      {"Add(Mul(Integer(2), Symbol('s17', positive=True, integer=True)), Mul(Integer(2), "
       "Symbol('s77', positive=True, integer=True)))",
       "2*s17 + 2*s77"},
      {"Add(Symbol('u0', integer=True), Integer(2))", "u0 + 2"},
      {"FloorDiv(Symbol('s77', positive=True, integer=True), Integer(2))", "s77 // 2"},
      {"GreaterThan(Symbol('u0', integer=True), Integer(0))", "0 <= u0"},
      {"LessThan(Symbol('u0', integer=True), Integer(100))", "u0 <= 100"},
      {"Max(Symbol('s17', positive=True, integer=True), Symbol('s77', positive=True, "
       "integer=True))",
       "max(s17, s77)"},
      {"Min(Integer(128), Mul(Integer(128), Symbol('s27', positive=True, integer=True)))",
       "min(128, 128*s27)"},
      {"Min(Mul(Integer(16), Symbol('s63', positive=True, integer=True)), Mul(Integer(32), "
       "Symbol('s63', positive=True, integer=True)))",
       "min(16*s63, 32*s63)"},
      {"Mod(Symbol('s0', positive=True, integer=True), Integer(3))", "s0 % 3"},
      {"Mul(Integer(-1), Symbol('s77', positive=True, integer=True))", "-s77"},
      {"Mul(Integer(4), Pow(Symbol('s27', positive=True, integer=True), Integer(2)))", "4*s27*s27"},
      {"StrictGreaterThan(Symbol('s77', positive=True, integer=True), Integer(5))", "6 <= s77"},
      {"2*s0", "2*s0"},
      {"2*s0 + 2*s1", "2*s0 + 2*s1"},
      {"s0//2", "s0 // 2"},
      {"(s0//2)", "s0 // 2"},
      {"s27**2", "s27*s27"},
      {"Max(1, s0)", "max(1, s0)"},
      {"Mod(s0, 2)", "s0 % 2"},
      {"u0", "u0"},
      {"True", "1"},
      {"true", "1"},
      {"8", "8"},
      {"Integer(8)", "8"},
  };
  expect_all(kCases);
}

TEST(Sympy, Functions) {
  constexpr Case kCases[] = {
      {"FloorToInt(IntTrueDiv(Symbol('s0', integer=True), Integer(3)))", "s0 // 3"},
      {"CeilToInt(IntTrueDiv(s0, 3))", "(s0 + 2) // 3"},
      {"CeilToInt(IntTrueDiv(s0, s1))", "-((-s0) // s1)"},
      {"TruncToInt(IntTrueDiv(s0, 2))", "select(0 <= s0, s0 // 2, (s0 + 1) // 2)"},
      {"FloorToInt(Mul(Float('2.5', precision=53), ToFloat(s0)))", "(5*s0) // 2"},
      {"FloorToInt(Float('0.5', precision=53)*ToFloat(s0) + 1.5)", "(s0 + 1) // 2 + 1"},
      {"FloorToInt(Mul(Float('-0.5', precision=53), ToFloat(s0)))", "(-s0) // 2"},
      {"TruncToInt(ToFloat(s0))", "s0"},
      {"floor(Mul(Rational(1, 2), Symbol('s0', integer=True)))", "s0 // 2"},
      {"ceiling(s0/2)", "(s0 + 1) // 2"},
      {"ModularIndexing(s0, 4, 8)", "(s0 // 4) % 8"},
      {"CleanDiv(6*s0, s1)", "(6*s0) // s1"},
      {"CeilDiv(s0, 4)", "(s0 + 3) // 4"},
      {"PythonMod(u0, 3)", "u0 % 3"},
      {"LShift(s0, 3)", "8*s0"},
      {"RShift(s0, 3)", "s0 // 8"},
      {"PowByNatural(s0, 3)", "s0*s0*s0"},
      {"Abs(u0)", "max(u0, -u0)"},
      {"Identity(s0 + s1)", "s0 + s1"},
      {"Where(s0 > 2, s0, 1)", "select(3 <= s0, s0, 1)"},
      {"Piecewise((s0, s0 > 4), (s1, s1 > 4), (7, True))",
       "select(5 <= s0, s0, select(5 <= s1, s1, 7))"},
      {"Piecewise(ExprCondPair(Integer(1), StrictGreaterThan(Symbol('s0', integer=True), "
       "Integer(4))), ExprCondPair(Integer(0), true))",
       "5 <= s0"},
      {"Equality(s0, s1)", "s0 == s1"},
      {"Ne(s0, 3)", "s0 != 3"},
      {"(s0 > 2) & (s1 < 4)", "3 <= s0 and s1 <= 3"},
      {"(s0 >= 2) | ~(s1 <= 4)", "2 <= s0 or 5 <= s1"},
      {"Not(Eq(s0, 4))", "s0 != 4"},
      {"And(s0 < 4, Or(s1 < 4, s2 < 4))", "s0 <= 3 and (s1 <= 3 or s2 <= 3)"},
      {"s0 < 5/2", "s0 <= 2"},
      {"Add()", "0"},
      {"Mul()", "1"},
      {"Min(4, s0, s1)", "min(4, s0, s1)"},
  };
  expect_all(kCases);
}

TEST(Sympy, WhatIsNoInteger) {
  for (const char* text :
       {"ToFloat(Symbol('s77', positive=True, integer=True))",
        "Mul(Float('0.5', precision=53), ToFloat(Symbol('s0', positive=True, integer=True)))",
        "OpaqueUnaryFn_sqrt(ToFloat(Symbol('s0', positive=True, integer=True)))",
        "sqrt(s0)",
        "Symbol('zf0', real=True)",
        "zf0",
        "zuf1 + 1",
        "Float('0.1', precision=53)",
        "0.5",
        "s0/2",
        "Rational(1, 2)",
        "Pow(s0, Rational(1, 2))",
        "Pow(s0, Integer(-1))",
        "oo",
        "int_oo",
        "RoundToInt(IntTrueDiv(s0, 2))",
        "FloatPow(s0, 2)",
        "FloorToInt(0.1*ToFloat(s0))",
        "Mod(IntTrueDiv(s0, 2), 3)",
        "Max(ToFloat(s0), 1)",
        "IntTrueDiv(s0, s1) < 2",
        "Float('1e-5', precision=53)",
        "Float('99999999999999999999', precision=53)"}) {
    expect_error(text, "not an integer expression");
  }
}

TEST(Sympy, Malformed) {
  expect_error("Symbol()", "takes a name");
  expect_error("Symbol('s0', 4)", "keyword argument");
  expect_error("Symbol('s0', integer=)", "keyword argument");
  expect_error("Symbol('s0', integer=True", "expected ')'");
  expect_error("Integer('5')", "unexpected");
  expect_error("Integer(s0)", "takes a number");
  expect_error("Float(5)", "takes a text");
  expect_error("FloorDiv(s0)", "wrong number of arguments");
  expect_error("Piecewise(s0)", "takes pairs");
  expect_error("Piecewise((s0, s0 > 4))", "without a last case");
  expect_error("(s0, s1)", "not an integer expression");
  expect_error("(s0, s1) + 1", "");
  expect_error("FloorToInt((s0, s1))", "pair");
  expect_error("ExprCondPair((s0, s1), s2)", "pair");
  expect_error("((s0, s1), s2)", "");
  expect_error("LShift(s0, s1)", "shift");
  expect_error("Rational(1, 0)", "denominator");
  expect_error("'s0'", "unexpected");
  expect_error("s0 ** s1", "not constant");
}

// Expressions that PyTorch's sympy made and evaluated (test/make_sympy_cases.py), in both
// spellings.
TEST(Sympy, ValuesBySympy) {
  std::ifstream file("src/symbolic/test/sympy_cases.txt");
  ASSERT_TRUE(file.is_open()) << "run from the project's root";
  std::string line;
  int count = 0;
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string srepr;
    std::string str;
    Values values;
    int64_t expected = 0;
    std::getline(fields, srepr, '\t');
    std::getline(fields, str, '\t');
    fields >> values["s0"] >> values["s1"] >> values["u0"] >> expected;
    for (const std::string& text : {srepr, str}) {
      Result<Expr> expr = parse_sympy(text);
      ASSERT_TRUE(expr.ok()) << expr.status().message();
      Result<int64_t> value = evaluate(*expr, values);
      ASSERT_TRUE(value.ok()) << value.status().message();
      EXPECT_EQ(*value, expected) << text << " is " << to_string(*expr);
    }
    ++count;
  }
  EXPECT_EQ(count, 200);
}

}  // namespace
}  // namespace ingot::sym
