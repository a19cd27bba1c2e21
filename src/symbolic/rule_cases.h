// What the builders, and `simplify` within ranges, make of expressions: checked as text against
// text, and proved by z3.
#pragma once

#include "symbolic/expr.h"

namespace ingot::sym {

struct RuleCase {
  const char* input;
  const char* expected;
};

inline constexpr RuleCase kSumRules[] = {
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
    {"s0*s0 + s0*s0", "2*s0*s0"},
    {"(a + 1)*(a + 1)", "2*a + a*a + 1"},
    {"(x // a)*a", "a*(x // a)"},
    {"i + j*(k + 1) - j", "i + j*k"},

};

inline constexpr RuleCase kDivisionRules[] = {
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

inline constexpr RuleCase kConditionRules[] = {
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

// Within the ranges and extents below.
inline constexpr RuleCase kRangedRules[] = {
    {"(x*(t // 8) + u) // (t // 8)", "x"},
    {"(x*(t // 8) + u) % (t // 8)", "u"},
    {"u*8 + v < t", "1"},
    {"(u*8 + v) // 8", "u"},
    {"x // (t // 8) // 2 * 2 * (t // 8) + x % (2*(t // 8))", "x"},
    {"(x*((s - 3) // 2 + 1) + w) // ((s - 3) // 2 + 1)", "x"},
    {"(x*((s - 3) // 2 + 1) + w) % ((s - 3) // 2 + 1)", "w"},
    {"((x*(t // 8) + u)*((s - 3) // 2 + 1) + w) // ((s - 3) // 2 + 1) % (t // 8)", "u"},
    {"((x*(t // 8) + u)*((s - 3) // 2 + 1) + w) // ((t // 8)*((s - 3) // 2 + 1))", "x"},
    {"2*w + 2 < s", "1"},
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
    {"64*m*(x // (64*m)) + 64*((x // 64) % m) + x % 64", "x"},
    {"(x // (64*m))*m*64 + (x // 64 % m)*64 + x % 64 + 1", "x + 1"},
    {"(k // m)*m*64 + (k % m)*64 + p", "64*k + p"},
    {"((i*m + j)*4 + p) // 4 % m", "j"},
    {"((i*m + j)*4 + p) // (4*m)", "i"},
    {"((i*m + j)*4 + p) % (4*m)", "4*j + p"},
    {"(((i*m + j)*4 + p) // 8)*8 + ((i*m + j)*4 + p) % 8", "4*i*m + 4*j + p"},
    {"(i*m + m - 1 - j) // m", "i"},
    {"(i*m + m - 1 - j) % m", "-j + m - 1"},
    {"(2*i + 1) // 2", "i"},
    {"(2*k + 1) // (2*m)", "k // m"},
    {"(2*k + 1) % (2*m)", "2*(k % m) + 1"},
    {"(i + n // 2) % n", "(i + n // 2) % n"},
    {"min(i + 2, n + 1)", "i + 2"},
    {"max(0, min(i, n - 1))", "i"},
    {"select(i < n, x, y) + select(p == 4, x, y)", "x + y"},
    {"(c + 10*p) // 10", "p"},
    {"(c + 10*p) % 40", "c + 10*p"},
    {"(c + 10*p) // 20", "p // 2"},
    {"(c + 10*p) // 40", "0"},

};

inline const Ranges& rule_ranges() {
  static const Ranges ranges = {{"n", {0, INT64_MAX}}, {"m", {0, INT64_MAX}}, {"c", {0, 9}},
                                {"s", {1, INT64_MAX}}, {"one", {1, 1}},       {"h", {1, 64}},
                                {"t", {0, INT64_MAX}}};
  return ranges;
}

// n, m, s and t are sizes of loops over i, j, k, p, q, u, v and w.
inline const Extents& rule_extents() {
  const Expr n = Expr::symbol("n");
  const Expr m = Expr::symbol("m");
  const Expr s = Expr::symbol("s");
  const Expr t = Expr::symbol("t");
  static const Extents extents = {{"i", n},     {"j", m},
                                  {"k", n * m}, {"p", 4},
                                  {"q", s + 1}, {"u", floor_div(t, 8)},
                                  {"v", 8},     {"w", floor_div(s + 1, 2) - 1}};
  return extents;
}

}  // namespace ingot::sym
