// Copies tensors of any strides between the host and a device.
#pragma once

#include <memory>

#include "runtime/core/device.h"
#include "runtime/core/tensor.h"

namespace ingot::runtime {

// Both tensors have the same dtype and sizes; `host` is in host memory, the other on `device`.
// Both functions return when the copy is done.
Status upload_tensor(const std::shared_ptr<Device>& device, Queue& queue, const TensorView& host,
                     const TensorView& target);
Status download_tensor(const std::shared_ptr<Device>& device, Queue& queue,
                       const TensorView& source, const TensorView& host);

// Between two tensors of the queue's device, in the queue's order.
Status copy_tensor(Queue& queue, const TensorView& source, const TensorView& target);

}  // namespace ingot::runtime
