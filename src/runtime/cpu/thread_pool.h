// A fixed set of threads that share the iterations of loops.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace ingot::runtime::cpu {

// The number of threads to use by default: INGOT_NUM_THREADS if it is a positive number, else one
// per processor.
int default_thread_count();

class ThreadPool {
 public:
  // `threads` counts the calling thread: a pool of 1 starts none.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int thread_count() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls body(begin, end) for ranges that together are [0, count), on this thread and idle ones,
  // and returns when all have run. Ranges start at multiples of `grain` and hold at most `grain`
  // iterations; nothing is said about their order. A loop of one range runs inline. Several threads
  // may call this at once, also from within a body: the caller always works on its own loop.
  template <typename Body>
  void parallel_for(int64_t count, int64_t grain, Body&& body) {
    if (count <= 0) return;
    if (grain < 1) grain = 1;
    if (count <= grain) {
      body(int64_t{0}, count);
      return;
    }
    if (workers_.empty()) {
      for (int64_t begin = 0; begin < count; begin += grain) {
        body(begin, begin + grain < count ? begin + grain : count);
      }
      return;
    }
    using BodyType = std::remove_reference_t<Body>;
    Job job;
    job.count = count;
    job.grain = grain;
    job.body = const_cast<void*>(static_cast<const void*>(&body));
    job.call = [](void* erased, int64_t begin, int64_t end) {
      (*static_cast<BodyType*>(erased))(begin, end);
    };
    run(job);
  }

 private:
  struct Job {
    int64_t count = 0;
    int64_t grain = 1;
    void* body = nullptr;
    void (*call)(void* body, int64_t begin, int64_t end) = nullptr;
    std::atomic<int64_t> next{0};
    std::atomic<int> helpers{0};  // workers inside; changed under mutex_
  };

  void run(Job& job);
  static void work_on(Job& job);
  Job* find_job();  // under mutex_
  void worker_loop();

  std::mutex mutex_;
  std::condition_variable work_added_;
  std::condition_variable helper_left_;
  std::vector<Job*> jobs_;            // under mutex_
  int sleeping_ = 0;                  // under mutex_
  std::atomic<uint64_t> version_{0};  // of jobs_: what spinning workers watch
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> workers_;
};

}  // namespace ingot::runtime::cpu
