#include "runtime/cpu/thread_pool.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>

namespace ingot::runtime::cpu {
namespace {

TEST(ThreadPool, RunsEveryIterationOnce) {
  for (int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.thread_count(), threads);
    for (int64_t count : {0, 1, 2, 63, 64, 1000}) {
      for (int64_t grain : {0, 1, 7, 64, 2000}) {
        std::vector<std::atomic<int>> hits(static_cast<size_t>(count));
        pool.parallel_for(count, grain, [&](int64_t begin, int64_t end) {
          EXPECT_LE(end - begin, std::max<int64_t>(grain, 1));
          for (int64_t i = begin; i < end; ++i) ++hits[static_cast<size_t>(i)];
        });
        for (const auto& hit : hits) EXPECT_EQ(hit, 1);
      }
    }
  }
}

TEST(ThreadPool, ServesSeveralCallersAtOnce) {
  ThreadPool pool(3);
  std::vector<std::thread> callers;
  std::atomic<int64_t> total{0};
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        // Written without atomics: the pool itself must order it before the return.
        std::vector<int64_t> squares(100);
        pool.parallel_for(100, 9, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) squares[static_cast<size_t>(i)] = i * i;
        });
        total += std::accumulate(squares.begin(), squares.end(), int64_t{0});
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(total, int64_t{4} * 200 * 328350);
}

TEST(ThreadPool, LoopsMayBeNested) {
  ThreadPool pool(2);
  std::atomic<int> hits{0};
  pool.parallel_for(
      8, 1, [&](int64_t, int64_t) { pool.parallel_for(8, 1, [&](int64_t, int64_t) { ++hits; }); });
  EXPECT_EQ(hits, 64);
}

TEST(ThreadPool, ReadsTheThreadCountFromTheEnvironment) {
  ASSERT_EQ(setenv("INGOT_NUM_THREADS", "3", 1), 0);
  EXPECT_EQ(default_thread_count(), 3);
  for (const char* bad : {"", "0", "-2", "two", "4x"}) {
    ASSERT_EQ(setenv("INGOT_NUM_THREADS", bad, 1), 0);
    EXPECT_GE(default_thread_count(), 1) << bad;
    EXPECT_NE(default_thread_count(), -2) << bad;
  }
  ASSERT_EQ(unsetenv("INGOT_NUM_THREADS"), 0);
}

}  // namespace
}  // namespace ingot::runtime::cpu
