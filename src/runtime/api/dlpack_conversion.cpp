#include "runtime/api/dlpack_conversion.h"

#include <fmt/core.h>

#include "support/diagnostics.h"

namespace ingot::runtime {
namespace {

struct ManagedOutput final : Attachment {
  DLManagedTensorVersioned tensor{};
};

void give_back(DLManagedTensorVersioned* self) {
  release(static_cast<OutputTensor*>(self->manager_ctx));
}

}  // namespace

DLDataType to_dlpack(DType dtype) {
  uint8_t code = kDLFloat;
  switch (dtype) {
    case DType::kBool:
      code = kDLBool;
      break;
    case DType::kU8:
    case DType::kU16:
    case DType::kU32:
    case DType::kU64:
      code = kDLUInt;
      break;
    case DType::kI8:
    case DType::kI16:
    case DType::kI32:
    case DType::kI64:
      code = kDLInt;
      break;
    case DType::kF16:
    case DType::kF32:
    case DType::kF64:
      code = kDLFloat;
      break;
    case DType::kBF16:
      code = kDLBfloat;
      break;
    case DType::kC32:
    case DType::kC64:
    case DType::kC128:
      code = kDLComplex;
      break;
    case DType::kF8E4M3:
      code = kDLFloat8_e4m3fn;
      break;
    case DType::kF8E5M2:
      code = kDLFloat8_e5m2;
      break;
    case DType::kF8E4M3Fnuz:
      code = kDLFloat8_e4m3fnuz;
      break;
    case DType::kF8E5M2Fnuz:
      code = kDLFloat8_e5m2fnuz;
      break;
    case DType::kF8E8M0:
      code = kDLFloat8_e8m0fnu;
      break;
  }
  return {code, static_cast<uint8_t>(size_of(dtype) * 8), 1};
}

std::optional<DType> from_dlpack(DLDataType dtype) {
  if (dtype.lanes != 1) return std::nullopt;
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto candidate = static_cast<DType>(i);
    const DLDataType known = to_dlpack(candidate);
    if (known.code == dtype.code && known.bits == dtype.bits) return candidate;
  }
  return std::nullopt;
}

Result<TensorView> view_of(const DLTensor* tensor, std::string_view what) {
  const auto fault = [what](std::string_view problem) {
    return make_status(Diag::kBadCall, fmt::format("{} {}", what, problem));
  };
  if (tensor == nullptr) return fault("is a null pointer");
  if (tensor->ndim < 0 || static_cast<size_t>(tensor->ndim) > kMaxRank) {
    return fault(fmt::format("has {} dimensions; at most {} are possible", tensor->ndim, kMaxRank));
  }
  const auto rank = static_cast<size_t>(tensor->ndim);
  if (rank > 0 && tensor->shape == nullptr) return fault("has no shape");
  const std::optional<DType> dtype = from_dlpack(tensor->dtype);
  if (!dtype) {
    return make_status(
        Diag::kInputDtype,
        fmt::format("{} has an element type that is not known: DLPack code {}, {} bits, {} lanes",
                    what, tensor->dtype.code, tensor->dtype.bits, tensor->dtype.lanes));
  }
  TensorView view;
  view.dtype = *dtype;
  view.sizes = {tensor->shape, rank};
  for (const int64_t size : view.sizes) {
    if (size < 0) return fault(fmt::format("has the size {}", size));
  }
  if (element_count(view.sizes) < 0) return fault("has more elements than can be counted");
  if (tensor->strides != nullptr) view.strides = {tensor->strides, rank};
  view.device = {static_cast<int32_t>(tensor->device.device_type), tensor->device.device_id};
  if (view.device.type == kDLCPU || view.device.type == kDLCUDAHost) view.device = {};
  view.data = tensor->data == nullptr ? nullptr
                                      : static_cast<std::byte*>(tensor->data) + tensor->byte_offset;
  return view;
}

Result<TensorView> host_view_of(const DLTensor* tensor, std::string_view what) {
  INGOT_ASSIGN_OR_RETURN(const TensorView view, view_of(tensor, what));
  if (view.device != DeviceId{}) {
    return make_status(Diag::kInputDevice, fmt::format("{} is not in host memory", what));
  }
  if (view.data == nullptr && element_count(view.sizes) != 0) {
    return make_status(Diag::kBadCall, fmt::format("{} has no data", what));
  }
  return view;
}

DLManagedTensorVersioned* lend(OutputHandle handle) {
  OutputTensor* output = handle.release();
  if (output->attachment == nullptr) output->attachment = std::make_unique<ManagedOutput>();
  // Only this function attaches, so it is always of this type.
  DLManagedTensorVersioned& managed = static_cast<ManagedOutput*>(output->attachment.get())->tensor;
  managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  managed.manager_ctx = output;
  managed.deleter = give_back;
  managed.flags = 0;
  DLTensor& tensor = managed.dl_tensor;
  tensor.data = output->data();
  tensor.device = {static_cast<DLDeviceType>(output->device.type), output->device.index};
  tensor.ndim = static_cast<int32_t>(output->sizes.size());
  tensor.dtype = to_dlpack(output->dtype);
  tensor.shape = output->sizes.data();
  tensor.strides = output->strides.data();
  tensor.byte_offset = 0;
  return &managed;
}

}  // namespace ingot::runtime
