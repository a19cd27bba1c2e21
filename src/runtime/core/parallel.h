// Spreads independent work over threads while a program loads.
#pragma once

#include <cstddef>

namespace ingot::runtime {

// One piece of work; called for every index once, from several threads.
struct ParallelTask {
  virtual void run(size_t index) = 0;

 protected:
  ~ParallelTask() = default;
};

// Runs the task for 0, 1, …, count - 1 and returns when all is done. Uses the calling thread alone
// when no other can be started.
void run_in_parallel(size_t count, ParallelTask& task);

}  // namespace ingot::runtime
