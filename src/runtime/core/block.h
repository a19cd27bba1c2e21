// Owns one block of a device's memory.
#pragma once

#include <memory>
#include <utility>

#include "runtime/core/device.h"

namespace ingot::runtime {

// Freed with its last owner; keeps the device alive.
class Block {
 public:
  Block() = default;
  static Result<Block> allocate(std::shared_ptr<Device> device, size_t bytes) {
    INGOT_ASSIGN_OR_RETURN(void* data, device->allocate(bytes));
    return Block(std::move(device), data, bytes);
  }
  Block(Block&& other) noexcept { *this = std::move(other); }
  Block& operator=(Block&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Block() {
    if (data_ != nullptr) device_->free(data_);
  }

  void* data() const { return data_; }  // null for a block that was never allocated
  size_t bytes() const { return bytes_; }

 private:
  Block(std::shared_ptr<Device> device, void* data, size_t bytes)
      : device_(std::move(device)), data_(data), bytes_(bytes) {}

  std::shared_ptr<Device> device_;
  void* data_ = nullptr;
  size_t bytes_ = 0;
};

// Replaces `block` by one of at least `bytes` unless it is that large already. The contents are
// lost; the work that uses the old block must have run.
inline Status reserve(Block& block, const std::shared_ptr<Device>& device, size_t bytes) {
  if (block.data() != nullptr && block.bytes() >= bytes) return ok_status();
  block = Block();
  INGOT_ASSIGN_OR_RETURN(block, Block::allocate(device, bytes));
  return ok_status();
}

}  // namespace ingot::runtime
