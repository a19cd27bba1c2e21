#include "runtime/core/transfer.h"

#include "runtime/core/block.h"
#include "runtime/core/strided_copy.h"

namespace ingot::runtime {
namespace {

StridedCopy strided(const TensorView& source, const TensorView& target, const Strides& dense) {
  const std::span<const int64_t> row_major = dense;
  return {target.data,
          source.data,
          static_cast<size_t>(size_of(source.dtype)),
          source.sizes,
          target.strides.empty() ? row_major : target.strides,
          source.strides.empty() ? row_major : source.strides};
}

size_t dense_bytes(const TensorView& tensor) {
  return static_cast<size_t>(element_count(tensor.sizes) * size_of(tensor.dtype));
}

}  // namespace

Status copy_tensor(Queue& queue, const TensorView& source, const TensorView& target) {
  return queue.copy_strided(strided(source, target, row_major_strides(source.sizes)));
}

Status upload_tensor(const std::shared_ptr<Device>& device, Queue& queue, const TensorView& host,
                     const TensorView& target) {
  const Strides dense = row_major_strides(host.sizes);
  if (device->uses_host_memory()) {
    INGOT_RETURN_IF_ERROR(queue.copy_strided(strided(host, target, dense)));
    return queue.synchronize();
  }
  const size_t bytes = dense_bytes(host);
  std::vector<std::byte> packed(bytes);
  TensorView on_host = host;
  on_host.data = packed.data();
  on_host.strides = {};
  copy_strided_on_host(strided(host, on_host, dense));
  INGOT_ASSIGN_OR_RETURN(const Block block, Block::allocate(device, bytes));
  INGOT_RETURN_IF_ERROR(queue.upload(block.data(), packed.data(), bytes));
  TensorView on_device = on_host;
  on_device.data = block.data();
  INGOT_RETURN_IF_ERROR(queue.copy_strided(strided(on_device, target, dense)));
  return queue.synchronize();
}

Status download_tensor(const std::shared_ptr<Device>& device, Queue& queue,
                       const TensorView& source, const TensorView& host) {
  const Strides dense = row_major_strides(host.sizes);
  if (device->uses_host_memory()) {
    INGOT_RETURN_IF_ERROR(queue.copy_strided(strided(source, host, dense)));
    return queue.synchronize();
  }
  const size_t bytes = dense_bytes(source);
  INGOT_ASSIGN_OR_RETURN(const Block block, Block::allocate(device, bytes));
  TensorView packed = source;
  packed.data = block.data();
  packed.strides = {};
  INGOT_RETURN_IF_ERROR(queue.copy_strided(strided(source, packed, dense)));
  std::vector<std::byte> on_host(bytes);
  INGOT_RETURN_IF_ERROR(queue.download(on_host.data(), block.data(), bytes));
  packed.data = on_host.data();
  copy_strided_on_host(strided(packed, host, dense));
  return ok_status();
}

}  // namespace ingot::runtime
