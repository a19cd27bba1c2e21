#include "symbolic/guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ingot::sym {
namespace {

using ::testing::HasSubstr;

// Every input but "missing" exists; its sizes are symbols like x_0.
std::optional<Expr> symbol_of(std::string_view path, int64_t dim) {
  if (path == "missing" || dim > 7) return std::nullopt;
  if (dim == kGuardValue) return Expr::symbol(path);
  return Expr::symbol(std::string(path) + "_" + std::to_string(dim));
}

void expect_guard(std::string_view text, std::string_view expected) {
  Result<Expr> result = parse_guard(text, symbol_of);
  ASSERT_TRUE(result.ok()) << text << ": " << result.status().message();
  EXPECT_EQ(to_string(*result), expected) << text;
}

void expect_error(std::string_view text, std::string_view part) {
  Result<Expr> result = parse_guard(text, symbol_of);
  ASSERT_FALSE(result.ok()) << text << " is " << to_string(*result);
  EXPECT_EQ(result.status().id(), 306);
  EXPECT_THAT(result.status().message(), HasSubstr(std::string(part)));
}

TEST(Guard, Conditions) {
  expect_guard("L['x'].size()[0] == (2*L['y'].size()[0])", "x_0 == 2*y_0");
  expect_guard("(L['x'].size()[0] % 2) == 0", "x_0 % 2 == 0");
  expect_guard("2 <= L['x'].size()[0] <= 64", "2 <= x_0 and x_0 <= 64");
  expect_guard("L['n'] >= 0 and L['n'] <= 10", "0 <= n and n <= 10");
  expect_guard("not (L['n'] == 3 or L['n'] == 4)", "n != 3 and n != 4");
  expect_guard("L[\"x\"].shape[1] // 2 > 3", "4 <= x_1 // 2");
  expect_guard(
      "((1 + (((-1) + L['x'].size()[3]) // 32))*(1 + (((-1) + L['x'].size()[2]) // 32))) != 1",
      "((x_2 + 31) // 32)*((x_3 + 31) // 32) != 1");
  expect_guard("Mod(L['x'].size()[0], 2) != 1", "x_0 % 2 != 1");
  expect_guard("math.floor(L['x'].size()[0] / 2) == 3", "x_0 // 2 == 3");
  expect_guard("math.ceil(L['x'].size()[0] / 2) == 3", "(x_0 + 1) // 2 == 3");
  expect_guard("L['x'].size()[0] / 2 < 3.5", "x_0 <= 6");
  expect_guard("L['x'].size()[0]**2 > 4", "5 <= x_0*x_0");
}

TEST(Guard, Paths) {
  expect_guard("L['flat_args'][0].size()[1] == 4", "'flat_args[0]_1' == 4");
  expect_guard("L['values'][1].size()[1] == L['values'][0].size()[1]",
               "'values[0]_1' == 'values[1]_1'");
  expect_guard("L['cache']['k'][2].keys.size()[0] == 4", "'cache[\\'k\\'][2].keys_0' == 4");
  expect_guard("min(16*L['v'][0].size()[1], 32*L['v'][0].size()[1]) == (16*L['v'][0].size()[1])",
               "16*'v[0]_1' == min(16*'v[0]_1', 32*'v[0]_1')");
}

TEST(Guard, Unsupported) {
  expect_error("L['x'].stride()[0] == 1", "'stride' of 'x' is not supported");
  expect_error("L['x'].storage_offset() == 0", "'storage_offset' of 'x' is not supported");
  expect_error("L['x'].dtype == torch.float32", "'dtype' of 'x'");
  expect_error("L['missing'].size()[0] == 1", "'missing' names no input");
  expect_error("L['x'].size()[9] == 1", "'x' names no input");
  expect_error("isinstance(L['x'], int)", "unknown function 'isinstance'");
  expect_error("__import__('os').system('true')", "unknown function '__import__'");
  expect_error("x == 1", "unexpected 'x'");
  expect_error("L['x'] is None", "unexpected 'is'");
  expect_error("L['x'].size() == 1", "expected '['");
  expect_error("L['x'].size()[-1] == 1", "without its dimension");
  expect_error("L['x'].size()[L['n']] == 1", "without its dimension");
  expect_error("L == 1", "expected '['");
  expect_error("L[0] == 1", "takes a name");
  expect_error("L['x'", "expected ']'");
  expect_error("L['x'].", "expected a name");
  expect_error("L['x'][", "number or a text");
  expect_error("L['x'].size(", "expected ')'");
  expect_error("math.", "");
  expect_error("math.sqrt(4)", "unknown function 'math.sqrt'");
}

}  // namespace
}  // namespace ingot::sym
