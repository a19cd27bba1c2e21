#include "runtime/core/loaded_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "runtime/core/fake_device.h"
#include "runtime/core/test_call.h"
#include "runtime/core/test_programs.h"

namespace ingot::runtime {
namespace {

using testing::AffineCall;
using ::testing::ElementsAre;
using testing::FakeDevice;
using testing::floats_of;
using testing::FloatTensor;
using ::testing::HasSubstr;

class LoadedProgramTest : public ::testing::Test {
 protected:
  LoadedProgramTest() { testing::add_affine_kernels(log_); }
  std::string load_error(ProgramSource source, std::string_view plan = {}) {
    auto loaded = LoadedProgram::load(device_, std::move(source), plan);
    return loaded.ok() ? "" : loaded.status().message();
  }
  std::shared_ptr<LoadedProgram> load() {
    return LoadedProgram::load(device_, testing::affine_program()).value();
  }
  static std::vector<float> floats(const void* data, size_t count) {
    const auto* values = static_cast<const float*>(data);
    return {values, values + count};
  }

  std::shared_ptr<FakeDevice> device_ = std::make_shared<FakeDevice>();
  testing::FakeLog& log_ = device_->log();
};

TEST_F(LoadedProgramTest, InitRunsOnceAndConstantsStayWhereTheyLie) {
  const auto program = load();
  EXPECT_THAT(log_.events, ElementsAre("bind add_same(4)", "launch add_same"));
  const auto weights = program->weights();
  EXPECT_THAT(floats(weights->buffers()[4], 4), ElementsAre(2, 4, 6, 8));
  EXPECT_EQ(weights->buffers()[2], weights->weight(0).data);
  EXPECT_EQ(log_.allocations, 1u);  // the derived arena
}

TEST_F(LoadedProgramTest, DeviceMemoryIsUploaded) {
  device_ = std::make_shared<FakeDevice>(false);
  testing::add_affine_kernels(device_->log());
  const auto program = load();
  EXPECT_EQ(device_->log().count("upload"), 3u);
  EXPECT_THAT(floats(program->weights()->buffers()[4], 4), ElementsAre(2, 4, 6, 8));
  auto context = Context::create(program).value();
  FloatTensor host({4}, 5, 1);
  ASSERT_TRUE(context->write_state("total", host.view()).ok());
  FloatTensor back({4});
  ASSERT_TRUE(context->read_state("total", back.view()).ok());
  EXPECT_EQ(back.values, host.values);
}

TEST_F(LoadedProgramTest, ConstantsOfOtherLayoutsAreCopied) {
  ProgramSource source = testing::affine_program();
  source.program.weights[0] = {"linear.weight", DType::kF32, {4}, {2}, 0, 2};  // 1, 2, 3, 4
  const auto program = LoadedProgram::load(device_, std::move(source)).value();
  EXPECT_THAT(floats(program->weights()->buffers()[2], 4), ElementsAre(1, 2, 3, 4));
}

TEST_F(LoadedProgramTest, DamagedWeightsAreNamed) {
  ProgramSource source = testing::affine_program();
  source.program.storages[2].checksum ^= 1;
  EXPECT_THAT(load_error(std::move(source)), HasSubstr("weight total do not match"));
  source = testing::affine_program();
  source.program.storages[2].checksum ^= 1;
  source.verify_checksums = false;
  EXPECT_EQ(load_error(std::move(source)), "");
}

TEST_F(LoadedProgramTest, RefusesWhatDoesNotFit) {
  ProgramSource source = testing::affine_program();
  source.storages.pop_back();
  EXPECT_THAT(load_error(std::move(source)), HasSubstr("has 3 weight storages, 2 are given"));
  source = testing::affine_program();
  source.storages[1] = source.storages[1].first(2);
  EXPECT_THAT(load_error(std::move(source)),
              HasSubstr("weight storage 1 has 2 bytes instead of 4"));
  EXPECT_THAT(load_error(testing::affine_program(), "sm_90a"),
              HasSubstr("no plan for sm_90a; it has: cpu"));
  source = testing::affine_program();
  source.program.plans[0].target = "sm_80";
  EXPECT_THAT(load_error(std::move(source)), HasSubstr("no plan for fake; it has: sm_80"));
  source = testing::affine_program();
  source.program.plans[0].buffers[4].arena_offset = 128;
  EXPECT_THAT(load_error(std::move(source)), HasSubstr("'w2' ends at 144"));
  source = testing::affine_program();
  source.program.plans[0].steps[0].kernel = 99;
  EXPECT_NE(load_error(std::move(source)), "");
}

TEST_F(LoadedProgramTest, UpdatesRunInitAgainAndLeaveTheOldVersionAlone) {
  const auto program = load();
  const auto old = program->weights();
  FloatTensor weight({4}, 10, 10);
  FloatTensor bias({1}, 7);
  const std::array updates{WeightUpdate{"linear.weight", weight.view()},
                           WeightUpdate{"linear.bias", bias.view()}};
  ASSERT_TRUE(program->update_weights(updates).ok());
  EXPECT_THAT(floats(program->weights()->buffers()[4], 4), ElementsAre(20, 40, 60, 80));
  EXPECT_THAT(floats(program->weights()->buffers()[3], 1), ElementsAre(7));
  EXPECT_THAT(floats(old->buffers()[4], 4), ElementsAre(2, 4, 6, 8));
  EXPECT_THAT(floats(old->buffers()[3], 1), ElementsAre(0.5f));
}

TEST_F(LoadedProgramTest, UpdatesGoThroughViewsOfASharedStorage) {
  ProgramSource source = testing::affine_program();
  source.program.weights[0] = {"linear.weight", DType::kF32, {4}, {2}, 0, 2};
  const auto program = LoadedProgram::load(device_, std::move(source)).value();
  FloatTensor total({4}, 100, 100);
  const WeightUpdate update{"total", total.view()};
  ASSERT_TRUE(program->update_weights({&update, 1}).ok());
  EXPECT_THAT(floats(program->weights()->buffers()[2], 4), ElementsAre(1, 2, 3, 4));
  auto context = Context::create(program).value();
  FloatTensor host({4});
  ASSERT_TRUE(context->read_state("total", host.view()).ok());
  EXPECT_EQ(host.values, total.values);
}

TEST_F(LoadedProgramTest, UpdatesThatDoNotFitChangeNothing) {
  const auto program = load();
  const auto before = program->weights();
  FloatTensor bias({1}, 7);
  FloatTensor five({5});
  std::array updates{WeightUpdate{"linear.bias", bias.view()},
                     WeightUpdate{"nothing", five.view()}};
  EXPECT_THAT(program->update_weights(updates).message(), HasSubstr("no weight 'nothing'"));
  updates[1].name = "linear.weight";
  EXPECT_THAT(program->update_weights(updates).message(),
              HasSubstr("weight 'linear.weight' is 4xf32, the new value is 5xf32"));
  EXPECT_EQ(program->weights(), before);
}

// Run under the thread sanitizer in CI.
TEST_F(LoadedProgramTest, RunsSeeWhollyOldOrWhollyNewWeights) {
  const auto program = load();
  std::atomic<bool> stop{false};
  std::vector<std::thread> runners;
  for (int t = 0; t < 2; ++t) {
    runners.emplace_back([&program, &stop] {
      while (!stop) {
        const auto weights = program->weights();
        const auto* w2 = static_cast<const float*>(weights->buffers()[4]);
        const auto* bias = static_cast<const float*>(weights->buffers()[3]);
        // Every version has w2[0] = 4 * bias.
        if (w2[0] != 4 * bias[0]) ADD_FAILURE() << w2[0] << " and " << bias[0];
      }
    });
  }
  for (int i = 1; i <= 50; ++i) {
    FloatTensor weight({4}, static_cast<float>(2 * i));
    FloatTensor bias({1}, static_cast<float>(i));
    const std::array updates{WeightUpdate{"linear.weight", weight.view()},
                             WeightUpdate{"linear.bias", bias.view()}};
    EXPECT_TRUE(program->update_weights(updates).ok());
  }
  stop = true;
  for (std::thread& runner : runners) runner.join();
}

}  // namespace
}  // namespace ingot::runtime
