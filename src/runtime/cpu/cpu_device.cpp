#include "runtime/cpu/cpu_device.h"

#include <fmt/core.h>

#include <cstdlib>
#include <cstring>

#include "runtime/core/strided_copy.h"
#include "runtime/cpu/prepared_kernel.h"
#include "support/diagnostics.h"

namespace ingot::runtime::cpu {
namespace {

// Everything has run when the call that put it on the queue returns.
class DoneEvent final : public Event {
 public:
  bool is_done() const override { return true; }
  Status wait() const override { return ok_status(); }
};

class CpuQueue final : public Queue {
 public:
  Status upload(void* dst, const void* host_src, size_t bytes) override {
    return copy(dst, host_src, bytes);
  }
  Status download(void* host_dst, const void* src, size_t bytes) override {
    return copy(host_dst, src, bytes);
  }
  Status copy(void* dst, const void* src, size_t bytes) override {
    if (bytes != 0) std::memmove(dst, src, bytes);
    return ok_status();
  }
  Status copy_strided(const StridedCopy& copy) override {
    copy_strided_on_host(copy);
    return ok_status();
  }
  Status fill(void* dst, uint8_t value, size_t bytes) override {
    if (bytes != 0) std::memset(dst, value, bytes);
    return ok_status();
  }
  Result<std::unique_ptr<Event>> record() override {
    return std::unique_ptr<Event>(std::make_unique<DoneEvent>());
  }
  Status wait_for(const Event& event) override { return event.wait(); }
  Status synchronize() override { return ok_status(); }
};

class CpuLaunch final : public BoundLaunch {
 public:
  CpuLaunch(std::unique_ptr<BoundKernel> kernel, std::shared_ptr<ThreadPool> pool)
      : kernel_(std::move(kernel)), pool_(std::move(pool)) {}
  Status launch(std::span<void* const> buffers, Queue&) override {
    return kernel_->run(buffers, *pool_);
  }

 private:
  std::unique_ptr<BoundKernel> kernel_;
  std::shared_ptr<ThreadPool> pool_;
};

class CpuExecutable final : public Executable {
 public:
  CpuExecutable(const program::Plan& plan, std::shared_ptr<ThreadPool> pool)
      : plan_(plan), pool_(std::move(pool)) {}

  Status prepare(const program::Program& program) {
    kernels_.resize(program.kernels.size());
    for (const std::vector<program::Step>* steps : {&plan_.init, &plan_.steps}) {
      for (const program::Step& step : *steps) {
        if (step.kind != program::StepKind::kLaunch || kernels_[step.kernel]) continue;
        Result<std::unique_ptr<PreparedKernel>> kernel =
            prepare_kernel(program.kernels[step.kernel]);
        if (!kernel.ok()) {
          return std::move(kernel).status().with_context(
              fmt::format("kernel '{}'", program.kernels[step.kernel].name));
        }
        kernels_[step.kernel] = std::move(kernel).value();
      }
    }
    return ok_status();
  }

  Result<std::unique_ptr<BoundLaunch>> bind(
      StepId step, std::span<const int64_t> scalars,
      std::span<const int64_t> buffer_elements) const override {
    const program::Step& described = (step.init ? plan_.init : plan_.steps)[step.index];
    INGOT_ASSIGN_OR_RETURN(auto bound,
                           kernels_[described.kernel]->bind({scalars, buffer_elements}));
    return std::unique_ptr<BoundLaunch>(std::make_unique<CpuLaunch>(std::move(bound), pool_));
  }

 private:
  const program::Plan& plan_;
  std::shared_ptr<ThreadPool> pool_;
  std::vector<std::unique_ptr<PreparedKernel>> kernels_;  // by program kernel; null if unused
};

class CpuDevice final : public Device {
 public:
  explicit CpuDevice(int threads) : pool_(std::make_shared<ThreadPool>(threads)) {}

  DeviceId id() const override { return {}; }
  std::string description() const override {
    return fmt::format("cpu ({} thread{})", pool_->thread_count(),
                       pool_->thread_count() == 1 ? "" : "s");
  }
  std::vector<std::string> targets() const override { return {"cpu", std::string(kAnyTarget)}; }
  bool uses_host_memory() const override { return true; }

  Result<void*> allocate(size_t bytes) override {
    void* block = nullptr;
    if (bytes <= SIZE_MAX - kAllocationAlignment) {
      const size_t rounded = (bytes + kAllocationAlignment - 1) / kAllocationAlignment;
      block = std::aligned_alloc(kAllocationAlignment,
                                 std::max<size_t>(rounded, 1) * kAllocationAlignment);
    }
    if (block == nullptr) {
      return make_status(Diag::kOutOfMemory, fmt::format("cannot allocate {} bytes", bytes));
    }
    return block;
  }
  void free(void* block) override { std::free(block); }
  Result<std::unique_ptr<Queue>> create_queue() override {
    return std::unique_ptr<Queue>(std::make_unique<CpuQueue>());
  }

  Result<std::unique_ptr<Executable>> prepare(const program::Program& program,
                                              const program::Plan& plan) override {
    auto executable = std::make_unique<CpuExecutable>(plan, pool_);
    INGOT_RETURN_IF_ERROR(executable->prepare(program));
    return std::unique_ptr<Executable>(std::move(executable));
  }

 private:
  std::shared_ptr<ThreadPool> pool_;
};

}  // namespace

std::shared_ptr<Device> create_cpu_device(int threads) {
  return std::make_shared<CpuDevice>(threads > 0 ? threads : default_thread_count());
}

}  // namespace ingot::runtime::cpu
