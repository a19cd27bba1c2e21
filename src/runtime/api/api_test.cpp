#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "package/writer.h"
#include "runtime/api/ingot.h"
#include "runtime/api/ingot.hpp"
#include "runtime/core/test_programs.h"
#include "support/diagnostics.h"

namespace {

using ingot::runtime::testing::affine_program;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The affine program as a package file, on the CPU device.
class Api : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::filesystem::temp_directory_path() / ("api_test." + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    const ingot::runtime::ProgramSource source = affine_program();
    ingot::package::PackageContents contents;
    contents.program = &source.program;
    contents.storages = source.storages;
    contents.manifest = "{}";
    const ingot::Status written = ingot::package::write_package(path(), contents);
    ASSERT_TRUE(written.ok()) << written.message();
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(folder_); }
  static std::string path() { return folder_ / "affine.ingot"; }

  static std::vector<float> expected_y(const std::vector<float>& x, float scale, float bias) {
    std::vector<float> y;
    for (size_t i = 0; i < x.size(); ++i) {
      y.push_back(x[i] * (static_cast<float>(i % 4) + 1) * 2 * scale + bias);
    }
    return y;
  }
  static std::vector<float> floats(const ingot::Tensor& tensor) {
    return {tensor.data<float>(), tensor.data<float>() + tensor.size()};
  }
  // The message of a status, which is freed.
  static std::string message(ingot_status* status, int id = 0) {
    if (id != 0) {
      EXPECT_EQ(ingot_status_id(status), id);
    }
    std::string text = ingot_status_message(status);
    ingot_status_free(status);
    return text;
  }

  static std::filesystem::path folder_;
  std::vector<float> x_ = {0, 1, 2, 3, 4, 5, 6, 7};
  std::vector<float> mask_ = {1, 1, 1};
};
std::filesystem::path Api::folder_;

TEST_F(Api, DescribesInputsOutputsStatesAndWeights) {
  const ingot::Program program = ingot::Program::load(path());
  const std::vector<ingot_info> inputs = program.inputs();
  ASSERT_EQ(inputs.size(), 4u);
  EXPECT_STREQ(inputs[0].name, "x");
  EXPECT_EQ(inputs[0].kind, INGOT_TENSOR);
  EXPECT_STREQ(inputs[0].dtype_name, "f32");
  EXPECT_EQ(inputs[0].dtype.code, kDLFloat);
  ASSERT_EQ(inputs[0].rank, 2);
  EXPECT_EQ(inputs[0].dims[0].min, 1);
  EXPECT_EQ(inputs[0].dims[0].max, 8);
  EXPECT_STREQ(inputs[0].dims[0].expression, "s0");
  EXPECT_EQ(inputs[0].dims[1].min, 4);
  EXPECT_EQ(inputs[1].burned_in, 1);
  EXPECT_EQ(inputs[1].kind, INGOT_BOOL);
  EXPECT_EQ(inputs[1].integer, 1);
  EXPECT_EQ(inputs[2].kind, INGOT_INT);
  EXPECT_EQ(inputs[3].mutated, 1);
  EXPECT_STREQ(inputs[3].dims[0].expression, "s0 + 1");
  const std::vector<ingot_info> outputs = program.outputs();
  ASSERT_EQ(outputs.size(), 5u);
  EXPECT_EQ(outputs[3].kind, INGOT_INPUT);
  EXPECT_EQ(outputs[3].integer, 3);
  EXPECT_STREQ(outputs[4].string, "done");
  ASSERT_EQ(program.states().size(), 1u);
  EXPECT_STREQ(program.states()[0].name, "total");
  ASSERT_EQ(program.weights().size(), 3u);
  EXPECT_STREQ(program.weights()[1].name, "linear.bias");
}

TEST_F(Api, RunsThroughTheWrapper) {
  ingot::Context context(ingot::Program::load(path()));
  const std::vector<ingot::Value> outputs =
      context.run({ingot::tensor(x_, {2, 4}), true, 7, {"mask", ingot::tensor(mask_, {3})}});
  ASSERT_EQ(outputs.size(), 5u);
  EXPECT_EQ(floats(outputs[0].tensor()), expected_y(x_, 1, 0.5f));
  EXPECT_THAT(outputs[0].tensor().shape(), ElementsAre(2, 4));
  EXPECT_THAT(floats(outputs[1].tensor()), ElementsAre(12, 22, 32, 42));
  EXPECT_EQ(outputs[2].integer(), 14);
  EXPECT_EQ(outputs[3].kind(), INGOT_INPUT);
  EXPECT_EQ(outputs[4].string(), "done");
  EXPECT_THAT(mask_, Each(1.5f));
  EXPECT_THROW(outputs[0].tensor().data<double>(), ingot::Error);
  EXPECT_THROW(outputs[2].tensor(), ingot::Error);
}

TEST_F(Api, WritesIntoTheCallersTensors) {
  ingot::Context context(ingot::Program::load(path()));
  std::vector<float> y(8);
  std::vector<float> total(4);
  std::vector<int64_t> unused(1);
  std::vector<float> mask(3);
  const ingot::TensorView nowhere = ingot::tensor(unused, {});
  context.run_into({ingot::tensor(x_, {2, 4}), 7, ingot::tensor(mask_, {3})},
                   {ingot::tensor(y, {2, 4}), ingot::tensor(total, {4}), nowhere,
                    ingot::tensor(mask, {3}), nowhere});
  EXPECT_EQ(y, expected_y(x_, 1, 0.5f));
  EXPECT_THAT(total, ElementsAre(12, 22, 32, 42));
  EXPECT_THAT(mask, Each(1.5f));
}

TEST_F(Api, OutputsOutliveEverything) {
  std::vector<ingot::Value> outputs;
  {
    ingot::Context context(ingot::Program::load(path()));
    outputs = context.run({ingot::tensor(x_, {2, 4}), 7, ingot::tensor(mask_, {3})});
  }
  EXPECT_EQ(floats(outputs[0].tensor()), expected_y(x_, 1, 0.5f));
}

TEST_F(Api, StateIsReadWrittenAndReset) {
  ingot::Context context(ingot::Program::load(path()));
  context.run({ingot::tensor(x_, {2, 4}), 7, ingot::tensor(mask_, {3})});
  std::vector<float> state(4);
  context.read_state("total", ingot::tensor(state, {4}));
  EXPECT_THAT(state, ElementsAre(12, 22, 32, 42));
  const std::vector<float> zeros(4);
  context.write_state("total", ingot::tensor(zeros, {4}));
  context.read_state("total", ingot::tensor(state, {4}));
  EXPECT_THAT(state, Each(0));
  context.reset_states();
  context.read_state("total", ingot::tensor(state, {4}));
  EXPECT_THAT(state, ElementsAre(10, 20, 30, 40));
  try {
    context.reset_state("nothing");
    FAIL();
  } catch (const ingot::Error& error) {
    EXPECT_EQ(error.id(), static_cast<int>(ingot::Diag::kState));
    EXPECT_EQ(error.code(), INGOT_INVALID_DATA);
  }
}

TEST_F(Api, ErrorsNameTheArgument) {
  ingot::Context context(ingot::Program::load(path()));
  std::vector<float> large(36);
  try {
    context.run({ingot::tensor(large, {9, 4}), 7, ingot::tensor(mask_, {3})});
    FAIL();
  } catch (const ingot::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("input 'x' has size 9 in dimension 0"));
    EXPECT_EQ(error.id(), 503);
  }
  const std::vector<float> constant = mask_;
  EXPECT_THROW(context.run({ingot::tensor(x_, {2, 4}), 7, ingot::tensor(constant, {3})}),
               ingot::Error);
}

TEST_F(Api, LoadErrorsAreStatuses) {
  ingot_program* program = reinterpret_cast<ingot_program*>(this);
  EXPECT_THAT(message(ingot_program_load("/nowhere", nullptr, &program), 201),
              HasSubstr("/nowhere"));
  EXPECT_EQ(program, nullptr);
  ingot_load_options options{};
  options.device = "cuda:0";
  EXPECT_NE(message(ingot_program_load(path().c_str(), &options, &program), 601), "");
  options.device = "abacus";
  EXPECT_THAT(message(ingot_program_load(path().c_str(), &options, &program), 101),
              HasSubstr("abacus"));
  options = {};
  options.plan_target = "sm_80";
  EXPECT_THAT(message(ingot_program_load(path().c_str(), &options, &program), 403),
              HasSubstr("no plan for sm_80; it has: cpu"));
}

TEST_F(Api, WrongCallsAreStatuses) {
  EXPECT_NE(message(ingot_program_load(nullptr, nullptr, nullptr), 102), "");
  ingot_program* program = nullptr;
  EXPECT_NE(message(ingot_program_load(nullptr, nullptr, &program), 102), "");
  ASSERT_EQ(ingot_program_load(path().c_str(), nullptr, &program), nullptr);
  ingot_info info;
  EXPECT_THAT(message(ingot_program_input(program, 4, &info), 102), HasSubstr("there are 4"));
  EXPECT_NE(message(ingot_program_input(nullptr, 0, &info), 102), "");
  EXPECT_EQ(ingot_program_input_count(nullptr), 0u);
  ingot_context* context = nullptr;
  EXPECT_NE(message(ingot_context_create(nullptr, &context), 102), "");
  ASSERT_EQ(ingot_context_create(program, &context), nullptr);
  EXPECT_NE(message(ingot_context_run(nullptr, nullptr, 0, nullptr, 0, nullptr), 102), "");
  EXPECT_NE(message(ingot_context_run(context, nullptr, 2, nullptr, 0, nullptr), 102), "");
  ingot_input input{};
  EXPECT_NE(message(ingot_context_run(context, &input, 1, nullptr, 0, nullptr), 102), "");
  DLTensor tensor{};
  input.tensor = &tensor;
  tensor.ndim = -1;
  EXPECT_NE(message(ingot_context_run(context, &input, 1, nullptr, 0, nullptr), 102), "");
  tensor.ndim = 2;
  EXPECT_NE(message(ingot_context_run(context, &input, 1, nullptr, 0, nullptr), 102), "");
  int64_t shape[2] = {-2, 4};
  tensor.shape = shape;
  tensor.dtype = {kDLFloat, 32, 1};
  EXPECT_THAT(message(ingot_context_run(context, &input, 1, nullptr, 0, nullptr), 102),
              HasSubstr("input number 0: the tensor has the size -2"));
  tensor.dtype = {99, 7, 3};
  EXPECT_NE(message(ingot_context_run(context, &input, 1, nullptr, 0, nullptr), 504), "");
  input.kind = 77;
  EXPECT_NE(message(ingot_context_run(context, &input, 1, nullptr, 0, nullptr), 102), "");
  EXPECT_NE(message(ingot_context_read_state(context, nullptr, &tensor), 102), "");
  EXPECT_NE(message(ingot_context_read_state(context, "total", nullptr), 102), "");
  const char* name = nullptr;
  const DLTensor* value = &tensor;
  EXPECT_NE(message(ingot_program_update_weights(program, &name, &value, 1), 102), "");
  ingot_context_free(context);
  ingot_program_free(program);
  ingot_context_free(nullptr);
  ingot_program_free(nullptr);
  ingot_status_free(nullptr);
  EXPECT_STREQ(ingot_status_message(nullptr), "");
  EXPECT_EQ(ingot_status_code(nullptr), INGOT_OK);
}

TEST_F(Api, LoadsFromMemory) {
  std::ifstream file(path(), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const size_t rounded = (bytes.size() + 63) / 64 * 64;
  const std::unique_ptr<void, void (*)(void*)> memory(std::aligned_alloc(64, rounded), std::free);
  std::memcpy(memory.get(), bytes.data(), bytes.size());
  {
    ingot::Context context(ingot::Program::load_memory(memory.get(), bytes.size()));
    const auto outputs = context.run({ingot::tensor(x_, {2, 4}), 7, ingot::tensor(mask_, {3})});
    EXPECT_EQ(floats(outputs[0].tensor()), expected_y(x_, 1, 0.5f));
  }
  // Weights that are not where they should be are copied, not misread.
  const std::unique_ptr<void, void (*)(void*)> shifted(std::aligned_alloc(64, rounded + 64),
                                                       std::free);
  auto* odd = static_cast<char*>(shifted.get()) + 4;
  std::memcpy(odd, bytes.data(), bytes.size());
  EXPECT_THROW(ingot::Program::load_memory(odd, bytes.size() - 1), ingot::Error);
  ingot::Context context(ingot::Program::load_memory(odd, bytes.size()));
  mask_ = {1, 1, 1};
  const auto outputs = context.run({ingot::tensor(x_, {2, 4}), 7, ingot::tensor(mask_, {3})});
  EXPECT_EQ(floats(outputs[0].tensor()), expected_y(x_, 1, 0.5f));
}

// Two threads with contexts of their own on one program, while a third replaces weights: every
// result belongs wholly to one version. Also run under the thread sanitizer.
TEST_F(Api, ThreadsAndWeightUpdates) {
  ingot::Program program = ingot::Program::load(path());
  std::atomic<bool> stop{false};
  std::atomic<int> runs{0};
  const auto work = [&] {
    ingot::Context context(program);
    std::vector<float> x = {1, 1, 1, 1, 1, 1, 1, 1};
    std::vector<float> mask(3);
    while (!stop) {
      const auto outputs = context.run({ingot::tensor(x, {2, 4}), 7, ingot::tensor(mask, {3})});
      const std::vector<float> y = floats(outputs[0].tensor());
      // Version k has weight k * (1, 2, 3, 4) and bias k * 0.5.
      const float version = y[0] / 2.5f;
      if (y != expected_y(x, version, 0.5f * version)) ADD_FAILURE() << "mixed versions";
      ++runs;
    }
  };
  std::thread first(work);
  std::thread second(work);
  for (int version = 1; version <= 40 || runs < 100; ++version) {
    const float k = static_cast<float>(version % 16 + 1);
    const std::vector<float> weight = {k, 2 * k, 3 * k, 4 * k};
    const std::vector<float> bias = {0.5f * k};
    program.update_weights(
        {{"linear.weight", ingot::tensor(weight, {4})}, {"linear.bias", ingot::tensor(bias, {1})}});
  }
  stop = true;
  first.join();
  second.join();
}

TEST_F(Api, ContextRefusesASecondThread) {
  const ingot::Program program = ingot::Program::load(path());
  ingot::Context context(program);
  std::atomic<int> refused{0};
  std::atomic<int> done{0};
  const auto work = [&] {
    std::vector<float> x(8, 1);
    std::vector<float> mask(3);
    for (int i = 0; i < 2000; ++i) {
      try {
        context.run({ingot::tensor(x, {2, 4}), 7, ingot::tensor(mask, {3})});
        ++done;
      } catch (const ingot::Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("in use by another thread"));
        ++refused;
      }
    }
  };
  std::thread first(work);
  std::thread second(work);
  first.join();
  second.join();
  EXPECT_EQ(done + refused, 4000);
  EXPECT_GT(done, 0);
}

}  // namespace
