// A device for the core's tests: does what it is told at once, in host memory, and records it.
#pragma once

#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/core/device.h"
#include "runtime/core/strided_copy.h"
#include "support/diagnostics.h"

namespace ingot::runtime::testing {

// What a kernel does, by its name.
using FakeKernel =
    std::function<Status(std::span<void* const> buffers, std::span<const int64_t> scalars)>;

// Shared by the device and everything made from it.
struct FakeLog {
  std::map<std::string, FakeKernel> kernels;
  std::vector<std::string> events;  // "bind mul(12)", "launch mul", "copy 16", "upload 64", …
  std::mutex mutex;                 // for allocations, which other threads may free
  std::map<void*, size_t> blocks;   // live allocations
  size_t allocations = 0;           // ever made
  size_t allocations_left = SIZE_MAX;
  std::vector<std::vector<int64_t>> bound_elements;  // per bind
  bool is_quiet = false;                             // record no events

  void add(const char* what, size_t number) {
    if (!is_quiet) events.push_back(std::string(what) + " " + std::to_string(number));
  }

  size_t count(std::string_view prefix) const {
    size_t n = 0;
    for (const std::string& event : events) n += event.starts_with(prefix);
    return n;
  }
};

class FakeQueue final : public Queue {
 public:
  explicit FakeQueue(std::shared_ptr<FakeLog> log) : log_(std::move(log)) {}
  Status upload(void* dst, const void* src, size_t bytes) override {
    return move("upload", dst, src, bytes);
  }
  Status download(void* dst, const void* src, size_t bytes) override {
    return move("download", dst, src, bytes);
  }
  Status copy(void* dst, const void* src, size_t bytes) override {
    return move("copy", dst, src, bytes);
  }
  Status copy_strided(const StridedCopy& copy) override {
    log_->add("copy_strided", copy.sizes.size());
    copy_strided_on_host(copy);
    return ok_status();
  }
  Status fill(void* dst, uint8_t value, size_t bytes) override {
    log_->add("fill", bytes);
    std::memset(dst, value, bytes);
    return ok_status();
  }
  Result<std::unique_ptr<Event>> record() override {
    return make_status(Diag::kInternal, "the fake device has no events");
  }
  Status wait_for(const Event& event) override { return event.wait(); }
  Status synchronize() override { return ok_status(); }

 private:
  Status move(const char* what, void* dst, const void* src, size_t bytes) {
    log_->add(what, bytes);
    std::memmove(dst, src, bytes);
    return ok_status();
  }
  std::shared_ptr<FakeLog> log_;
};

class FakeLaunch final : public BoundLaunch {
 public:
  FakeLaunch(std::shared_ptr<FakeLog> log, std::string name, std::span<const int64_t> scalars)
      : log_(std::move(log)), name_(std::move(name)), scalars_(scalars.begin(), scalars.end()) {}
  Status launch(std::span<void* const> buffers, Queue&) override {
    if (!log_->is_quiet) log_->events.push_back("launch " + name_);
    return log_->kernels.at(name_)(buffers, scalars_);
  }

 private:
  std::shared_ptr<FakeLog> log_;
  std::string name_;
  std::vector<int64_t> scalars_;
};

class FakeExecutable final : public Executable {
 public:
  FakeExecutable(std::shared_ptr<FakeLog> log, const program::Program& program,
                 const program::Plan& plan)
      : log_(std::move(log)), program_(program), plan_(plan) {}
  Result<std::unique_ptr<BoundLaunch>> bind(StepId id, std::span<const int64_t> scalars,
                                            std::span<const int64_t> elements) const override {
    const program::Step& step = (id.init ? plan_.init : plan_.steps)[id.index];
    const std::string& name = program_.kernels[step.kernel].name;
    std::string text = "bind " + name + "(";
    for (const int64_t value : scalars) text += std::to_string(value);
    log_->events.push_back(text + ")");
    log_->bound_elements.emplace_back(elements.begin(), elements.end());
    return std::unique_ptr<BoundLaunch>(std::make_unique<FakeLaunch>(log_, name, scalars));
  }

 private:
  std::shared_ptr<FakeLog> log_;
  const program::Program& program_;
  const program::Plan& plan_;
};

class FakeDevice final : public Device {
 public:
  // `host_memory` false stands for a device whose memory the host cannot use.
  explicit FakeDevice(bool host_memory = true)
      : log_(std::make_shared<FakeLog>()), host_memory_(host_memory) {}

  FakeLog& log() { return *log_; }
  std::shared_ptr<FakeLog> shared_log() { return log_; }

  DeviceId id() const override { return host_memory_ ? DeviceId{} : DeviceId{2, 0}; }
  std::string description() const override { return "fake"; }
  std::vector<std::string> targets() const override { return {"fake", "cpu"}; }
  bool uses_host_memory() const override { return host_memory_; }
  Result<void*> allocate(size_t bytes) override {
    const std::lock_guard lock(log_->mutex);
    if (log_->allocations_left == 0) {
      return make_status(Diag::kOutOfMemory, "cannot allocate " + std::to_string(bytes) + " bytes");
    }
    --log_->allocations_left;
    ++log_->allocations;
    const size_t rounded = (bytes / kAllocationAlignment + 1) * kAllocationAlignment;
    void* block = std::aligned_alloc(kAllocationAlignment, rounded);
    std::memset(block, 0xee, rounded);
    log_->blocks[block] = bytes;
    return block;
  }
  void free(void* block) override {
    const std::lock_guard lock(log_->mutex);
    log_->blocks.erase(block);
    std::free(block);
  }
  Result<std::unique_ptr<Queue>> create_queue() override {
    return std::unique_ptr<Queue>(std::make_unique<FakeQueue>(log_));
  }
  Result<std::unique_ptr<Executable>> prepare(const program::Program& program,
                                              const program::Plan& plan) override {
    return std::unique_ptr<Executable>(std::make_unique<FakeExecutable>(log_, program, plan));
  }

 private:
  std::shared_ptr<FakeLog> log_;
  bool host_memory_;
};

// out[i] = a[i] + b[i mod period] and so on: the kernels of test_programs.h.
inline void add_affine_kernels(FakeLog& log) {
  const auto binary = [](int64_t period, auto op) {
    return [period, op](std::span<void* const> buffers, std::span<const int64_t> scalars) {
      const auto* a = static_cast<const float*>(buffers[0]);
      const auto* b = static_cast<const float*>(buffers[1]);
      auto* out = static_cast<float*>(buffers[2]);
      for (int64_t i = 0; i < scalars[0]; ++i) out[i] = op(a[i], b[i % period]);
      return ok_status();
    };
  };
  log.kernels["add_same"] = binary(4, std::plus<float>());
  log.kernels["mul"] = binary(4, std::multiplies<float>());
  log.kernels["add_one"] = binary(1, std::plus<float>());
  log.kernels["accumulate"] = [](std::span<void* const> buffers, std::span<const int64_t> scalars) {
    auto* a = static_cast<float*>(buffers[0]);
    const auto* b = static_cast<const float*>(buffers[1]);
    for (int64_t i = 0; i < scalars[0]; ++i) a[i] += b[0];
    return ok_status();
  };
}

}  // namespace ingot::runtime::testing
