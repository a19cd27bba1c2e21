#include "runtime/cpu/thread_pool.h"

#include <algorithm>
#include <cstdlib>

namespace ingot::runtime::cpu {
namespace {

// How often a thread looks for news before it goes to sleep: some 20 µs, about what waking costs.
constexpr int kSpins = 1000;
constexpr int kMaxThreads = 1024;

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

int default_thread_count() {
  if (const char* text = std::getenv("INGOT_NUM_THREADS")) {
    char* end = nullptr;
    const long wanted = std::strtol(text, &end, 10);
    if (end != text && *end == '\0' && wanted > 0) {
      return static_cast<int>(std::min<long>(wanted, kMaxThreads));
    }
  }
  const unsigned processors = std::thread::hardware_concurrency();
  return processors == 0 ? 1 : static_cast<int>(std::min<unsigned>(processors, kMaxThreads));
}

ThreadPool::ThreadPool(int threads) {
  jobs_.reserve(64);
  for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { worker_loop(); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    ++version_;
  }
  work_added_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::work_on(Job& job) {
  for (;;) {
    const int64_t begin = job.next.fetch_add(job.grain, std::memory_order_relaxed);
    if (begin >= job.count) return;
    job.call(job.body, begin, std::min(begin + job.grain, job.count));
  }
}

void ThreadPool::run(Job& job) {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(&job);
    version_.fetch_add(1, std::memory_order_release);
    wake = sleeping_ > 0;
  }
  if (wake) {
    if (job.count <= 2 * job.grain) {
      work_added_.notify_one();
    } else {
      work_added_.notify_all();
    }
  }
  work_on(job);
  {
    const std::lock_guard lock(mutex_);
    jobs_.erase(std::find(jobs_.begin(), jobs_.end(), &job));
  }
  for (int i = 0; i < kSpins; ++i) {
    if (job.helpers.load(std::memory_order_acquire) == 0) return;
    pause_briefly();
  }
  std::unique_lock lock(mutex_);
  helper_left_.wait(lock, [&] { return job.helpers.load(std::memory_order_acquire) == 0; });
}

ThreadPool::Job* ThreadPool::find_job() {
  for (Job* job : jobs_) {
    if (job->next.load(std::memory_order_relaxed) < job->count) return job;
  }
  return nullptr;
}

void ThreadPool::worker_loop() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (Job* job = find_job()) {
      job->helpers.fetch_add(1, std::memory_order_relaxed);
      lock.unlock();
      work_on(*job);
      lock.lock();
      // Under the lock, so that the job's owner cannot miss it; the job is not touched afterwards.
      if (job->helpers.fetch_sub(1, std::memory_order_acq_rel) == 1) helper_left_.notify_all();
      continue;
    }
    const uint64_t seen = version_.load(std::memory_order_relaxed);
    lock.unlock();
    for (int i = 0; i < kSpins && version_.load(std::memory_order_acquire) == seen; ++i) {
      pause_briefly();
    }
    lock.lock();
    if (version_.load(std::memory_order_relaxed) != seen) continue;
    ++sleeping_;
    work_added_.wait(lock, [&] { return version_.load(std::memory_order_relaxed) != seen; });
    --sleeping_;
  }
}

}  // namespace ingot::runtime::cpu
