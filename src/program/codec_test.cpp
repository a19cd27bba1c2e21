#include "program/codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "program/byte_stream.h"
#include "program/expr_table.h"
#include "program/print.h"
#include "program/testing.h"
#include "program/validate.h"
#include "support/diagnostics.h"

namespace ingot::program {
namespace {

using ::testing::HasSubstr;

void use(std::span<const std::byte> bytes) { ASSERT_EQ(exercise_encoded(bytes), ""); }

TEST(Codec, RoundTripKeepsEverything) {
  const Program program = make_test_program();
  const std::vector<std::byte> bytes = encode(program);
  const auto decoded = decode(bytes);
  ASSERT_TRUE(decoded.ok()) << decoded.status().message();
  EXPECT_EQ(encode(*decoded), bytes);
  EXPECT_TRUE(decoded->locations.empty());
  Program with_locations = *decoded;
  with_locations.locations = program.locations;
  EXPECT_EQ(print_all(with_locations), print_all(program));
  ASSERT_EQ(decoded->kernels.size(), program.kernels.size());
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    EXPECT_TRUE(same_kernel(decoded->kernels[i], program.kernels[i])) << i;
    EXPECT_EQ(decoded->kernels[i].name, program.kernels[i].name);
  }
  EXPECT_EQ(decoded->inputs[3].literal, program.inputs[3].literal);
  EXPECT_EQ(decoded->symbols[1].range, program.symbols[1].range);
  EXPECT_EQ(decoded->weights[1].storage_offset, 2);
  EXPECT_EQ(decoded->plans[0].steps[9].fill, 255);
  EXPECT_EQ(decoded->producer, "ingot test");
}

TEST(Codec, LocationsAreApart) {
  const Program program = make_test_program();
  const auto decoded = decode_locations(encode_locations(program.locations));
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(*decoded, program.locations);
  EXPECT_FALSE(decode_locations(encode(program)).ok());
}

TEST(Codec, EmptyProgram) {
  const auto decoded = decode(encode({}));
  ASSERT_TRUE(decoded.ok());
  EXPECT_TRUE(validate(*decoded).ok());
}

TEST(Codec, OtherVersionNamesBoth) {
  std::vector<std::byte> bytes = encode(make_test_program());
  bytes[4] = static_cast<std::byte>(kPlanVersion + 1);
  const auto decoded = decode(bytes);
  ASSERT_FALSE(decoded.ok());
  EXPECT_EQ(decoded.status().id(), static_cast<int>(Diag::kPackageVersion));
  EXPECT_THAT(decoded.status().message(), HasSubstr(std::to_string(kPlanVersion)));
  EXPECT_THAT(decoded.status().message(), HasSubstr(std::to_string(kPlanVersion + 1)));
}

TEST(Codec, EveryPrefixIsRefused) {
  const std::vector<std::byte> bytes = encode(make_test_program());
  for (size_t size = 0; size < bytes.size(); ++size) {
    ASSERT_FALSE(decode(std::span(bytes).first(size)).ok()) << size;
  }
  std::vector<std::byte> longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(decode(longer).ok());
}

TEST(Codec, SurvivesChangedBytes) {
  const std::vector<std::byte> bytes = encode(make_test_program());
  std::vector<std::byte> changed = bytes;
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (const int value : {0x01, 0x80, 0xff}) {
      changed[i] = bytes[i] ^ static_cast<std::byte>(value);
      use(changed);
    }
    changed[i] = bytes[i];
  }
}

TEST(Codec, SurvivesRandomEdits) {
  const std::vector<std::byte> bytes = encode(make_test_program());
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::byte> changed = bytes;
    for (uint32_t edits = 1 + random() % 8; edits > 0 && !changed.empty(); --edits) {
      const auto at = changed.begin() + random() % changed.size();
      switch (random() % 4) {
        case 0:
          *at = static_cast<std::byte>(random());
          break;
        case 1:
          changed.erase(at, at + std::min<ptrdiff_t>(changed.end() - at, random() % 16));
          break;
        case 2:
          changed.insert(at, bytes.begin(), bytes.begin() + random() % bytes.size());
          break;
        default:
          *at = std::byte{0xff};
      }
    }
    use(changed);
  }
}

TEST(Codec, CountsAreCheckedBeforeAllocation) {
  // An empty program whose first list claims 4 billion items.
  std::vector<std::byte> bytes = encode({});
  for (size_t i = 12; i + 4 <= bytes.size(); ++i) {
    std::vector<std::byte> changed = bytes;
    std::fill_n(changed.begin() + static_cast<ptrdiff_t>(i), 4, std::byte{0xff});
    use(changed);
  }
}

// A table whose entry i squares entry i - 1.
std::vector<std::byte> tower(sym::ExprKind kind, uint32_t height) {
  ByteWriter out;
  out.u32(height);
  out.u8(static_cast<uint8_t>(sym::ExprKind::kSymbol));
  out.text("s0");
  for (uint32_t i = 1; i < height; ++i) {
    out.u8(static_cast<uint8_t>(kind));
    out.u32(2);
    out.u32(i - 1);
    out.u32(i - 1);
  }
  return out.take();
}

TEST(ExprTable, RefusesExpressionsThatGrowWithoutBound) {
  const std::vector<std::byte> bytes = tower(sym::ExprKind::kMul, 200);
  ByteReader in(bytes);
  const auto exprs = read_expr_table(in);
  ASSERT_FALSE(exprs.ok());
  EXPECT_THAT(exprs.status().message(), HasSubstr("too large"));
}

TEST(ExprTable, ShortTablesOfAnyKindAreQuick) {
  for (uint8_t kind = 2; kind < 16; ++kind) {
    const std::vector<std::byte> bytes = tower(static_cast<sym::ExprKind>(kind), 2000);
    ByteReader in(bytes);
    (void)read_expr_table(in);
  }
}

TEST(ExprTable, OperandsComeBeforeTheirUsers) {
  ByteWriter out;
  out.u32(1);
  out.u8(static_cast<uint8_t>(sym::ExprKind::kAdd));
  out.u32(2);
  out.u32(0);
  out.u32(0);
  ByteReader in(out.bytes());
  EXPECT_FALSE(read_expr_table(in).ok());
}

TEST(ExprTable, EqualExpressionsAreStoredOnce) {
  ExprTableWriter table;
  const sym::Expr sum = sym::Expr::symbol("s0") * 4 + 1;
  const uint32_t id = table.id_of(sum);
  EXPECT_EQ(table.id_of(sym::Expr::symbol("s0") * 4 + 1), id);
  ByteWriter out;
  table.write(out);
  ByteReader in(out.bytes());
  const auto exprs = read_expr_table(in);
  ASSERT_TRUE(exprs.ok());
  EXPECT_EQ((*exprs)[id], sum);
}

TEST(KernelIdentity, IsTheContentWithoutTheName) {
  const Program program = make_test_program();
  Kernel kernel = program.kernels[0];
  const uint64_t hash = kernel_hash(kernel);
  kernel.name = "other";
  EXPECT_EQ(kernel_hash(kernel), hash);
  EXPECT_TRUE(same_kernel(kernel, program.kernels[0]));
  EXPECT_THAT(kernel_symbol(kernel), ::testing::MatchesRegex("other_[0-9a-f]{16}"));
  // Fields that an instruction does not use are no part of it.
  kernel.body.insts[0].constant = 3;
  EXPECT_EQ(kernel_hash(kernel), hash);
  kernel.body.insts[1].reduce = ReduceOp::kMin;
  EXPECT_NE(kernel_hash(kernel), hash);
}

TEST(KernelIdentity, TellsZerosApartAndKeepsNan) {
  Kernel kernel = make_test_program().kernels[0];
  ASSERT_TRUE(std::signbit(kernel.body.insts[2].constant));
  const uint64_t hash = kernel_hash(kernel);
  kernel.body.insts[2].constant = 0.0;
  EXPECT_NE(kernel_hash(kernel), hash);
  kernel.body.insts[2].constant = std::nan("");
  EXPECT_TRUE(same_kernel(kernel, kernel));
}

// The bytes are a format: this value only changes together with kPlanVersion.
TEST(KernelIdentity, IsTheSameOnEveryHost) {
  EXPECT_EQ(kernel_symbol(make_test_program().kernels[7]), "fold_60a36c2285582a3b");
}

}  // namespace
}  // namespace ingot::program
