// Between DLPack tensors and the runtime's own views.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "runtime/api/dlpack.h"
#include "runtime/core/output_pool.h"
#include "runtime/core/tensor.h"

namespace ingot::runtime {

DLDataType to_dlpack(DType dtype);
std::optional<DType> from_dlpack(DLDataType dtype);

// A view of the tensor: it borrows shape and strides. `what` names the tensor in errors. Pinned
// host memory counts as the host's.
Result<TensorView> view_of(const DLTensor* tensor, std::string_view what);
// The same for a tensor that must be in host memory, with data.
Result<TensorView> host_view_of(const DLTensor* tensor, std::string_view what);

// Hands a tensor of the pool to the caller as a DLPack tensor whose deleter gives it back.
DLManagedTensorVersioned* lend(OutputHandle tensor);

}  // namespace ingot::runtime
