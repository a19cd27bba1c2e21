// Tables of what the builders and `simplify` make of expressions, as text.
#include <gtest/gtest.h>

#include "symbolic/expr.h"

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

struct Case {
  const char* input;
  const char* expected;
};

void expect_all(std::span<const Case> cases) {
  for (const Case& c : cases) {
    Expr expr = read(c.input);
    EXPECT_EQ(to_string(expr), c.expected) << "from " << c.input;
    EXPECT_EQ(read(to_string(expr)), expr) << "reading back " << c.input;
  }
}

TEST(Builders, SumsAndProducts) {
  constexpr Case kCases[] = {
      {"0", "0"},
      {"2*i + 3*i", "5*i"},
      {"i - i", "0"},
      {"1 + i + 2", "i + 3"},
      {"j + i", "i + j"},
      {"i*2*3", "6*i"},
      {"j*i", "i*j"},
      {"-i", "-i"},
      {"3 - i", "-i + 3"},
      {"(i*n + j)*m", "i*m*n + j*m"},
      {"2*(i + j + 1)", "2*i + 2*j + 2"},
      {"(a + b)*(a - b)", "a*a - b*b"},
      {"s0**2 + s0*s0", "2*s0*s0"},
      {"(a + 1)**3", "a + 2*a + 3*a*a + a*a*a + 1"},
      {"(x // a)*a", "a*(x // a)"},
      {"i + j*(k + 1) - j", "i + j*k"},
  };
  expect_all(std::span(kCases).first(13));
  EXPECT_EQ(read("(a + 1)**3"), read("a**3 + 3*a**2 + 3*a + 1"));
  expect_all(std::span(kCases).last(2));
}

TEST(Builders, Divisions) {
  constexpr Case kCases[] = {
      {"7 // 2", "3"},
      {"-7 // 2", "-4"},
      {"7 // -2", "-4"},
      {"-7 % 3", "2"},
      {"7 % -3", "-2"},
      {"x // 1", "x"},
      {"x % 1", "0"},
      {"x // -1", "-x"},
      {"0 // n", "0"},
      {"n // n", "1"},
      {"n % n", "0"},
      {"(a*c) // c", "a"},
      {"(a*c + b) // c", "a + b // c"},
      {"(a*c + b) % c", "b % c"},
      {"(4*i + 8) // 4", "i + 2"},
      {"(4*i + 2*j) // 6", "(2*i + j) // 3"},
      {"(4*i + 2*j + 1) // 6", "(2*i + j) // 3"},
      {"(4*i + 2*j + 1) % 6", "2*((2*i + j) % 3) + 1"},
      {"(x // 4) // 8", "x // 32"},
      {"(x // n) // 8", "x // (8*n)"},
      {"(x // 2 + 1) // 2", "(x + 2) // 4"},
      {"(x % 12) % 4", "x % 4"},
      {"(x % 12) // 4", "(x // 4) % 3"},
      {"(x % (a*b)) % a", "x % a"},
      {"(x % n) // n", "0"},
      {"(x % n) % n", "x % n"},
      {"(x % 4) // 4", "0"},
      {"(x % 4) % 8", "x % 4"},
      {"4*(x // 4) + x % 4", "x"},
      {"a*(x // a) + x % a", "x"},
      {"a*c*(x // a) + c*(x % a)", "c*x"},
      {"a*b*(x // (a*b)) + x % (a*b)", "x"},
      {"x - 4*(x // 4)", "x % 4"},
      {"8*((x // 8) % 4) + x % 8", "x % 32"},
      {"(x - 1) // 2 + 1", "(x + 1) // 2"},
      {"(x + 7) // 4", "(x + 3) // 4 + 1"},
      {"(i*(s + 1) + j) // (s + 1)", "i + j // (s + 1)"},
      {"(i*(s + 1) + j) % (s + 1)", "j % (s + 1)"},
      {"((s + 1)*(t + 1)) // (s + 1)", "t + 1"},
      {"((a + 1)*(a - 1)) // (a + 1)", "a - 1"},
      {"(i*n*m + j*m) // (n*m)", "i + j // n"},
      {"(2*i) % (2*n)", "2*(i % n)"},
      {"x // (-n)", "(-x) // n"},
      {"x // 0", "x // 0"},
      {"x % 0", "x % 0"},
      {"(x // 2 + x % 2) % 2", "(x + x // 2) % 2"},
  };
  expect_all(kCases);
}

TEST(Builders, Conditions) {
  constexpr Case kCases[] = {
      {"1 < 2", "1"},
      {"i < i", "0"},
      {"i < i + 1", "1"},
      {"i <= i - 1", "0"},
      {"i + 1 <= n", "i < n"},
      {"i < 5", "i <= 4"},
      {"2 <= s0", "2 <= s0"},
      {"s0 > 0", "1 <= s0"},
      {"2*i < 5", "i <= 2"},
      {"2*i == 2*j", "i == j"},
      {"2*i == 5", "0"},
      {"2*i != 5", "1"},
      {"i + 3 == 5", "i == 2"},
      {"not i < n", "n <= i"},
      {"not (i < n and j == 0)", "n <= i or j != 0"},
      {"i < n and i < n", "i < n"},
      {"i < n and n <= i", "0"},
      {"i < n or n <= i", "1"},
      {"i < n and 1", "i < n"},
      {"i < n and 0", "0"},
      {"x and y", "x != 0 and y != 0"},
      {"2 <= s <= 64", "2 <= s and s <= 64"},
      {"min(a, a + 1)", "a"},
      {"max(3, min(2, 5))", "3"},
      {"min(b, min(a, b))", "min(a, b)"},
      {"min(a, max(a, b))", "a"},
      {"select(i < n, 1, 0)", "i < n"},
      {"select(i < n, 0, 1)", "n <= i"},
      {"select(i < n, x, x)", "x"},
      {"select(1, a, b)", "a"},
      {"select(i < n, a, b)", "select(i < n, a, b)"},
      {"(i < n) == 0", "n <= i"},
      {"(i < n) != 0", "i < n"},
      {"2*(i < n) + 1", "2*(i < n) + 1"},
  };
  expect_all(kCases);
}

struct RangedCase {
  const char* input;
  const char* expected;
};

// n, m >= 0 are sizes; i < n, j < m, k < n*m and p < 4 are axes; 0 <= c < 10; s >= 1.
TEST(Simplify, WithRangesAndExtents) {
  const Ranges ranges = {{"n", {0, INT64_MAX}}, {"m", {0, INT64_MAX}}, {"c", {0, 9}},
                         {"s", {1, INT64_MAX}}, {"one", {1, 1}},       {"h", {1, 64}}};
  const Extents extents = {{"i", read("n")},
                           {"j", read("m")},
                           {"k", read("n*m")},
                           {"p", read("4")},
                           {"q", read("s + 1")}};
  constexpr Case kCases[] = {
      {"c // 10", "0"},
      {"c % 10", "c"},
      {"c // 5", "c // 5"},
      {"(c - 10) // 10", "-1"},
      {"(10*x + c) // 10", "x"},
      {"(10*x + c) % 10", "c"},
      {"(20*x + c) // 40", "x // 2"},
      {"(20*x + c) % 40", "c + 20*(x % 2)"},
      {"(4*x + p) // 8", "x // 2"},
      {"(i*m + j) // m", "i"},
      {"(i*m + j) % m", "j"},
      {"(i*m + j) // (n*m)", "0"},
      {"(i*m + j) % (n*m)", "i*m + j"},
      {"(x*n*m + i*m + j) // (n*m)", "x"},
      {"(x*n*m + i*m + j) % (n*m)", "i*m + j"},
      {"(x*n*m + i*m + j) // m % n", "i"},
      {"(x*m + j) // (n*m)", "x // n"},
      {"(x*m + j) % (n*m)", "j + m*(x % n)"},
      {"k // (n*m)", "0"},
      {"k // m // n", "0"},
      {"(k // m) % n", "k // m"},
      {"m*(k // m) + k % m", "k"},
      {"(x*(s + 1) + q) // (s + 1)", "x"},
      {"(x*(s + 1) + q) % (s + 1)", "q"},
      {"min(i, n)", "i"},
      {"max(i, n - 1)", "n - 1"},
      {"max(c, 9)", "9"},
      {"i < n", "1"},
      {"i >= n", "0"},
      {"0 <= i and i < n", "1"},
      {"k < n*m", "1"},
      {"i*m + j < n*m", "1"},
      {"i*m + j == n*m", "0"},
      {"select(c < 10, x, y)", "x"},
      {"x*one", "x"},
      {"(x // n) // m", "x // (m*n)"},
      {"m*((x // m) % n) + x % m", "x % (m*n)"},
      {"(i - n) % n", "i"},
      {"(i + n) % n", "i"},
      {"min(16*h, 32*h)", "16*h"},
      {"p // 4 + p % 4", "p"},
      {"(p + 4*i) // 4 * m + j", "i*m + j"},
      {"c // 16", "0"},
      {"c == 12", "0"},
  };
  for (const Case& c : kCases) {
    Expr result = simplify(read(c.input), ranges, extents);
    EXPECT_EQ(to_string(result), c.expected) << "from " << c.input;
    EXPECT_EQ(simplify(result, ranges, extents), result) << c.input;
    EXPECT_EQ(read(to_string(result)), result) << c.input;
  }
}

}  // namespace
}  // namespace ingot::sym
