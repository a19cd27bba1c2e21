#include "runtime/core/parallel.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace ingot::runtime {
namespace {

// Pieces are handed out one by one, so that a large one does not hold up the rest.
struct Job {
  ParallelTask& task;
  size_t count;
  std::atomic<size_t> next{0};

  void work() {
    for (size_t i = next++; i < count; i = next++) task.run(i);
  }
};

void* work_on(void* job) {
  static_cast<Job*>(job)->work();
  return nullptr;
}

}  // namespace

void run_in_parallel(size_t count, ParallelTask& task) {
  Job job{task, count};
  const size_t workers = std::min<size_t>(count, std::thread::hardware_concurrency());
  std::vector<pthread_t> threads;
  for (size_t i = 1; i < workers; ++i) {
    // Not std::thread: its constructor throws where threads are limited.
    pthread_t thread{};
    if (pthread_create(&thread, nullptr, work_on, &job) != 0) break;
    threads.push_back(thread);
  }
  job.work();
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
}

}  // namespace ingot::runtime
