// Output tensors that the runtime allocates: lent to the caller, then used again.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "runtime/core/block.h"
#include "runtime/core/tensor.h"

namespace ingot::runtime {

class OutputPool;

// What the C API keeps with a lent tensor (its DLPack structure), so that lending again allocates
// nothing.
struct Attachment {
  virtual ~Attachment() = default;
};

// A row-major tensor in device memory. Whoever holds it may read and write it; a run never touches
// it again.
struct OutputTensor {
  Block block;
  DType dtype = DType::kF32;
  DeviceId device;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;  // elements, row-major
  std::unique_ptr<Attachment> attachment;
  std::shared_ptr<OutputPool> pool;  // while lent

  void* data() const { return block.data(); }
  TensorView view() const { return {block.data(), dtype, device, sizes, strides, false}; }
};

// Gives the tensor back to its pool. Any thread, also after the context is gone.
void release(OutputTensor* tensor);
struct ReleaseOutput {
  void operator()(OutputTensor* tensor) const { release(tensor); }
};
using OutputHandle = std::unique_ptr<OutputTensor, ReleaseOutput>;

class OutputPool : public std::enable_shared_from_this<OutputPool> {
 public:
  explicit OutputPool(std::shared_ptr<Device> device) : device_(std::move(device)) {}

  // A tensor with undefined contents, from the free ones if one fits.
  Result<OutputHandle> acquire(DType dtype, std::span<const int64_t> sizes);

 private:
  friend void release(OutputTensor* tensor);
  void put_back(std::unique_ptr<OutputTensor> tensor);
  std::unique_ptr<OutputTensor> take_free(size_t bytes);

  std::shared_ptr<Device> device_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<OutputTensor>> free_;  // the longest unused first
};

}  // namespace ingot::runtime
