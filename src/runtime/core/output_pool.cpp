#include "runtime/core/output_pool.h"

#include "support/diagnostics.h"

namespace ingot::runtime {
namespace {

// More free tensors than this are of no use to a model that returns a few.
constexpr size_t kMaxFree = 64;

// A free block may be larger than needed, but not so much that small outputs hoard memory.
bool fits(size_t block_bytes, size_t bytes) {
  return block_bytes >= bytes && block_bytes / 2 <= bytes + 4096;
}

}  // namespace

void release(OutputTensor* tensor) {
  const std::shared_ptr<OutputPool> pool = std::move(tensor->pool);
  pool->put_back(std::unique_ptr<OutputTensor>(tensor));
}

void OutputPool::put_back(std::unique_ptr<OutputTensor> tensor) {
  std::unique_ptr<OutputTensor> surplus;  // freed outside the lock
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(tensor));
  if (free_.size() > kMaxFree) {
    surplus = std::move(free_.front());
    free_.erase(free_.begin());
  }
}

std::unique_ptr<OutputTensor> OutputPool::take_free(size_t bytes) {
  const std::lock_guard lock(mutex_);
  // Latest first: its memory is likely still in the cache.
  for (size_t i = free_.size(); i-- > 0;) {
    if (!fits(free_[i]->block.bytes(), bytes)) continue;
    std::unique_ptr<OutputTensor> tensor = std::move(free_[i]);
    free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(i));
    return tensor;
  }
  return nullptr;
}

Result<OutputHandle> OutputPool::acquire(DType dtype, std::span<const int64_t> sizes) {
  int64_t total = 0;
  const int64_t count = element_count(sizes);
  if (count < 0 || __builtin_mul_overflow(count, size_of(dtype), &total)) {
    return make_status(Diag::kOutOfMemory,
                       "an output of " + describe(dtype, sizes) + " is too large");
  }
  const auto bytes = static_cast<size_t>(total);
  std::unique_ptr<OutputTensor> tensor = take_free(bytes);
  if (tensor == nullptr) {
    tensor = std::make_unique<OutputTensor>();
    INGOT_ASSIGN_OR_RETURN(tensor->block, Block::allocate(device_, bytes));
  }
  tensor->dtype = dtype;
  tensor->device = device_->id();
  tensor->sizes.assign(sizes.begin(), sizes.end());
  const Strides strides = row_major_strides(sizes);
  tensor->strides.assign(strides.values.begin(), strides.values.begin() + sizes.size());
  tensor->pool = shared_from_this();
  return OutputHandle(tensor.release());
}

}  // namespace ingot::runtime
