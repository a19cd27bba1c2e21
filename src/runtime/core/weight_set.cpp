#include "runtime/core/weight_set.h"

#include <fmt/core.h>

#include "runtime/core/transfer.h"
#include "support/diagnostics.h"

namespace ingot::runtime {

using program::BufferKind;
using program::Weight;

Result<WeightSet::Data> WeightSet::allocate(size_t bytes) const {
  INGOT_ASSIGN_OR_RETURN(Block block, Block::allocate(prepared_->device, bytes));
  auto owner = std::make_shared<const Block>(std::move(block));
  return Data{static_cast<std::byte*>(owner->data()), bytes, owner};
}

TensorView WeightSet::weight(uint32_t index) const {
  const Weight& weight = prepared_->program->weights[index];
  const auto offset = static_cast<size_t>(weight.storage_offset * size_of(weight.dtype));
  return {storages_[weight.storage].data + offset,
          weight.dtype,
          prepared_->device->id(),
          weight.sizes,
          weight.strides,
          true};
}

Result<std::shared_ptr<const WeightSet>> WeightSet::create(
    const PreparedPlan& prepared, std::span<const std::span<const std::byte>> storages) {
  const std::shared_ptr<WeightSet> set(new WeightSet(prepared));
  INGOT_ASSIGN_OR_RETURN(const std::unique_ptr<Queue> queue, prepared.device->create_queue());
  for (const std::span<const std::byte> bytes : storages) {
    if (prepared.device->uses_host_memory()) {
      // Never written to: an update replaces the whole storage.
      set->storages_.push_back({const_cast<std::byte*>(bytes.data()), bytes.size(), nullptr});
      continue;
    }
    INGOT_ASSIGN_OR_RETURN(Data data, set->allocate(bytes.size()));
    INGOT_RETURN_IF_ERROR(queue->upload(data.data, bytes.data(), bytes.size()));
    set->storages_.push_back(std::move(data));
  }
  INGOT_RETURN_IF_ERROR(set->place_constants(*queue));
  INGOT_RETURN_IF_ERROR(set->run_init(*queue));
  INGOT_RETURN_IF_ERROR(queue->synchronize());
  return std::shared_ptr<const WeightSet>(set);
}

Result<std::shared_ptr<const WeightSet>> WeightSet::with_updates(
    std::span<const WeightUpdate> updates) const {
  const std::shared_ptr<WeightSet> set(new WeightSet(*prepared_));
  set->storages_ = storages_;
  INGOT_ASSIGN_OR_RETURN(const std::unique_ptr<Queue> queue, prepared_->device->create_queue());
  std::vector<bool> owned(storages_.size(), false);
  for (const WeightUpdate& update : updates) {
    INGOT_RETURN_IF_ERROR(set->apply(update, owned, *queue));
  }
  INGOT_RETURN_IF_ERROR(set->place_constants(*queue));
  INGOT_RETURN_IF_ERROR(set->run_init(*queue));
  INGOT_RETURN_IF_ERROR(queue->synchronize());
  return std::shared_ptr<const WeightSet>(set);
}

// Copies the storage of the weight first, unless `owned` says that this set has done so already.
Status WeightSet::apply(const WeightUpdate& update, std::vector<bool>& owned, Queue& queue) {
  const auto& weights = prepared_->program->weights;
  uint32_t index = 0;
  while (index < weights.size() && weights[index].name != update.name) ++index;
  if (index == weights.size()) {
    return make_status(Diag::kWeightUpdate,
                       fmt::format("the program has no weight '{}'", update.name));
  }
  const Weight& weight = weights[index];
  const TensorView& tensor = update.tensor;
  if (tensor.dtype != weight.dtype || !std::equal(weight.sizes.begin(), weight.sizes.end(),
                                                  tensor.sizes.begin(), tensor.sizes.end())) {
    return make_status(
        Diag::kWeightUpdate,
        fmt::format("weight '{}' is {}, the new value is {}", weight.name,
                    describe(weight.dtype, weight.sizes), describe(tensor.dtype, tensor.sizes)));
  }
  if (!owned[weight.storage]) {
    const Data old = storages_[weight.storage];
    INGOT_ASSIGN_OR_RETURN(Data copy, allocate(old.bytes));
    INGOT_RETURN_IF_ERROR(queue.copy(copy.data, old.data, old.bytes));
    storages_[weight.storage] = std::move(copy);
    owned[weight.storage] = true;
  }
  return upload_tensor(prepared_->device, queue, tensor, this->weight(index));
}

Status WeightSet::place_constants(Queue& queue) {
  const auto& plan = *prepared_->plan;
  const auto& weights = prepared_->program->weights;
  buffers_.assign(plan.buffers.size(), nullptr);
  copies_.assign(weights.size(), {});
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    if (plan.buffers[i].kind != BufferKind::kConstant) continue;
    const uint32_t index = plan.buffers[i].source;
    const TensorView view = weight(index);
    if (is_row_major(view) && is_aligned(view.data)) {
      buffers_[i] = view.data;
      continue;
    }
    Data& copy = copies_[index];
    if (copy.data == nullptr) {
      const auto width = static_cast<size_t>(size_of(view.dtype));
      INGOT_ASSIGN_OR_RETURN(copy,
                             allocate(static_cast<size_t>(element_count(view.sizes)) * width));
      INGOT_RETURN_IF_ERROR(queue.copy_strided(
          {copy.data, view.data, width, view.sizes, row_major_strides(view.sizes), view.strides}));
    }
    buffers_[i] = copy.data;
  }
  return ok_status();
}

Status WeightSet::run_init(Queue& queue) {
  const auto& plan = *prepared_->plan;
  const auto derived_bytes = static_cast<size_t>(plan.derived_bytes.as_const().value_or(0));
  INGOT_RETURN_IF_ERROR(reserve(derived_, prepared_->device, derived_bytes));
  INGOT_ASSIGN_OR_RETURN(const std::unique_ptr<Segment> segment,
                         bind_segment(*prepared_, true, 0, {}));
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    if (plan.buffers[i].kind != BufferKind::kDerived) continue;
    buffers_[i] = static_cast<std::byte*>(derived_.data()) + segment->arena_offsets[i];
  }
  std::vector<void*> scratch;
  INGOT_RETURN_IF_ERROR(run_segment(*prepared_, *segment, buffers_, scratch, queue));
  return queue.synchronize();
}

}  // namespace ingot::runtime
