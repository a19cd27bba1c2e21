// Where threads that run one kernel report what went wrong.
#pragma once

#include <atomic>
#include <mutex>

#include "support/status.h"

namespace ingot::runtime::cpu {

// Keeps one failure; others may be lost. Threads look at `failed` to stop early.
class KernelFailure {
 public:
  bool failed() const { return failed_.load(std::memory_order_relaxed); }

  void report(Status status) {
    const std::lock_guard lock(mutex_);
    if (status_.ok()) status_ = std::move(status);
    failed_.store(true, std::memory_order_relaxed);
  }

  // Once all threads are done.
  Status take() {
    const std::lock_guard lock(mutex_);
    failed_.store(false, std::memory_order_relaxed);
    return std::exchange(status_, Status());
  }

 private:
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  Status status_;
};

}  // namespace ingot::runtime::cpu
