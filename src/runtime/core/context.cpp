#include "runtime/core/context.h"

#include <fmt/core.h>

#include <algorithm>

#include "runtime/core/transfer.h"
#include "runtime/core/turn.h"
#include "support/diagnostics.h"

namespace ingot::runtime {
namespace {

// Shapes in use at a time; a served model alternates between a few.
constexpr size_t kSegmentCapacity = 32;

using program::BufferKind;
using program::InputKind;
using program::OutputKind;

Status check_destination(const program::Output& output, std::span<const int64_t> sizes,
                         const TensorView& destination, DeviceId device) {
  const auto fault = [&](std::string_view what) {
    return make_status(Diag::kOutputTensor,
                       fmt::format("output '{}' is {} on {}, the tensor given for it is {} on {}{}",
                                   output.name, describe(output.dtype, sizes), to_string(device),
                                   describe(destination.dtype, destination.sizes),
                                   to_string(destination.device), what));
  };
  if (destination.read_only) return fault(", read-only");
  if (destination.device != device || destination.dtype != output.dtype ||
      !std::equal(sizes.begin(), sizes.end(), destination.sizes.begin(), destination.sizes.end())) {
    return fault("");
  }
  if (destination.data == nullptr && element_count(sizes) != 0) return fault(", without data");
  return ok_status();
}

}  // namespace

Context::Context(std::shared_ptr<const LoadedProgram> program)
    : program_(std::move(program)),
      pool_(std::make_shared<OutputPool>(program_->device())),
      segments_(kSegmentCapacity),
      inputs_(program_->program().inputs.size()),
      staging_(program_->program().inputs.size()),
      outputs_(program_->program().outputs.size()),
      lent_(program_->program().outputs.size()),
      pointers_(program_->plan().buffers.size()) {}

Context::~Context() = default;

Result<std::unique_ptr<Context>> Context::create(std::shared_ptr<const LoadedProgram> program) {
  std::unique_ptr<Context> context(new Context(std::move(program)));
  INGOT_ASSIGN_OR_RETURN(context->queue_, context->program_->device()->create_queue());
  INGOT_ASSIGN_OR_RETURN(context->states_,
                         StateStore::create(*context->program_, *context->queue_));
  return context;
}

Status Context::reset_state(std::string_view name) {
  const Turn turn(busy_);
  INGOT_RETURN_IF_ERROR(turn.status());
  return states_.reset(*program_, name, *queue_);
}

Status Context::reset_states() {
  const Turn turn(busy_);
  INGOT_RETURN_IF_ERROR(turn.status());
  return states_.reset_all(*program_, *queue_);
}

Status Context::read_state(std::string_view name, const TensorView& host) {
  const Turn turn(busy_);
  INGOT_RETURN_IF_ERROR(turn.status());
  return states_.read(*program_, name, host, *queue_);
}

Status Context::write_state(std::string_view name, const TensorView& host) {
  const Turn turn(busy_);
  INGOT_RETURN_IF_ERROR(turn.status());
  return states_.write(*program_, name, host, *queue_);
}

Status Context::run(std::span<const Argument> arguments, std::span<OutputSlot> outputs) {
  const Turn turn(busy_);
  INGOT_RETURN_IF_ERROR(turn.status());
  const Status status = run_alone(arguments, outputs);
  // Whatever was not handed over goes back to the pool, also after an error.
  for (OutputHandle& tensor : lent_) tensor.reset();
  weights_.reset();
  return status;
}

Status Context::run_alone(std::span<const Argument> arguments, std::span<OutputSlot> outputs) {
  const program::Program& program = program_->program();
  if (!outputs.empty() && outputs.size() != program.outputs.size()) {
    return make_status(Diag::kBadCall, fmt::format("{} outputs are asked for, the model has {}",
                                                   outputs.size(), program.outputs.size()));
  }
  INGOT_RETURN_IF_ERROR(match_arguments(program, arguments, matched_));
  key_.assign(1, 0);  // the first step
  INGOT_RETURN_IF_ERROR(check_types(program, program_->device()->id(), matched_, key_));
  INGOT_ASSIGN_OR_RETURN(Segment * segment, first_segment());
  weights_ = program_->weights();
  INGOT_RETURN_IF_ERROR(stage_inputs());
  std::fill(outputs_.begin(), outputs_.end(), nullptr);
  size_t live_bytes = 0;
  while (true) {
    INGOT_RETURN_IF_ERROR(grow_arena(segment->arena_bytes, live_bytes));
    INGOT_RETURN_IF_ERROR(prepare_outputs(*segment, outputs));
    point_buffers(*segment);
    INGOT_RETURN_IF_ERROR(
        run_segment(program_->prepared(), *segment, pointers_, scratch_, *queue_));
    if (!segment->ends_in_host_read(program_->plan())) break;
    live_bytes = segment->arena_bytes;
    INGOT_ASSIGN_OR_RETURN(segment, next_segment(*segment));
  }
  return finish(outputs);
}

Result<Segment*> Context::first_segment() {
  if (Segment* known = segments_.find(key_)) return known;
  INGOT_ASSIGN_OR_RETURN(sym::Values values, bind_symbols(program_->program(), matched_));
  INGOT_ASSIGN_OR_RETURN(std::unique_ptr<Segment> segment,
                         bind_segment(program_->prepared(), false, 0, std::move(values)));
  return segments_.add(key_, std::move(segment));
}

// The steps after a host-read, under the value that was read.
Result<Segment*> Context::next_segment(const Segment& segment) {
  INGOT_ASSIGN_OR_RETURN(const int64_t value,
                         read_host_value(program_->prepared(), segment, pointers_, *queue_));
  key_.front() = segment.end_step;
  key_.push_back(value);
  if (Segment* known = segments_.find(key_)) return known;
  sym::Values values = segment.values;
  values[program_->plan().steps[segment.end_step - 1].symbol] = value;
  INGOT_ASSIGN_OR_RETURN(
      std::unique_ptr<Segment> next,
      bind_segment(program_->prepared(), false, segment.end_step, std::move(values)));
  return segments_.add(key_, std::move(next));
}

// True for an input that kernels cannot use where it lies: other strides, unaligned, or written by
// the model while another input or output shares its bytes.
bool Context::needs_staging(size_t input) const {
  const TensorView& tensor = matched_[input]->tensor;
  if (!is_row_major(tensor) || !is_aligned(tensor.data)) return true;
  if (!program_->program().inputs[input].mutated) return false;
  const ByteRange range = touched_bytes(tensor);
  for (size_t i = 0; i < matched_.size(); ++i) {
    if (i == input || program_->program().inputs[i].kind != InputKind::kTensor) continue;
    if (touched_bytes(matched_[i]->tensor).overlaps(range)) return true;
  }
  return false;
}

Status Context::stage_inputs() {
  const program::Program& program = program_->program();
  for (size_t i = 0; i < matched_.size(); ++i) {
    staging_[i].used = false;
    if (program.inputs[i].kind != InputKind::kTensor) continue;
    const TensorView& tensor = matched_[i]->tensor;
    inputs_[i] = tensor.data;
    if (!needs_staging(i)) continue;
    Staging& staging = staging_[i];
    const auto bytes = static_cast<size_t>(element_count(tensor.sizes) * size_of(tensor.dtype));
    INGOT_RETURN_IF_ERROR(reserve(staging.block, program_->device(), bytes));
    TensorView copy = tensor;
    copy.data = staging.block.data();
    copy.strides = {};
    INGOT_RETURN_IF_ERROR(copy_tensor(*queue_, tensor, copy));
    inputs_[i] = copy.data;
    staging.used = true;
  }
  return ok_status();
}

// False where the result must be computed elsewhere and copied: kernels need dense, aligned memory,
// and may still read the inputs when they write the output.
bool Context::can_write_directly(const TensorView& destination) const {
  if (!is_row_major(destination) || !is_aligned(destination.data)) return false;
  const ByteRange range = touched_bytes(destination);
  for (size_t i = 0; i < matched_.size(); ++i) {
    if (program_->program().inputs[i].kind != InputKind::kTensor) continue;
    if (touched_bytes(matched_[i]->tensor).overlaps(range)) return false;
  }
  return true;
}

Status Context::prepare_outputs(const Segment& segment, std::span<OutputSlot> outputs) {
  OutputSlot unwanted;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    INGOT_RETURN_IF_ERROR(prepare_output(i, segment, outputs.empty() ? unwanted : outputs[i]));
  }
  return ok_status();
}

Status Context::prepare_output(size_t index, const Segment& segment, OutputSlot& slot) {
  const program::Output& output = program_->program().outputs[index];
  const std::vector<int64_t>& sizes = segment.outputs[index];
  switch (output.kind) {
    case OutputKind::kLiteral:
      slot.literal = output.literal;
      return ok_status();
    case OutputKind::kScalar:
      slot.literal = {program::Literal::Kind::kInt, sizes.empty() ? 0 : sizes.front(), 0, {}};
      return ok_status();
    case OutputKind::kInput:
      return slot.destination == nullptr
                 ? ok_status()
                 : check_destination(output, matched_[output.input]->tensor.sizes,
                                     *slot.destination, program_->device()->id());
    case OutputKind::kTensor:
      break;
  }
  const bool known = sizes.size() == output.sizes.size();
  if (!known || outputs_[index] != nullptr) return ok_status();
  if (slot.destination != nullptr) {
    INGOT_RETURN_IF_ERROR(
        check_destination(output, sizes, *slot.destination, program_->device()->id()));
    if (can_write_directly(*slot.destination)) {
      outputs_[index] = slot.destination->data;
      return ok_status();
    }
  }
  INGOT_ASSIGN_OR_RETURN(lent_[index], pool_->acquire(output.dtype, sizes));
  outputs_[index] = lent_[index]->data();
  return ok_status();
}

// What earlier segments left in the arena moves along.
Status Context::grow_arena(size_t bytes, size_t keep_bytes) {
  if (arena_.data() != nullptr && arena_.bytes() >= bytes) return ok_status();
  INGOT_RETURN_IF_ERROR(queue_->synchronize());
  if (keep_bytes == 0) return reserve(arena_, program_->device(), bytes);
  INGOT_ASSIGN_OR_RETURN(Block larger, Block::allocate(program_->device(), bytes));
  INGOT_RETURN_IF_ERROR(queue_->copy(larger.data(), arena_.data(), keep_bytes));
  INGOT_RETURN_IF_ERROR(queue_->synchronize());
  arena_ = std::move(larger);
  return ok_status();
}

void Context::point_buffers(const Segment& segment) {
  const std::vector<program::Buffer>& buffers = program_->plan().buffers;
  const std::span<void* const> constants = weights_->buffers();
  for (size_t i = 0; i < buffers.size(); ++i) {
    switch (buffers[i].kind) {
      case BufferKind::kInput:
        pointers_[i] = inputs_[buffers[i].source];
        break;
      case BufferKind::kOutput:
        pointers_[i] = outputs_[buffers[i].source];
        break;
      case BufferKind::kConstant:
      case BufferKind::kDerived:
        pointers_[i] = constants[i];
        break;
      case BufferKind::kState:
        pointers_[i] = states_.buffer(static_cast<program::BufferIndex>(i));
        break;
      case BufferKind::kTemporary:
        pointers_[i] = static_cast<std::byte*>(arena_.data()) + segment.arena_offsets[i];
        break;
    }
  }
}

Status Context::finish(std::span<OutputSlot> outputs) {
  const program::Program& program = program_->program();
  for (size_t i = 0; i < staging_.size(); ++i) {
    if (!staging_[i].used || !program.inputs[i].mutated) continue;
    const TensorView& tensor = matched_[i]->tensor;
    TensorView copy = tensor;
    copy.data = staging_[i].block.data();
    copy.strides = {};
    INGOT_RETURN_IF_ERROR(copy_tensor(*queue_, copy, tensor));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    OutputSlot& slot = outputs[i];
    const program::Output& output = program.outputs[i];
    if (output.kind == OutputKind::kInput && slot.destination != nullptr) {
      INGOT_RETURN_IF_ERROR(
          copy_tensor(*queue_, matched_[output.input]->tensor, *slot.destination));
    }
    if (lent_[i] == nullptr) continue;
    if (slot.destination == nullptr) {
      slot.tensor = std::move(lent_[i]);
    } else {
      INGOT_RETURN_IF_ERROR(copy_tensor(*queue_, lent_[i]->view(), *slot.destination));
    }
  }
  return queue_->synchronize();
}

}  // namespace ingot::runtime
