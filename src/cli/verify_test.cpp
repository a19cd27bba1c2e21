// `verify` finds what is wrong with a package: one changed weight, stride or epilogue.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "cli/commands.h"
#include "compiler/compile.h"
#include "package/writer.h"
#include "support/diagnostics.h"

namespace ingot::cli {
namespace {

constexpr const char* kModel = "tests/data/add_linear.pt2";
constexpr const char* kExpected = "tests/data/add_linear.npz";

class VerifyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kModel)) GTEST_SKIP() << kModel << " is not here";
    folder_ = std::filesystem::temp_directory_path() / ("verify_test." + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    compiled_ = compiler::compile_archive(kModel, {});
    for (const ir::Storage& storage : compiled_.storages) {
      storages_.emplace_back(storage.data, storage.data + storage.bytes);
    }
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  // The exit status of `verify` on the package of what compiled_ and storages_ are now.
  int verify() {
    package::PackageContents contents;
    contents.program = &compiled_.program;
    for (const std::vector<std::byte>& bytes : storages_) contents.storages.emplace_back(bytes);
    contents.manifest = "{}";
    const std::string path = folder_ / "m.ingot";
    check_ok(package::write_package(path, contents));
    return run_verify({path, kExpected, "cpu", {}, {}});
  }
  // The kernel of the matrix product.
  program::Kernel& matmul() {
    for (program::Kernel& kernel : compiled_.program.kernels) {
      if (kernel.kind == program::KernelKind::kMatmul) return kernel;
    }
    ADD_FAILURE() << "no matmul";
    return compiled_.program.kernels.front();
  }

  std::filesystem::path folder_;
  compiler::Compiled compiled_;
  std::vector<std::vector<std::byte>> storages_;
};

TEST_F(VerifyTest, AcceptsWhatWasCompiled) { EXPECT_EQ(verify(), 0); }

TEST_F(VerifyTest, FindsAChangedWeight) {
  float value = 0;
  std::memcpy(&value, storages_[0].data(), sizeof value);
  value += 0.1f;
  std::memcpy(storages_[0].data(), &value, sizeof value);
  EXPECT_EQ(verify(), 1);
}

TEST_F(VerifyTest, FindsAChangedStride) {
  // The weight read as if it were square and the other way round.
  program::Operand& weight = matmul().operands.at(1);
  ASSERT_GE(weight.strides.size(), 2u);
  std::swap(weight.strides.end()[-1], weight.strides.end()[-2]);
  EXPECT_NE(verify(), 0);
}

TEST_F(VerifyTest, FindsAChangedEpilogue) {
  bool changed = false;
  for (program::Inst& inst : matmul().body.insts) {
    if (inst.kind != program::InstKind::kCompute || inst.op != program::ScalarOp::kAdd) continue;
    inst.op = program::ScalarOp::kSub;
    changed = true;
    break;
  }
  ASSERT_TRUE(changed);
  EXPECT_EQ(verify(), 1);
}

TEST_F(VerifyTest, TolerancesAreOptions) {
  // Deep enough that no two ways of summing agree in every bit.
  const std::string model = "tests/data/bert_tiny.pt2";
  const std::string expected = "tests/data/bert_tiny.npz";
  EXPECT_EQ(run_verify({model, expected, "cpu", 1, 1}), 0);
  EXPECT_EQ(run_verify({model, expected, "cpu", 0, 0}), 1);
}

}  // namespace
}  // namespace ingot::cli
