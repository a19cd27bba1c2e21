// A stretch of a plan's steps with every size evaluated: what a repeated shape runs without
// evaluating anything again.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "program/program.h"
#include "runtime/core/device.h"

namespace ingot::runtime {

// A plan, its program and its kernels on one device. Immutable once made.
struct PreparedPlan {
  std::shared_ptr<Device> device;
  const program::Program* program = nullptr;
  const program::Plan* plan = nullptr;
  std::unique_ptr<Executable> executable;
};

inline constexpr size_t kUnknownSize = SIZE_MAX;

struct BoundStep {
  program::StepKind kind = program::StepKind::kLaunch;
  uint32_t step = 0;   // position in Plan::steps or init
  uint32_t first = 0;  // its buffers are Segment::args[first, first + count)
  uint32_t count = 0;
  size_t bytes = 0;
  uint8_t fill = 0;
  bool holds = true;  // of an assert
  std::unique_ptr<BoundLaunch> launch;
};

struct Segment {
  struct Arg {
    program::BufferIndex buffer = 0;
    size_t offset = 0;  // bytes
  };

  bool init = false;
  uint32_t first_step = 0;
  uint32_t end_step = 0;  // one past the last; a segment ends after a host-read
  sym::Values values;
  std::vector<size_t> buffer_bytes;   // by plan buffer; kUnknownSize before the host-read it needs
  std::vector<size_t> arena_offsets;  // by plan buffer, of temporaries and derived ones
  size_t arena_bytes = 0;             // enough for the temporaries whose size is known
  std::vector<BoundStep> steps;
  std::vector<Arg> args;
  // By Program::outputs: sizes of a tensor, the value of a scalar; empty while unknown.
  std::vector<std::vector<int64_t>> outputs;

  bool ends_in_host_read(const program::Plan& plan) const;
};

// Evaluates the steps from `first_step` up to the next host-read or the end. Fails with kBadPackage
// when offsets or sizes of the plan contradict each other.
Result<std::unique_ptr<Segment>> bind_segment(const PreparedPlan& prepared, bool init,
                                              uint32_t first_step, sym::Values values);

// Puts the segment's steps on the queue. `pointers` has the address of every plan buffer that the
// steps use; `scratch` is kept by the caller so that nothing is allocated in the steady state.
Status run_segment(const PreparedPlan& prepared, Segment& segment, std::span<void* const> pointers,
                   std::vector<void*>& scratch, Queue& queue);

// Waits for the queue and reads the integer that the segment's last step, a host-read, asks for.
Result<int64_t> read_host_value(const PreparedPlan& prepared, const Segment& segment,
                                std::span<void* const> pointers, Queue& queue);

}  // namespace ingot::runtime
