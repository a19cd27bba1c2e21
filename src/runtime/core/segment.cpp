#include "runtime/core/segment.h"

#include <fmt/core.h>

#include "runtime/core/arguments.h"
#include "runtime/core/location.h"
#include "support/diagnostics.h"

namespace ingot::runtime {
namespace {

using program::Buffer;
using program::BufferKind;
using program::Plan;
using program::Step;
using program::StepKind;

Status bad_plan(std::string message) {
  return make_status(Diag::kBadPackage, "the plan is inconsistent: " + std::move(message));
}

const std::vector<Step>& steps_of(const Plan& plan, bool init) {
  return init ? plan.init : plan.steps;
}

class SegmentBinder {
 public:
  SegmentBinder(const PreparedPlan& prepared, Segment& segment)
      : prepared_(prepared), plan_(*prepared.plan), segment_(segment) {}

  Status bind() {
    INGOT_RETURN_IF_ERROR(place_buffers());
    INGOT_RETURN_IF_ERROR(bind_outputs());
    const std::vector<Step>& steps = steps_of(plan_, segment_.init);
    uint32_t i = segment_.first_step;
    while (i < steps.size()) {
      INGOT_RETURN_IF_ERROR(bind_step(steps[i], i));
      if (steps[i++].kind == StepKind::kHostRead) break;
    }
    segment_.end_step = i;
    return ok_status();
  }

 private:
  bool is_known(const sym::Expr& expr) const {
    if (expr.is_const()) return true;
    std::set<std::string, std::less<>> names;
    sym::collect_symbols(expr, names);
    for (const std::string& name : names) {
      if (!segment_.values.contains(name)) return false;
    }
    return true;
  }

  Result<int64_t> evaluate(const sym::Expr& expr, std::string_view what) const {
    if (const auto constant = expr.as_const()) return *constant;
    if (!is_known(expr)) {
      return bad_plan(
          fmt::format("{} ({}) uses a symbol that has no value yet", what, sym::to_string(expr)));
    }
    Result<int64_t> value = sym::evaluate(expr, segment_.values);
    if (value.ok()) return value;
    return make_status(Diag::kInputShape,
                       fmt::format("{} ({}) cannot be computed for these inputs: {}", what,
                                   sym::to_string(expr), value.status().message()));
  }

  // A count, size or offset: not negative, and times `unit` within the address space.
  Result<size_t> evaluate_bytes(const sym::Expr& expr, int64_t unit, std::string_view what) const {
    INGOT_ASSIGN_OR_RETURN(const int64_t value, evaluate(expr, what));
    int64_t bytes = 0;
    if (value < 0 || __builtin_mul_overflow(value, unit, &bytes)) {
      return make_status(Diag::kInputShape,
                         fmt::format("{} is {} for these inputs, which is no size", what, value));
    }
    return static_cast<size_t>(bytes);
  }

  Status place_buffers() {
    segment_.buffer_bytes.assign(plan_.buffers.size(), kUnknownSize);
    segment_.arena_offsets.assign(plan_.buffers.size(), 0);
    for (size_t i = 0; i < plan_.buffers.size(); ++i) {
      const Buffer& buffer = plan_.buffers[i];
      if (!is_known(buffer.elements)) continue;
      INGOT_ASSIGN_OR_RETURN(const size_t bytes,
                             evaluate_bytes(buffer.elements, size_of(buffer.dtype), buffer.name));
      if (buffer.kind == BufferKind::kTemporary || buffer.kind == BufferKind::kDerived) {
        if (!is_known(buffer.arena_offset)) continue;
        INGOT_RETURN_IF_ERROR(place_in_arena(i, bytes));
      } else if (buffer.kind == BufferKind::kInput) {
        INGOT_RETURN_IF_ERROR(
            check_elements(buffer, prepared_.program->inputs[buffer.source].sizes, bytes, "input"));
      }
      segment_.buffer_bytes[i] = bytes;
    }
    if (is_known(plan_.arena_bytes)) {
      INGOT_ASSIGN_OR_RETURN(const size_t bytes,
                             evaluate_bytes(plan_.arena_bytes, 1, "the arena's size"));
      if (bytes < segment_.arena_bytes) {
        return bad_plan(fmt::format("a temporary ends at {}, the arena has {} bytes",
                                    segment_.arena_bytes, bytes));
      }
      segment_.arena_bytes = bytes;
    }
    return ok_status();
  }

  Status place_in_arena(size_t index, size_t bytes) {
    const Buffer& buffer = plan_.buffers[index];
    INGOT_ASSIGN_OR_RETURN(const size_t offset,
                           evaluate_bytes(buffer.arena_offset, 1, buffer.name));
    if (offset % kAllocationAlignment != 0) {
      return bad_plan(
          fmt::format("buffer '{}' is at the unaligned offset {}", buffer.name, offset));
    }
    segment_.arena_offsets[index] = offset;
    size_t end = 0;
    if (__builtin_add_overflow(offset, bytes, &end)) return bad_plan("an arena offset overflows");
    if (buffer.kind == BufferKind::kTemporary) {
      segment_.arena_bytes = std::max(segment_.arena_bytes, end);
      return ok_status();
    }
    INGOT_ASSIGN_OR_RETURN(const size_t derived,
                           evaluate_bytes(plan_.derived_bytes, 1, "the derived arena's size"));
    if (end > derived) {
      return bad_plan(fmt::format("buffer '{}' ends at {}, the derived arena has {} bytes",
                                  buffer.name, end, derived));
    }
    return ok_status();
  }

  // The buffer of an input or output must have the tensor's size.
  Status check_elements(const Buffer& buffer, std::span<const sym::Expr> sizes, size_t bytes,
                        std::string_view what) const {
    // Within init no input is bound.
    if (segment_.init) return ok_status();
    int64_t count = 1;
    for (const sym::Expr& size : sizes) {
      INGOT_ASSIGN_OR_RETURN(const int64_t value, evaluate(size, buffer.name));
      if (value < 0 || __builtin_mul_overflow(count, value, &count)) {
        return make_status(Diag::kInputShape,
                           fmt::format("{} '{}' is too large", what, buffer.name));
      }
    }
    if (static_cast<size_t>(count) * static_cast<size_t>(size_of(buffer.dtype)) == bytes) {
      return ok_status();
    }
    return bad_plan(fmt::format("the buffer of {} '{}' has {} bytes for {} elements", what,
                                buffer.name, bytes, count));
  }

  Status bind_outputs() {
    const auto& outputs = prepared_.program->outputs;
    segment_.outputs.assign(segment_.init ? 0 : outputs.size(), {});
    for (size_t i = 0; i < segment_.outputs.size(); ++i) {
      const program::Output& output = outputs[i];
      std::vector<int64_t>& values = segment_.outputs[i];
      if (output.kind == program::OutputKind::kScalar && is_known(output.scalar)) {
        INGOT_ASSIGN_OR_RETURN(const int64_t value, evaluate(output.scalar, output.name));
        values.push_back(value);
      }
      if (output.kind != program::OutputKind::kTensor) continue;
      for (const sym::Expr& size : output.sizes) {
        if (!is_known(size)) {
          values.clear();
          break;
        }
        INGOT_ASSIGN_OR_RETURN(const size_t value, evaluate_bytes(size, 1, output.name));
        values.push_back(static_cast<int64_t>(value));
      }
    }
    if (segment_.init) return ok_status();
    for (size_t i = 0; i < plan_.buffers.size(); ++i) {
      const Buffer& buffer = plan_.buffers[i];
      if (buffer.kind != BufferKind::kOutput || segment_.buffer_bytes[i] == kUnknownSize) continue;
      INGOT_RETURN_IF_ERROR(
          check_elements(buffer, outputs[buffer.source].sizes, segment_.buffer_bytes[i], "output"));
    }
    return ok_status();
  }

  Status bind_step(const Step& step, uint32_t index) {
    BoundStep bound;
    bound.kind = step.kind;
    bound.step = index;
    bound.fill = step.fill;
    bound.first = static_cast<uint32_t>(segment_.args.size());
    bound.count = static_cast<uint32_t>(step.buffers.size());
    for (const program::BufferArg& arg : step.buffers) INGOT_RETURN_IF_ERROR(bind_arg(arg));
    switch (step.kind) {
      case StepKind::kLaunch:
        INGOT_RETURN_IF_ERROR(bind_launch(step, bound));
        break;
      case StepKind::kCopy:
      case StepKind::kFill: {
        INGOT_ASSIGN_OR_RETURN(bound.bytes, evaluate_bytes(step.bytes, 1, "a copy's size"));
        for (uint32_t i = 0; i < bound.count; ++i) {
          INGOT_RETURN_IF_ERROR(check_room(segment_.args[bound.first + i], bound.bytes));
        }
        break;
      }
      case StepKind::kAssert: {
        INGOT_ASSIGN_OR_RETURN(const int64_t value, evaluate(step.condition, step.message));
        bound.holds = value != 0;
        break;
      }
      case StepKind::kHostRead: {
        const DType dtype = plan_.buffers[step.buffers[0].buffer].dtype;
        bound.bytes = static_cast<size_t>(size_of(dtype));
        INGOT_RETURN_IF_ERROR(check_room(segment_.args[bound.first], bound.bytes));
        break;
      }
    }
    segment_.steps.push_back(std::move(bound));
    return ok_status();
  }

  Status bind_arg(const program::BufferArg& arg) {
    const Buffer& buffer = plan_.buffers[arg.buffer];
    INGOT_ASSIGN_OR_RETURN(const size_t offset,
                           evaluate_bytes(arg.offset, size_of(buffer.dtype), buffer.name));
    segment_.args.push_back({arg.buffer, offset});
    return check_room(segment_.args.back(), 0);
  }

  Status check_room(const Segment::Arg& arg, size_t bytes) const {
    const size_t size = segment_.buffer_bytes[arg.buffer];
    if (size != kUnknownSize && arg.offset <= size && bytes <= size - arg.offset) {
      return ok_status();
    }
    return bad_plan(fmt::format("a step uses bytes {} to {} of buffer '{}', which has {}",
                                arg.offset, arg.offset + bytes, plan_.buffers[arg.buffer].name,
                                size == kUnknownSize ? "no size yet" : std::to_string(size)));
  }

  Status bind_launch(const Step& step, BoundStep& bound) {
    std::vector<int64_t> scalars;
    for (const sym::Expr& scalar : step.scalars) {
      INGOT_ASSIGN_OR_RETURN(const int64_t value, evaluate(scalar, "a kernel's parameter"));
      scalars.push_back(value);
    }
    const program::Kernel& kernel = prepared_.program->kernels[step.kernel];
    std::vector<int64_t> elements;
    for (uint32_t i = 0; i < bound.count; ++i) {
      const Segment::Arg& arg = segment_.args[bound.first + i];
      const auto bytes = static_cast<int64_t>(segment_.buffer_bytes[arg.buffer] - arg.offset);
      elements.push_back(bytes / size_of(kernel.buffers[i].dtype));
    }
    INGOT_ASSIGN_OR_RETURN(
        bound.launch, prepared_.executable->bind({segment_.init, bound.step}, scalars, elements));
    return ok_status();
  }

  const PreparedPlan& prepared_;
  const Plan& plan_;
  Segment& segment_;
};

Status run_step(BoundStep& bound, const Step& step, std::span<void* const> buffers, Queue& queue) {
  switch (bound.kind) {
    case StepKind::kLaunch:
      return bound.launch->launch(buffers, queue);
    case StepKind::kCopy:
      return queue.copy(buffers[1], buffers[0], bound.bytes);
    case StepKind::kFill:
      return queue.fill(buffers[0], bound.fill, bound.bytes);
    case StepKind::kAssert:
      if (bound.holds) return ok_status();
      return make_status(Diag::kGuard, step.message.empty()
                                           ? "a condition of the model does not hold: " +
                                                 sym::to_string(step.condition)
                                           : step.message);
    case StepKind::kHostRead:
      break;
  }
  return ok_status();
}

}  // namespace

bool Segment::ends_in_host_read(const Plan& plan) const {
  return !steps.empty() && steps.back().kind == StepKind::kHostRead &&
         end_step <= steps_of(plan, init).size();
}

Result<std::unique_ptr<Segment>> bind_segment(const PreparedPlan& prepared, bool init,
                                              uint32_t first_step, sym::Values values) {
  auto segment = std::make_unique<Segment>();
  segment->init = init;
  segment->first_step = first_step;
  segment->values = std::move(values);
  INGOT_RETURN_IF_ERROR(SegmentBinder(prepared, *segment).bind());
  return segment;
}

Status run_segment(const PreparedPlan& prepared, Segment& segment, std::span<void* const> pointers,
                   std::vector<void*>& scratch, Queue& queue) {
  const std::vector<Step>& steps = steps_of(*prepared.plan, segment.init);
  for (BoundStep& bound : segment.steps) {
    const Step& step = steps[bound.step];
    scratch.clear();
    for (uint32_t i = 0; i < bound.count; ++i) {
      const Segment::Arg& arg = segment.args[bound.first + i];
      scratch.push_back(static_cast<std::byte*>(pointers[arg.buffer]) + arg.offset);
    }
    Status status = run_step(bound, step, scratch, queue);
    if (!status.ok()) return with_location(std::move(status), *prepared.program, step.loc);
  }
  return ok_status();
}

Result<int64_t> read_host_value(const PreparedPlan& prepared, const Segment& segment,
                                std::span<void* const> pointers, Queue& queue) {
  const BoundStep& bound = segment.steps.back();
  const Segment::Arg& arg = segment.args[bound.first];
  const Step& step = steps_of(*prepared.plan, segment.init)[bound.step];
  std::array<std::byte, 16> bytes{};
  INGOT_RETURN_IF_ERROR(queue.download(
      bytes.data(), static_cast<std::byte*>(pointers[arg.buffer]) + arg.offset, bound.bytes));
  Argument argument;
  argument.tensor.data = bytes.data();
  argument.tensor.dtype = prepared.plan->buffers[arg.buffer].dtype;
  const int64_t value = integer_argument(argument);
  for (const program::Symbol& symbol : prepared.program->symbols) {
    if (symbol.name != step.symbol) continue;
    if (value >= symbol.range.lo && value <= symbol.range.hi) return value;
    return with_location(
        make_status(Diag::kGuard, fmt::format("the model computed the size {}; allowed: {}", value,
                                              to_string(symbol.range))),
        *prepared.program, step.loc);
  }
  return value;
}

}  // namespace ingot::runtime
