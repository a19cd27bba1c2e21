#include "runtime/core/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/core/test_call.h"
#include "runtime/core/test_programs.h"
#include "support/diagnostics.h"

namespace ingot::runtime {
namespace {

using testing::AffineCall;
using testing::bool_argument;
using testing::FloatTensor;
using ::testing::HasSubstr;
using testing::int_argument;

class Arguments : public ::testing::Test {
 protected:
  // All checks of a call, as a run makes them.
  Status check(std::vector<Argument> arguments) {
    MatchedArguments matched;
    INGOT_RETURN_IF_ERROR(match_arguments(program_, arguments, matched));
    std::vector<int64_t> key;
    INGOT_RETURN_IF_ERROR(check_types(program_, {}, matched, key));
    INGOT_ASSIGN_OR_RETURN(values_, bind_symbols(program_, matched));
    return ok_status();
  }
  void expect_error(std::vector<Argument> arguments, Diag id, std::string_view text) {
    const Status status = check(std::move(arguments));
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.id(), static_cast<int>(id)) << status.message();
    EXPECT_THAT(status.message(), HasSubstr(std::string(text)));
  }

  program::Program program_ = testing::affine_program().program;
  AffineCall call_{3};
  sym::Values values_;
};

TEST_F(Arguments, BindsByPosition) {
  ASSERT_TRUE(check(call_.arguments()).ok());
  EXPECT_EQ(values_.at("s0"), 3);
  EXPECT_EQ(values_.at("s1"), 5);
}

TEST_F(Arguments, BindsByNameInAnyOrder) {
  ASSERT_TRUE(check({call_.mask.argument("mask"), int_argument(7, "step"), call_.x.argument("x"),
                     bool_argument(true, "flag")})
                  .ok());
  EXPECT_EQ(values_.at("s1"), 7);
}

TEST_F(Arguments, BurnedInValuesMayBeLeftOut) {
  EXPECT_TRUE(check({call_.x.argument(), int_argument(5), call_.mask.argument()}).ok());
  EXPECT_TRUE(
      check({call_.x.argument("x"), int_argument(5, "step"), call_.mask.argument("mask")}).ok());
  EXPECT_TRUE(check({call_.x.argument(), int_argument(5, "step"), call_.mask.argument()}).ok());
}

TEST_F(Arguments, MissingSurplusUnknownAndTwice) {
  expect_error({call_.x.argument()}, Diag::kInputMissing, "input 'step' is not given");
  expect_error({}, Diag::kInputMissing, "input 'x' is not given; the model takes [1 to 8]x4xf32");
  std::vector<Argument> five = call_.arguments();
  five.push_back(call_.x.argument());
  expect_error(five, Diag::kInputUnknown, "5 inputs are given, the model takes 4: x, flag");
  five = call_.arguments();
  five.push_back(call_.x.argument("z"));
  expect_error(five, Diag::kInputUnknown, "no input 'z'");
  expect_error({call_.x.argument("x"), call_.x.argument("x")}, Diag::kInputUnknown, "given twice");
}

TEST_F(Arguments, WrongDtype) {
  std::vector<Argument> arguments = call_.arguments();
  arguments[0].tensor.dtype = DType::kI32;
  expect_error(arguments, Diag::kInputDtype, "input 'x' is 3x4xi32 with element type i32");
  arguments = call_.arguments();
  arguments[0] = int_argument(3);
  expect_error(arguments, Diag::kInputDtype, "input 'x' is the value 3; the model takes a tensor");
  arguments = call_.arguments();
  arguments[2] = call_.x.argument();
  expect_error(arguments, Diag::kInputDtype, "input 'step' is a tensor 3x4xf32");
}

TEST_F(Arguments, WrongRankSizeAndRange) {
  FloatTensor flat({12});
  std::vector<Argument> arguments = call_.arguments();
  arguments[0] = flat.argument();
  expect_error(arguments, Diag::kInputShape, "input 'x' is 12xf32 with 1 dimension");
  FloatTensor wide({3, 5});
  arguments[0] = wide.argument();
  expect_error(arguments, Diag::kInputShape,
               "input 'x' has size 5 in dimension 1 (3x5xf32); allowed: 4");
  AffineCall many(9);
  expect_error(many.arguments(), Diag::kInputShape,
               "input 'x' has size 9 in dimension 0 (9x4xf32); allowed: 1 to 8");
  AffineCall none(0);
  expect_error(none.arguments(), Diag::kInputShape, "allowed: 1 to 8");
}

TEST_F(Arguments, DerivedSizesNameTheirOrigin) {
  AffineCall other(6);
  std::vector<Argument> arguments = call_.arguments();
  arguments[3] = other.mask.argument();
  expect_error(arguments, Diag::kInputShape,
               "input 'mask' has size 7 in dimension 0 (7xf32); allowed: 4, as s0 + 1 = 4 (s0 = 3 "
               "is size 0 of 'x')");
}

TEST_F(Arguments, ScalarsHaveRangesAndMayBeArrays) {
  call_.step = 101;
  expect_error(call_.arguments(), Diag::kInputValue, "input 'step' is 101; allowed: 0 to 100");
  int32_t seven = 7;
  std::vector<Argument> arguments = call_.arguments();
  arguments[2] = Argument{{}, true, {&seven, DType::kI32, {}, {}, {}, false}, {}};
  ASSERT_TRUE(check(arguments).ok());
  EXPECT_EQ(values_.at("s1"), 7);
}

TEST_F(Arguments, BurnedInValuesAreComparedAsPythonDoes) {
  std::vector<Argument> arguments = call_.arguments();
  arguments[1] = bool_argument(false);
  expect_error(arguments, Diag::kInputValue, "input 'flag' is False; the export burned in True");
  arguments[1] = int_argument(1);  // True == 1
  EXPECT_TRUE(check(arguments).ok());
  program_.inputs[1].literal = {program::Literal::Kind::kFloat, 0, 0.1, {}};
  float tenth = 0.1f;
  arguments[1] = Argument{{}, true, {&tenth, DType::kF32, {}, {}, {}, false}, {}};
  EXPECT_TRUE(check(arguments).ok());
  tenth = 0.2f;
  EXPECT_FALSE(check(arguments).ok());
  program_.inputs[1].literal = {program::Literal::Kind::kString, 0, 0, "sum"};
  arguments[1] = Argument{{}, false, {}, {program::Literal::Kind::kString, 0, 0, "mean"}};
  expect_error(arguments, Diag::kInputValue, "input 'flag' is 'mean'; the export burned in 'sum'");
  program_.inputs[1].literal = {};
  arguments[1] = Argument{{}, false, {}, {}};
  EXPECT_TRUE(check(arguments).ok());
}

TEST_F(Arguments, GuardsAreInTheUsersTerms) {
  AffineCall five(5);
  expect_error(five.arguments(), Diag::kGuard,
               "exported for inputs with 2 * x.size(0) != 10 (s0 = 5 is size 0 of 'x')");
}

TEST_F(Arguments, WrongDeviceNullDataAndReadOnly) {
  std::vector<Argument> arguments = call_.arguments();
  arguments[0].tensor.device = {2, 1};
  expect_error(arguments, Diag::kInputDevice, "input 'x' is on cuda:1; the program runs on cpu");
  arguments = call_.arguments();
  arguments[0].tensor.data = nullptr;
  expect_error(arguments, Diag::kInputValue, "without data");
  arguments = call_.arguments();
  arguments[3].tensor.read_only = true;
  expect_error(arguments, Diag::kInputValue, "input 'mask' is read-only");
}

TEST_F(Arguments, SolvesSymbolsThatOnlyDerivedSizesShow) {
  const sym::Expr s0 = sym::Expr::symbol("s0");
  program_.inputs[0].sizes = {s0 * 2 + 1, 4};
  program_.inputs[3].sizes = {s0};
  FloatTensor x({7, 4});
  FloatTensor mask({3});
  const std::vector<Argument> arguments = {x.argument(), int_argument(0), mask.argument()};
  ASSERT_TRUE(check(arguments).ok());
  EXPECT_EQ(values_.at("s0"), 3);
  program_.inputs[3].sizes = {3};
  ASSERT_TRUE(check(arguments).ok());
  EXPECT_EQ(values_.at("s0"), 3);
  FloatTensor even({6, 4});
  expect_error({even.argument(), int_argument(0), mask.argument()}, Diag::kInputShape,
               "input 'x' has size 6 in dimension 0; allowed: 2*s0 + 1 for an integer s0");
  FloatTensor large({19, 4});
  expect_error({large.argument(), int_argument(0), mask.argument()}, Diag::kInputShape,
               "allowed: 3 to 17");
}

TEST_F(Arguments, SolvesSymbolsInAnyOrder) {
  const sym::Expr a = sym::Expr::symbol("a");
  const sym::Expr b = sym::Expr::symbol("b");
  program_.symbols.push_back({"a", {0, 100}});
  program_.symbols.push_back({"b", {0, 100}});
  program_.inputs[0].sizes = {a * 2 + b, b * 3};
  program_.inputs[3].sizes = {a + 1};
  FloatTensor x({14, 12});
  FloatTensor mask({6});
  ASSERT_TRUE(check({x.argument(), int_argument(0), mask.argument()}).ok());
  EXPECT_EQ(values_.at("a"), 5);
  EXPECT_EQ(values_.at("b"), 4);
}

}  // namespace
}  // namespace ingot::runtime
