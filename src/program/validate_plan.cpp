#include "program/validate_plan.h"

#include <fmt/core.h>

#include "support/diagnostics.h"

namespace ingot::program {
namespace {

constexpr int64_t kArenaAlignment = 64;

Status bad(std::string message) { return make_status(Diag::kBadPackage, std::move(message)); }

sym::Expr element_count(const Weight& weight) {
  int64_t elements = 1;  // cannot overflow: the weight fits its storage
  for (const int64_t size : weight.sizes) elements *= size;
  return elements;
}

class PlanChecker {
 public:
  PlanChecker(const Program& program, const Plan& plan, const ProgramScope& scope)
      : program_(program), plan_(plan), scope_(scope), written_(plan.buffers.size(), false) {}

  Status check() {
    if (plan_.target.empty()) return bad("it has no target");
    INGOT_RETURN_IF_ERROR(scope_.check_size(plan_.arena_bytes));
    if (!plan_.derived_bytes.is_const()) return bad("the derived bytes are not a number");
    INGOT_RETURN_IF_ERROR(scope_.check_size(plan_.derived_bytes));
    INGOT_RETURN_IF_ERROR(check_buffers());
    in_init_ = true;
    INGOT_RETURN_IF_ERROR(check_steps(plan_.init, "init step"));
    in_init_ = false;
    INGOT_RETURN_IF_ERROR(check_steps(plan_.steps, "step"));
    return check_outputs_written();
  }

 private:
  Status check_buffers() {
    std::set<uint32_t> outputs;
    for (size_t i = 0; i < plan_.buffers.size(); ++i) {
      const Buffer& buffer = plan_.buffers[i];
      Status status = check_buffer(buffer);
      if (status.ok() && buffer.kind == BufferKind::kOutput &&
          !outputs.insert(buffer.source).second) {
        status = bad("its output has another buffer");
      }
      if (!status.ok()) {
        return std::move(status).with_context(fmt::format("buffer {} ({})", i, buffer.name));
      }
      // What a temporary or an output holds before its first write is anything.
      written_[i] = buffer.kind == BufferKind::kInput || buffer.kind == BufferKind::kConstant ||
                    buffer.kind == BufferKind::kState || buffer.elements.is_const(0);
    }
    for (uint32_t i = 0; i < program_.outputs.size(); ++i) {
      if (program_.outputs[i].kind == OutputKind::kTensor && !outputs.contains(i)) {
        return bad(fmt::format("output {} has no buffer", i));
      }
    }
    return ok_status();
  }

  Status check_buffer(const Buffer& buffer) const {
    if (!is_computable(buffer.dtype)) return bad("its element type has no kernels");
    INGOT_RETURN_IF_ERROR(scope_.check_size(buffer.elements));
    switch (buffer.kind) {
      case BufferKind::kInput:
        if (buffer.source >= program_.inputs.size() ||
            program_.inputs[buffer.source].kind != InputKind::kTensor) {
          return bad("it has no input");
        }
        return check_source(buffer, program_.inputs[buffer.source].dtype,
                            sym::product(program_.inputs[buffer.source].sizes));
      case BufferKind::kOutput:
        if (buffer.source >= program_.outputs.size() ||
            program_.outputs[buffer.source].kind != OutputKind::kTensor) {
          return bad("it has no output");
        }
        return check_source(buffer, program_.outputs[buffer.source].dtype,
                            sym::product(program_.outputs[buffer.source].sizes));
      case BufferKind::kConstant:
      case BufferKind::kState:
        if (buffer.source >= program_.weights.size()) return bad("it has no weight");
        return check_source(buffer, program_.weights[buffer.source].dtype,
                            element_count(program_.weights[buffer.source]));
      case BufferKind::kDerived:
        if (!buffer.elements.is_const() || !buffer.arena_offset.is_const()) {
          return bad("its place is not a number");
        }
        return check_offset(buffer.arena_offset);
      case BufferKind::kTemporary:
        return check_offset(buffer.arena_offset);
    }
    return bad("it is of an unknown kind");
  }

  Status check_source(const Buffer& buffer, DType dtype, const sym::Expr& elements) const {
    if (buffer.dtype != dtype) return bad("its type is not its source's");
    if (buffer.elements != elements) {
      return bad(fmt::format("it has {} elements, its source {}", sym::to_string(buffer.elements),
                             sym::to_string(elements)));
    }
    return ok_status();
  }

  Status check_offset(const sym::Expr& offset) const {
    INGOT_RETURN_IF_ERROR(scope_.check_size(offset));
    const auto value = offset.as_const();
    return value && *value % kArenaAlignment != 0 ? bad("it is not aligned") : ok_status();
  }

  Status check_steps(const std::vector<Step>& steps, std::string_view what) {
    for (size_t i = 0; i < steps.size(); ++i) {
      Status status = check_step(steps[i]);
      if (!status.ok()) return std::move(status).with_context(fmt::format("{} {}", what, i));
    }
    return ok_status();
  }

  Status check_step(const Step& step) {
    if (!program_.locations.empty() && step.loc != kNoIndex &&
        step.loc >= program_.locations.size()) {
      return bad("there is no such location");
    }
    if (step.kind != StepKind::kAssert) {
      for (const BufferArg& arg : step.buffers) {
        if (arg.buffer >= plan_.buffers.size()) return bad("there is no such buffer");
        INGOT_RETURN_IF_ERROR(check_expr(arg.offset));
      }
    }
    switch (step.kind) {
      case StepKind::kLaunch:
        return check_launch(step);
      case StepKind::kCopy:
        if (step.buffers.size() != 2) return bad("a copy has two buffers");
        INGOT_RETURN_IF_ERROR(check_expr(step.bytes));
        INGOT_RETURN_IF_ERROR(use(step.buffers[0].buffer, Access::kRead));
        return use(step.buffers[1].buffer, Access::kWrite);
      case StepKind::kFill:
        if (step.buffers.size() != 1) return bad("a fill has one buffer");
        INGOT_RETURN_IF_ERROR(check_expr(step.bytes));
        return use(step.buffers[0].buffer, Access::kWrite);
      case StepKind::kAssert:
        if (in_init_) return bad("an assertion in the init block");
        return scope_.check(step.condition);
      case StepKind::kHostRead:
        return check_host_read(step);
    }
    return bad("it is of an unknown kind");
  }

  Status check_launch(const Step& step) {
    if (step.kernel >= program_.kernels.size()) return bad("there is no such kernel");
    const Kernel& kernel = program_.kernels[step.kernel];
    if (step.buffers.size() != kernel.buffers.size()) {
      return bad("the buffers are not one per parameter of the kernel");
    }
    if (step.scalars.size() != kernel.scalar_count) {
      return bad("the scalars are not those of the kernel");
    }
    for (const sym::Expr& scalar : step.scalars) {
      INGOT_RETURN_IF_ERROR(in_init_ ? check_number(scalar) : scope_.check(scalar));
    }
    // All reads first: what a launch writes is not there before it.
    for (const bool writing : {false, true}) {
      for (size_t i = 0; i < step.buffers.size(); ++i) {
        const BufferParam& param = kernel.buffers[i];
        const BufferIndex buffer = step.buffers[i].buffer;
        if (plan_.buffers[buffer].dtype != param.dtype) {
          return bad(fmt::format("argument {} has another type", i));
        }
        if (writing ? !writes(param.access) : !reads(param.access)) continue;
        Status status = use(buffer, writing ? Access::kWrite : Access::kRead);
        if (!status.ok()) return std::move(status).with_context(fmt::format("argument {}", i));
      }
    }
    return ok_status();
  }

  Status check_host_read(const Step& step) {
    if (in_init_) return bad("a host read in the init block");
    if (step.buffers.size() != 1) return bad("a host read has one buffer");
    const DType dtype = plan_.buffers[step.buffers[0].buffer].dtype;
    if (!is_int(dtype) && dtype != DType::kBool) return bad("a host read of a float");
    if (!scope_.has_symbol(step.symbol)) return bad("there is no such symbol");
    return use(step.buffers[0].buffer, Access::kRead);
  }

  // Sizes and offsets; in the init block there are no symbols.
  Status check_expr(const sym::Expr& expr) const {
    return in_init_ ? check_number(expr) : scope_.check_size(expr);
  }
  Status check_number(const sym::Expr& expr) const {
    return expr.is_const() ? ok_status() : bad("the init block uses a symbol");
  }

  Status use(BufferIndex index, Access access) {
    const Buffer& buffer = plan_.buffers[index];
    if (in_init_ && buffer.kind != BufferKind::kConstant && buffer.kind != BufferKind::kDerived) {
      return bad(fmt::format("the init block uses {}", buffer.name));
    }
    if (access == Access::kRead) {
      return written_[index] ? ok_status()
                             : bad(fmt::format("{} is read before it is written", buffer.name));
    }
    written_[index] = true;
    return is_writable(buffer) ? ok_status() : bad(fmt::format("{} is written", buffer.name));
  }

  bool is_writable(const Buffer& buffer) const {
    switch (buffer.kind) {
      case BufferKind::kInput:
        return program_.inputs[buffer.source].mutated;
      case BufferKind::kConstant:
        return false;
      case BufferKind::kDerived:
        return in_init_;
      case BufferKind::kOutput:
      case BufferKind::kState:
      case BufferKind::kTemporary:
        return true;
    }
    return false;
  }

  Status check_outputs_written() const {
    for (size_t i = 0; i < plan_.buffers.size(); ++i) {
      if (plan_.buffers[i].kind == BufferKind::kOutput && !written_[i]) {
        return bad(fmt::format("output {} is never written", plan_.buffers[i].name));
      }
    }
    return ok_status();
  }

  const Program& program_;
  const Plan& plan_;
  const ProgramScope& scope_;
  std::vector<bool> written_;
  bool in_init_ = false;
};

}  // namespace

ProgramScope::ProgramScope(const Program& program, ExprFactsCache& facts) : facts_(facts) {
  for (const Symbol& symbol : program.symbols) names_.insert(symbol.name);
}

Status ProgramScope::check(const sym::Expr& expr) const {
  for (const std::string& name : facts_.of(expr).symbols) {
    if (!has_symbol(name)) return bad(fmt::format("there is no symbol {}", name));
  }
  return ok_status();
}

Status ProgramScope::check_size(const sym::Expr& expr) const {
  if (const auto value = expr.as_const(); value && *value < 0) return bad("a size is negative");
  return check(expr);
}

Status validate_plan(const Program& program, const Plan& plan, const ProgramScope& scope) {
  return PlanChecker(program, plan, scope).check();
}

}  // namespace ingot::program
