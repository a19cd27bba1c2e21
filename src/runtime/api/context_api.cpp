#include "runtime/api/dlpack_conversion.h"
#include "runtime/api/handles.h"

namespace ingot::runtime {
namespace {

using program::Literal;

Status read_input(const ingot_input& input, size_t position, Argument& argument) {
  const auto what = [&] {
    return input.name != nullptr ? fmt::format("input '{}'", input.name)
                                 : fmt::format("input number {}", position);
  };
  argument.name = input.name == nullptr ? "" : input.name;
  argument.is_tensor = input.kind == INGOT_TENSOR;
  Literal& literal = argument.literal;
  switch (input.kind) {
    case INGOT_TENSOR: {
      Result<TensorView> view = view_of(input.tensor, "the tensor");
      if (!view.ok()) return std::move(view).status().with_context(what());
      argument.tensor = *view;
      argument.tensor.read_only = (input.flags & INGOT_READ_ONLY) != 0;
      return ok_status();
    }
    case INGOT_NONE:
      literal.kind = Literal::Kind::kNone;
      return ok_status();
    case INGOT_BOOL:
    case INGOT_INT:
      literal.kind = input.kind == INGOT_BOOL ? Literal::Kind::kBool : Literal::Kind::kInt;
      literal.int_value = input.kind == INGOT_BOOL ? input.integer != 0 : input.integer;
      return ok_status();
    case INGOT_FLOAT:
      literal.kind = Literal::Kind::kFloat;
      literal.float_value = input.real;
      return ok_status();
    case INGOT_STRING:
      if (input.string == nullptr) return bad_call(what() + " is a null string");
      literal.kind = Literal::Kind::kString;
      literal.string_value = input.string;
      return ok_status();
    default:
      return bad_call(fmt::format("{} has the unknown kind {}", what(), input.kind));
  }
}

Status read_inputs(ingot_context& context, const ingot_input* inputs, size_t count) {
  if (count > 0 && inputs == nullptr) return bad_call("inputs is null");
  context.arguments.resize(count);
  for (size_t i = 0; i < count; ++i) {
    INGOT_RETURN_IF_ERROR(read_input(inputs[i], i, context.arguments[i]));
  }
  return ok_status();
}

Status read_outputs(ingot_context& context, ingot_output* outputs, size_t count) {
  if (count > 0 && outputs == nullptr) return bad_call("outputs is null");
  context.slots.resize(count);
  context.destinations.resize(count);
  for (size_t i = 0; i < count; ++i) {
    outputs[i].tensor = nullptr;
    context.slots[i].destination = nullptr;
    if (outputs[i].destination == nullptr) continue;
    INGOT_ASSIGN_OR_RETURN(
        context.destinations[i],
        view_of(outputs[i].destination, fmt::format("the tensor for output number {}", i)));
    context.slots[i].destination = &context.destinations[i];
  }
  return ok_status();
}

void write_output(const program::Output& declared, OutputSlot& slot, const ingot_info& info,
                  ingot_output& output) {
  output.kind = info.kind;
  output.integer = info.integer;
  output.real = info.real;
  output.string = info.string;
  if (declared.kind == program::OutputKind::kScalar) output.integer = slot.literal.int_value;
  if (slot.tensor != nullptr) output.tensor = lend(std::move(slot.tensor));
}

Status run(ingot_context& context, const ingot_input* inputs, size_t input_count,
           ingot_output* outputs, size_t output_count) {
  INGOT_RETURN_IF_ERROR(read_inputs(context, inputs, input_count));
  INGOT_RETURN_IF_ERROR(read_outputs(context, outputs, output_count));
  INGOT_RETURN_IF_ERROR(context.context->run(context.arguments, context.slots));
  const auto& declared = context.context->loaded().program().outputs;
  for (size_t i = 0; i < output_count; ++i) {
    write_output(declared[i], context.slots[i], context.table->outputs[i].info, outputs[i]);
  }
  return ok_status();
}

}  // namespace
}  // namespace ingot::runtime

using ingot::Status;
using namespace ingot::runtime;  // NOLINT: the functions below are this namespace's C face

ingot_status* ingot_context_create(ingot_program* program, ingot_context** context) {
  return guarded([&]() -> Status {
    if (context == nullptr) return bad_call("context is null");
    *context = nullptr;
    if (program == nullptr) return bad_call("program is null");
    INGOT_ASSIGN_OR_RETURN(std::unique_ptr<Context> created, Context::create(program->loaded));
    auto handle = std::make_unique<ingot_context>();
    handle->context = std::move(created);
    handle->table = program->table;
    *context = handle.release();
    return ingot::ok_status();
  });
}

void ingot_context_free(ingot_context* context) { delete context; }

ingot_status* ingot_context_run(ingot_context* context, const ingot_input* inputs,
                                size_t input_count, ingot_output* outputs, size_t output_count,
                                void* /*stream*/) {
  return guarded([&]() -> Status {
    if (context == nullptr) return bad_call("context is null");
    const Turn turn(context->busy);
    INGOT_RETURN_IF_ERROR(turn.status());
    return run(*context, inputs, input_count, outputs, output_count);
  });
}

ingot_status* ingot_context_reset_state(ingot_context* context, const char* name) {
  return guarded([&]() -> Status {
    if (context == nullptr) return bad_call("context is null");
    return name == nullptr ? context->context->reset_states() : context->context->reset_state(name);
  });
}

ingot_status* ingot_context_read_state(ingot_context* context, const char* name,
                                       const DLTensor* destination) {
  return guarded([&]() -> Status {
    if (context == nullptr || name == nullptr) return bad_call("context or name is null");
    INGOT_ASSIGN_OR_RETURN(const TensorView view, host_view_of(destination, "the destination"));
    return context->context->read_state(name, view);
  });
}

ingot_status* ingot_context_write_state(ingot_context* context, const char* name,
                                        const DLTensor* source) {
  return guarded([&]() -> Status {
    if (context == nullptr || name == nullptr) return bad_call("context or name is null");
    INGOT_ASSIGN_OR_RETURN(const TensorView view, host_view_of(source, "the source"));
    return context->context->write_state(name, view);
  });
}
