// How many launches the models of tests/data take: fusion that is lost shows here.
#include <gtest/gtest.h>

#include "compiler/compile.h"

namespace ingot {
namespace {

using program::StepKind;

program::Program compile(const std::string& name) {
  return compiler::compile_archive("tests/data/" + name + ".pt2", {}).program;
}

// Launches whose location's module path starts with `module`; all for "".
size_t launches(const program::Program& program, const std::string& module = "") {
  size_t count = 0;
  for (const program::Step& step : program.plans.at(0).steps) {
    if (step.kind != StepKind::kLaunch) continue;
    const bool inside =
        module.empty() || (step.loc != program::kNoIndex &&
                           program.locations[step.loc].module_path.starts_with(module));
    count += inside ? 1 : 0;
  }
  return count;
}

TEST(Plans, ALayerOfBertTakesNineLaunches) {
  const program::Program program = compile("bert_tiny");
  // Embedding with its layer norm, then the layers.
  EXPECT_LE(launches(program), 1u + 2 * 9 + 2);
}

TEST(Plans, ALayerOfALlamaTakesThirteenLaunches) {
  const program::Program program = compile("llama_tiny");
  // Embedding, last norm and head beside the layers.
  EXPECT_LE(launches(program), 3u + 2 * 13);
}

TEST(Plans, NoTemporaryOfADecoderHasTheSizeOfItsCache) {
  const program::Program program = compile("llama_tiny");
  const program::Plan& plan = program.plans.at(0);
  int64_t cache = 0;
  for (const program::Buffer& buffer : plan.buffers) {
    if (buffer.kind == program::BufferKind::kState) {
      cache = std::max(cache, buffer.elements.as_const().value_or(0));
    }
  }
  ASSERT_GT(cache, 0);
  for (const program::Buffer& buffer : plan.buffers) {
    if (buffer.kind == program::BufferKind::kTemporary) {
      EXPECT_LT(buffer.elements.as_const().value_or(0), cache) << buffer.name;
    }
  }
  for (const program::Step& step : plan.steps) EXPECT_NE(step.kind, StepKind::kCopy);
}

TEST(Plans, SoftmaxAndLayerNormAreOneKernelEach) {
  // linear + gelu, layer norm, linear, softmax.
  EXPECT_EQ(launches(compile("mlp_dynamic")), 4u);
}

TEST(Plans, BatchNormIsFoldedAndActivationsRunInTheConvolutions) {
  const program::Program program = compile("mobilenet_v3_small");
  for (const program::Kernel& kernel : program.kernels) {
    EXPECT_EQ(kernel.name.find("rsqrt_mul_add"), std::string::npos) << kernel.name;
  }
}

}  // namespace
}  // namespace ingot
