// One program, several threads with contexts of their own: decoders whose states must not mix.
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>
#include <vector>

#include "runtime/api/ingot.hpp"

namespace {

// The logits of eight calls with tokens of this thread's own.
std::vector<float> decode(const ingot::Program& program, int64_t first_token) {
  ingot::Context context(program);
  std::vector<float> logits;
  for (int64_t position = 0; position < 8; ++position) {
    std::vector<int64_t> token = {(first_token + 7 * position) % 50};
    std::vector<int64_t> at = {position};
    const std::vector<ingot::Value> outputs =
        context.run({ingot::tensor(token, {1, 1}), ingot::tensor(at, {1})});
    const float* data = outputs[0].tensor().data<float>();
    logits.insert(logits.end(), data, data + 16);
  }
  return logits;
}

TEST(Threads, ContextsOfOneProgramDoNotDisturbEachOther) {
  const char* package = std::getenv("INGOT_TEST_PACKAGE");
  ASSERT_NE(package, nullptr) << "INGOT_TEST_PACKAGE names a package of tests/data/llama_tiny.pt2";
  const ingot::Program program = ingot::Program::load(package, "cpu");
  constexpr int kThreads = 4;
  std::vector<std::vector<float>> alone;
  for (int i = 0; i < kThreads; ++i) alone.push_back(decode(program, i));
  std::vector<std::vector<float>> together(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] { together[static_cast<size_t>(i)] = decode(program, i); });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < kThreads; ++i) {
    EXPECT_EQ(together[static_cast<size_t>(i)], alone[static_cast<size_t>(i)]) << i;
    if (i > 0) {
      EXPECT_NE(alone[static_cast<size_t>(i)], alone[0]);
    }
  }
}

}  // namespace
