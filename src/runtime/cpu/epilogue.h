// Epilogues of template kernels: the instructions that follow what a matmul, convolution or
// attention micro-kernel accumulated, run on strips of it.
//
// How a micro-kernel uses it:
//   prepare:  nothing (a Body is data)
//   bind:     INGOT_ASSIGN_OR_RETURN(epilogue, EpilogueRunner::bind(kernel, kernel.body,
//   strip_axis,
//                                                                   sizes));
//   run:      epilogue->run_strip(buffers, point, accumulators, count, failure) from any thread
//
// `point` is the position of the strip's first element on the body's axes; the strip extends along
// `strip_axis`, so element i is at point[strip_axis] + i. Strips of 64 to 512 are the most
// efficient.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "program/kernel.h"
#include "runtime/cpu/kernel_failure.h"
#include "runtime/cpu/prepared_kernel.h"
#include "support/status.h"

namespace ingot::runtime::cpu {

class EpilogueRunner {
 public:
  // The longest strip that one call accepts.
  static constexpr int64_t kMaxStrip = 512;

  virtual ~EpilogueRunner() = default;

  // `body` is the kernel's epilogue or AttentionTemplate::score_body; `kernel` outlives the result.
  // Fails with Diag::kBadPackage if an access of the body can leave its buffer.
  static Result<std::unique_ptr<EpilogueRunner>> bind(const program::Kernel& kernel,
                                                      const program::Body& body,
                                                      uint32_t strip_axis,
                                                      const LaunchSizes& sizes);

  // Runs the body on `count` elements and makes its stores. `accumulators` are contiguous, of
  // Kernel::accumulator's type; they may be overwritten. `point` has one coordinate per axis of the
  // body. Errors go to `failure`. Thread-safe: the scratch memory is the calling thread's.
  virtual void run_strip(std::span<void* const> buffers, std::span<const int64_t> point,
                         const void* accumulators, int64_t count, KernelFailure& failure) const = 0;

  // The same, for a body whose last instruction is the result (score_body): `results` gets `count`
  // values of that instruction's type, and may be `accumulators`.
  virtual void map_strip(std::span<void* const> buffers, std::span<const int64_t> point,
                         const void* accumulators, void* results, int64_t count,
                         KernelFailure& failure) const = 0;

  // True for a body that only stores the accumulator, with the strip contiguous in memory and of
  // the accumulator's type: then a micro-kernel may write straight to
  // `direct_store(buffers, point)` and skip run_strip.
  virtual bool is_plain_store() const = 0;
  virtual void* direct_store(std::span<void* const> buffers,
                             std::span<const int64_t> point) const = 0;
};

}  // namespace ingot::runtime::cpu
