// The constants of a program on a device: one consistent version of all weights and of what the
// init block derives from them.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/core/block.h"
#include "runtime/core/segment.h"
#include "runtime/core/tensor.h"

namespace ingot::runtime {

// A new value for a weight; host memory, borrowed for the call.
struct WeightUpdate {
  std::string_view name;
  TensorView tensor;
};

// Immutable. Shares the storages that an update leaves alone with the version before.
class WeightSet {
 public:
  // `storages` are the bytes of Program::storages, in host memory that outlives every WeightSet of
  // the program. Runs the plan's init block.
  static Result<std::shared_ptr<const WeightSet>> create(
      const PreparedPlan& prepared, std::span<const std::span<const std::byte>> storages);

  // A version with other values. A weight that shares its storage with others changes them too, as
  // writing to it in PyTorch does.
  Result<std::shared_ptr<const WeightSet>> with_updates(
      std::span<const WeightUpdate> updates) const;

  // By plan buffer: addresses of constants and derived buffers, null for the others.
  std::span<void* const> buffers() const { return buffers_; }
  // The weight on the device; its strides may be any.
  TensorView weight(uint32_t index) const;

 private:
  // Bytes on the device: the host's own where it can use them.
  struct Data {
    std::byte* data = nullptr;
    size_t bytes = 0;
    std::shared_ptr<const Block> owner;  // null for memory of the host
  };

  explicit WeightSet(const PreparedPlan& prepared) : prepared_(&prepared) {}
  Status place_constants(Queue& queue);
  Status run_init(Queue& queue);
  Status apply(const WeightUpdate& update, std::vector<bool>& owned, Queue& queue);
  Result<Data> allocate(size_t bytes) const;

  const PreparedPlan* prepared_;
  std::vector<Data> storages_;
  std::vector<Data> copies_;  // by weight: those that kernels need row-major but are not
  Block derived_;
  std::vector<void*> buffers_;
};

}  // namespace ingot::runtime
