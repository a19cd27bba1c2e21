// What a device must offer to execute plans: memory, ordered queues, prepared kernels. The core
// knows devices through this header alone.
//
// Devices may be asynchronous: work put on a Queue runs later, in the order it was put there.
// Errors that a kernel finds (an index outside its range) come back from the call that starts the
// work when the device is synchronous, else from a later Queue::synchronize().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "program/program.h"
#include "support/status.h"

namespace ingot::runtime {

// Every block that a device allocates starts at a multiple of this.
inline constexpr size_t kAllocationAlignment = 64;
// Every buffer that a kernel is given starts at a multiple of this (before the BufferArg offset).
inline constexpr size_t kBufferAlignment = 16;

// In Device::targets: the plan of any target will do.
inline constexpr std::string_view kAnyTarget = "*";

// A device as DLPack numbers it.
struct DeviceId {
  int32_t type = 1;  // kDLCPU 1, kDLCUDA 2
  int32_t index = 0;
  friend bool operator==(const DeviceId&, const DeviceId&) = default;
};

// Elements of `element_bytes` each at src[sum(i_k * src_strides[k])] go to
// dst[sum(i_k * dst_strides[k])], for every i within `sizes`. Strides are in elements.
struct StridedCopy {
  void* dst = nullptr;
  const void* src = nullptr;
  size_t element_bytes = 0;
  std::span<const int64_t> sizes;
  std::span<const int64_t> dst_strides;
  std::span<const int64_t> src_strides;
};

// A point in a queue's work that others can wait for.
class Event {
 public:
  virtual ~Event() = default;
  // True once all work before the point has run; never waits.
  virtual bool is_done() const = 0;
  // Waits on the host.
  virtual Status wait() const = 0;
};

// Work in order. Belongs to one thread at a time. All pointers are this device's memory unless a
// parameter is named `host_…`; they must stay valid until the work has run.
class Queue {
 public:
  virtual ~Queue() = default;
  // The host memory may be changed as soon as the call returns.
  virtual Status upload(void* dst, const void* host_src, size_t bytes) = 0;
  // Waits for all work before it, and for the copy.
  virtual Status download(void* host_dst, const void* src, size_t bytes) = 0;
  virtual Status copy(void* dst, const void* src, size_t bytes) = 0;
  virtual Status copy_strided(const StridedCopy& copy) = 0;
  virtual Status fill(void* dst, uint8_t value, size_t bytes) = 0;
  // Marks the point after everything put so far.
  virtual Result<std::unique_ptr<Event>> record() = 0;
  // Later work of this queue starts after the event, which may be another queue's.
  virtual Status wait_for(const Event& event) = 0;
  // Waits until everything has run, and returns (once) the first error that a kernel reported since
  // the last call.
  virtual Status synchronize() = 0;
};

// A launch whose sizes are known. Belongs to one thread at a time, so it may keep scratch.
class BoundLaunch {
 public:
  virtual ~BoundLaunch() = default;
  // Puts the launch on the queue. `buffers[i]` is the address for Kernel::buffers[i], the
  // BufferArg offset added; it may differ from call to call, and must not be kept. Neither
  // allocates nor waits in the steady state.
  virtual Status launch(std::span<void* const> buffers, Queue& queue) = 0;
};

// Which step of a plan.
struct StepId {
  bool init = false;  // Plan::init[index], else Plan::steps[index]
  uint32_t index = 0;
};

// A plan's kernels made ready for a device: immutable, shared by every context and thread.
class Executable {
 public:
  virtual ~Executable() = default;
  // Everything about a kLaunch step that depends on sizes alone: evaluated extents, strides, block
  // counts. `scalars` are the values of d0, d1, …; `buffer_elements[i]` is how many elements of
  // Kernel::buffers[i] lie at and after the address that launch() will be given: what is outside is
  // never touched, whatever the kernel says. The core calls it once per shape and context.
  virtual Result<std::unique_ptr<BoundLaunch>> bind(
      StepId step, std::span<const int64_t> scalars,
      std::span<const int64_t> buffer_elements) const = 0;
};

// All functions may be called from several threads at once.
class Device {
 public:
  virtual ~Device() = default;
  virtual DeviceId id() const = 0;
  // For people: "cpu (x86-64, avx2, 2 threads)".
  virtual std::string description() const = 0;
  // The plan targets that it can execute, best first: {"cpu", kAnyTarget}.
  virtual std::vector<std::string> targets() const = 0;
  // True if kernels can use any host memory where it lies.
  virtual bool uses_host_memory() const = 0;

  // Uninitialised memory, aligned to kAllocationAlignment; not null even for 0 bytes. Fails with
  // Diag::kOutOfMemory.
  virtual Result<void*> allocate(size_t bytes) = 0;
  // All work that uses the block has run. Null is allowed.
  virtual void free(void* block) = 0;
  virtual Result<std::unique_ptr<Queue>> create_queue() = 0;

  // Makes the kernels of `plan` ready. `program` is valid (program/validate.h), is not copied, and
  // outlives the result.
  virtual Result<std::unique_ptr<Executable>> prepare(const program::Program& program,
                                                      const program::Plan& plan) = 0;
};

}  // namespace ingot::runtime
