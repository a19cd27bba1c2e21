#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/options.h"
#include "support/diagnostics.h"

namespace ingot::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <typename T>
T parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "ingot");
  return std::get<T>(parse_options(static_cast<int>(arguments.size()), arguments.data()));
}

std::string error_of(std::vector<const char*> arguments) {
  try {
    parse<PrintText>(std::move(arguments));
  } catch (const CompileError& error) {
    EXPECT_EQ(error.diagnostic().id, Diag::kBadOption);
    return error.what();
  }
  return "";
}

TEST(ParseOptions, Defaults) {
  const auto compile = parse<CompileOptions>({"compile", "m.pt2", "-o", "m.ingot"});
  EXPECT_EQ(compile.model, "m.pt2");
  EXPECT_EQ(compile.output, "m.ingot");
  EXPECT_EQ(compile.arch, "all");
  EXPECT_TRUE(compile.targets.empty());
  EXPECT_EQ(compile.emit, "ingot");
  EXPECT_EQ(compile.fused_attention, "auto");
  EXPECT_EQ(compile.precision, "eager");
  EXPECT_EQ(compile.weights, "inside");
  const auto bench = parse<BenchOptions>({"bench", "m"});
  EXPECT_EQ(bench.warmup_ms, 200);
  EXPECT_EQ(bench.duration_s, 3);
  const auto verify = parse<VerifyOptions>({"verify", "m", "--expected", "e.npz"});
  EXPECT_FALSE(verify.rtol.has_value());
}

TEST(ParseOptions, Values) {
  const auto compile = parse<CompileOptions>({"compile", "m.pt2", "-o", "x", "--target=cuda,cpu",
                                              "--weights=beside", "--no-ptx", "-j", "2", "--spec",
                                              "a=1", "--spec", "b=2", "--fused-attention=off"});
  EXPECT_THAT(compile.targets, ElementsAre("cuda", "cpu"));
  EXPECT_THAT(compile.specs, ElementsAre("a=1", "b=2"));
  EXPECT_EQ(compile.jobs, 2);
  const auto run = parse<RunOptions>(
      {"run", "m", "--input", "2x3xf32=1.0", "--input", "y=@y.npy", "--device=cpu"});
  EXPECT_THAT(run.inputs, ElementsAre("2x3xf32=1.0", "y=@y.npy"));
  EXPECT_THAT(parse<RunOptions>({"run", "m", "--input", "f32=-1", "-3"}).inputs.size(), 2u);
  const auto verify =
      parse<VerifyOptions>({"verify", "m", "--expected", "e", "--rtol", "1e-3", "--atol=0"});
  EXPECT_EQ(verify.rtol, 1e-3);
  EXPECT_EQ(verify.atol, 0);
}

TEST(ParseOptions, PlanWithAndWithoutTarget) {
  EXPECT_FALSE(parse<InspectOptions>({"inspect", "m"}).plan);
  const auto all = parse<InspectOptions>({"inspect", "m", "--plan"});
  EXPECT_TRUE(all.plan);
  EXPECT_EQ(all.plan_target, "");
  const auto one = parse<InspectOptions>({"inspect", "m", "--plan=cpu", "--for=t4,l4"});
  EXPECT_TRUE(one.plan);
  EXPECT_EQ(one.plan_target, "cpu");
  EXPECT_THAT(one.for_devices, ElementsAre("t4", "l4"));
  // The file is never taken for the target.
  const auto before = parse<InspectOptions>({"inspect", "--plan", "m"});
  EXPECT_EQ(before.file, "m");
  EXPECT_EQ(before.plan_target, "");
}

TEST(ParseOptions, HelpAndVersion) {
  EXPECT_THAT(parse<PrintText>({"--version"}).text, HasSubstr("ingot "));
  EXPECT_THAT(parse<PrintText>({"--help"}).text, HasSubstr("compile"));
  EXPECT_THAT(parse<PrintText>({"run", "--help"}).text, HasSubstr("--input"));
}

TEST(ParseOptions, WrongUsageIsNamed) {
  EXPECT_THAT(error_of({}), HasSubstr("a command is needed: compile, run, verify"));
  EXPECT_THAT(error_of({"fly"}), HasSubstr("there is no command 'fly'; use compile, run"));
  EXPECT_THAT(error_of({"run"}), HasSubstr("MODEL is required"));
  EXPECT_THAT(error_of({"run", "m", "--colour"}), HasSubstr("--colour"));
  EXPECT_THAT(error_of({"run", "m", "n"}), HasSubstr("n"));
  EXPECT_THAT(error_of({"compile", "m.pt2"}), HasSubstr("--output is required"));
  EXPECT_THAT(error_of({"compile", "m", "-o", "x", "--emit=pdf"}), HasSubstr("pdf"));
  EXPECT_THAT(error_of({"compile", "m", "-o", "x", "--target=tpu"}), HasSubstr("tpu"));
  EXPECT_THAT(error_of({"verify", "m", "--expected", "e", "--rtol", "-1"}),
              HasSubstr("'-1' is no number of at least 0"));
  EXPECT_THAT(error_of({"bench", "m", "--duration-s", "0"}), HasSubstr("'0' is no number above 0"));
  EXPECT_THAT(error_of({"bench", "m", "--duration-s", "soon"}), HasSubstr("soon"));
}

}  // namespace
}  // namespace ingot::cli
