#include "cli/call_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "cli/sample_inputs.h"
#include "support/diagnostics.h"

namespace ingot::cli {
namespace {

using arrays::Array;
using program::Literal;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// forward(x: f32[s0, 3], h: bf16[s0], n: int s1, flag=True)
program::Program signature() {
  const sym::Expr s0 = sym::Expr::symbol("s0");
  program::Program program;
  program.symbols = {{"s0", {2, 1000}}, {"s1", {0, 5}}};
  program.inputs = {{"x", program::InputKind::kTensor, DType::kF32, {s0, 3}, "", {}, false},
                    {"h", program::InputKind::kTensor, DType::kBF16, {s0}, "", {}, false},
                    {"n", program::InputKind::kScalar, DType::kI64, {}, "s1", {}, false},
                    {"flag", program::InputKind::kBurnedIn, DType::kF32, {}, "", {}, false}};
  program.inputs[3].literal.kind = Literal::Kind::kBool;
  program.inputs[3].literal.int_value = 1;
  return program;
}

template <typename T>
std::vector<T> elements(const Array& array) {
  std::vector<T> result(array.bytes.size() / sizeof(T));
  if (!result.empty()) std::memcpy(result.data(), array.bytes.data(), array.bytes.size());
  return result;
}

class CallValuesTest : public ::testing::Test {
 protected:
  CallValue one(std::string_view text) {
    CallValues values = parse_input(text, program_);
    EXPECT_EQ(values.size(), 1u) << text;
    return values.at(0);
  }
  Array array(std::string_view text) { return std::get<Array>(one(text).value); }
  Literal literal(std::string_view text) { return std::get<Literal>(one(text).value); }
  std::string error(std::string_view text) {
    try {
      parse_input(text, program_);
    } catch (const CompileError& e) {
      return e.what();
    }
    return "no error";
  }
  program::Program program_ = signature();
};

TEST_F(CallValuesTest, FilledTensors) {
  const Array a = array("2x3xf32=1.5");
  EXPECT_THAT(a.sizes, ElementsAre(2, 3));
  EXPECT_EQ(elements<float>(a), std::vector<float>(6, 1.5f));
  EXPECT_THAT(elements<float>(array("f32=-0.25")), ElementsAre(-0.25f));
  EXPECT_TRUE(array("f32=1.0").sizes.empty());
  EXPECT_THAT(elements<double>(array("2xf64=1e-3")), ElementsAre(1e-3, 1e-3));
  EXPECT_THAT(elements<uint16_t>(array("1xbf16=1")), ElementsAre(0x3f80));
  EXPECT_THAT(elements<uint16_t>(array("1xf16=1")), ElementsAre(0x3c00));
  EXPECT_THAT(elements<int64_t>(array("2xi64=-7")), ElementsAre(-7, -7));
  EXPECT_THAT(elements<int8_t>(array("1xi8=-128")), ElementsAre(-128));
  EXPECT_THAT(elements<uint8_t>(array("1xu8=255")), ElementsAre(255));
  EXPECT_THAT(elements<uint8_t>(array("2xbool=true")), ElementsAre(1, 1));
  EXPECT_THAT(elements<int32_t>(array("1xi32=3.0")), ElementsAre(3));
  EXPECT_TRUE(array("0x4xf32=1").bytes.empty());
  EXPECT_TRUE(std::isnan(elements<float>(array("1xf32=nan"))[0]));
}

TEST_F(CallValuesTest, Names) {
  EXPECT_EQ(one("x=2x3xf32=1.0").name, "x");
  EXPECT_EQ(one("batch.mask=f32=1.0").name, "batch.mask");
  EXPECT_EQ(one("2x3xf32=1.0").name, "");
  EXPECT_EQ(one("n=3").name, "n");
}

TEST_F(CallValuesTest, PythonScalars) {
  EXPECT_EQ(literal("3").int_value, 3);
  EXPECT_EQ(literal("3").kind, Literal::Kind::kInt);
  EXPECT_EQ(literal("-0.5").float_value, -0.5);
  EXPECT_EQ(literal("1e3").kind, Literal::Kind::kFloat);
  EXPECT_EQ(literal("True").int_value, 1);
  EXPECT_EQ(literal("flag=False").kind, Literal::Kind::kBool);
  EXPECT_EQ(literal("None").kind, Literal::Kind::kNone);
  EXPECT_EQ(literal("'mean'").string_value, "mean");
}

TEST_F(CallValuesTest, MalformedTexts) {
  EXPECT_THAT(error("2x3xf33=1"), HasSubstr("error[E0101]: --input 2x3xf33=1"));
  EXPECT_THAT(error("2x-3xf32=1"), HasSubstr("E0101"));
  EXPECT_THAT(error("2x3xf32="), HasSubstr("'' is no value of the type f32"));
  EXPECT_THAT(error("2x3xf32=one"), HasSubstr("'one' is no value of the type f32"));
  EXPECT_THAT(error("1xi8=128"), HasSubstr("'128' is no value of the type i8"));
  EXPECT_THAT(error("1xi32=1.5"), HasSubstr("no value of the type i32"));
  EXPECT_THAT(error("1xbool=2"), HasSubstr("no value of the type bool"));
  EXPECT_THAT(error("=1"), HasSubstr("empty name"));
  EXPECT_THAT(error("hello"), HasSubstr("no Python value"));
  EXPECT_THAT(error("9223372036854775807x2xf32=1"), HasSubstr("too large"));
  EXPECT_THAT(error("@/nowhere.npy"), HasSubstr("error[E0201]"));
}

TEST_F(CallValuesTest, Files) {
  const std::string folder =
      std::filesystem::temp_directory_path() / ("call_values_test." + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const Array x{DType::kF32, {1, 3}, std::vector<std::byte>(12, std::byte{0})};
  const Array h{DType::kI16, {1}, {std::byte{0x80}, std::byte{0x3f}}};
  ASSERT_TRUE(arrays::write_npy(folder + "/x.npy", x).ok());
  ASSERT_TRUE(arrays::write_npz(folder + "/all.npz",
                                std::vector<arrays::NamedArray>{{"in0", x}, {"h", h}, {"out0", x}})
                  .ok());
  ASSERT_TRUE(
      arrays::write_npz(folder + "/odd.npz", std::vector<arrays::NamedArray>{{"z", x}}).ok());
  EXPECT_EQ(one("x=@" + folder + "/x.npy").name, "x");
  const CallValues all = parse_inputs({"@" + folder + "/all.npz"}, program_);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "x");
  EXPECT_EQ(all[1].name, "h");
  EXPECT_THAT(error("@" + folder + "/odd.npz"), HasSubstr("error[E0502]"));
  EXPECT_EQ(one("y=@" + folder + "/odd.npz").name, "y");
  EXPECT_THAT(error("y=@" + folder + "/all.npz"), HasSubstr("holds 3 arrays"));
  std::filesystem::remove_all(folder);
}

TEST_F(CallValuesTest, BitsTakeTheProgramsType) {
  CallValues values = parse_inputs({"2x3xf32=1", "2xi16=16256", "n=1"}, program_);
  EXPECT_EQ(std::get<Array>(values[1].value).dtype, DType::kBF16);
  EXPECT_TRUE(holds_bits_of(DType::kU8, DType::kF8E5M2));
  EXPECT_FALSE(holds_bits_of(DType::kI32, DType::kF32));
}

TEST_F(CallValuesTest, NumberedNames) {
  EXPECT_EQ(number_after("in12", "in"), 12);
  EXPECT_EQ(number_after("in", "in"), -1);
  EXPECT_EQ(number_after("inx", "in"), -1);
  EXPECT_EQ(number_after("in-1", "in"), -1);
  EXPECT_EQ(number_after("in99999999999", "in"), -1);
}

TEST_F(CallValuesTest, SampledInputsAreAccepted) {
  const CallValues values = complete_inputs({}, program_);
  ASSERT_EQ(values.size(), 3u);
  EXPECT_THAT(std::get<Array>(values[0].value).sizes, ElementsAre(16, 3));
  EXPECT_THAT(std::get<Array>(values[1].value).sizes, ElementsAre(16));
  EXPECT_EQ(std::get<Literal>(values[2].value).int_value, 5);
  // What is given decides.
  CallValues given = parse_inputs({"h=4xbf16=0"}, program_);
  const CallValues completed = complete_inputs(std::move(given), program_);
  EXPECT_THAT(std::get<Array>(completed[1].value).sizes, ElementsAre(4, 3));
  // Guards are met if some size does.
  program_.guards = {{sym::eq(sym::mod(sym::Expr::symbol("s0"), 7), 0), ""}};
  EXPECT_THAT(std::get<Array>(complete_inputs({}, program_)[0].value).sizes, ElementsAre(7, 3));
  program_.guards = {{sym::eq(sym::Expr::symbol("s0"), 999), ""}};
  EXPECT_THROW(complete_inputs({}, program_), CompileError);
}

}  // namespace
}  // namespace ingot::cli
