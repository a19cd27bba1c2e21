#include "program/validate_body.h"

#include <fmt/core.h>

#include "program/fields.h"
#include "support/diagnostics.h"

namespace ingot::program {
namespace {

Status bad(std::string message) { return make_status(Diag::kBadPackage, std::move(message)); }

bool has_value(const Inst& inst) { return inst.kind != InstKind::kStore; }

class BodyChecker {
 public:
  BodyChecker(const Kernel& kernel, const Body& body, BodyRole role, ExprFactsCache& facts)
      : kernel_(kernel), body_(body), role_(role), facts_(facts) {}

  Status check() {
    INGOT_RETURN_IF_ERROR(check_axes());
    INGOT_RETURN_IF_ERROR(check_stages());
    for (InstId id = 0; id < body_.insts.size(); ++id) {
      Status status = check_inst(id);
      if (!status.ok()) return std::move(status).with_context(fmt::format("%{}", id));
    }
    return ok_status();
  }

 private:
  Status check_axes() {
    bool inner = false;
    for (const Axis& axis : body_.axes) {
      INGOT_RETURN_IF_ERROR(validate_size(kernel_, axis.extent, 0, facts_));
      if (inner && !axis.inner) return bad("a parallel axis follows an inner axis");
      inner = inner || axis.inner;
      if (!axis.inner) ++parallel_axes_;
    }
    return inner && role_ != BodyRole::kLoop ? bad("a template has inner axes") : ok_status();
  }

  Status check_stages() {
    stage_of_.reserve(body_.insts.size());
    for (uint32_t s = 0; s < body_.stages.size(); ++s) {
      const Stage& stage = body_.stages[s];
      if (stage.first != stage_of_.size() || stage.last < stage.first ||
          stage.last > body_.insts.size()) {
        return bad(fmt::format("stage {} does not follow the one before", s));
      }
      if (stage.inner && parallel_axes_ == body_.axes.size()) {
        return bad(fmt::format("stage {} is inner without inner axes", s));
      }
      stage_of_.insert(stage_of_.end(), stage.last - stage.first, s);
    }
    return stage_of_.size() == body_.insts.size() ? ok_status()
                                                  : bad("an instruction is in no stage");
  }

  const Stage& stage(InstId id) const { return body_.stages[stage_of_[id]]; }

  // Whether instruction `user` can see the value of `id`.
  bool in_scope(InstId id, InstId user) const {
    if (id >= user || !has_value(body_.insts[id])) return false;
    if (body_.insts[id].kind == InstKind::kReduce) return stage_of_[id] != stage_of_[user];
    return !stage(id).inner || stage(user).inner;
  }

  Status check_scope(InstId id, InstId user) const {
    if (in_scope(id, user)) return ok_status();
    return bad(id == kNoInst ? std::string("an operand is missing")
                             : fmt::format("%{} is not in scope", id));
  }

  Status check_index(InstId user) const {
    const sym::Expr& expr = body_.insts[user].index;
    const ExprFacts& facts = facts_.of(expr);
    const size_t axes = stage(user).inner ? body_.axes.size() : parallel_axes_;
    if (!facts.other.empty()) return bad(fmt::format("there is no symbol {}", facts.other));
    if (facts.scalar_count > kernel_.scalar_count || facts.axis_count > axes) {
      return bad(fmt::format("{} uses a scalar or axis that is not there", sym::to_string(expr)));
    }
    if (facts.bad_divisor || facts.varying_divisor) {
      return bad(fmt::format("{} has a divisor that is not a positive size", sym::to_string(expr)));
    }
    for (const uint32_t id : facts.values) {
      INGOT_RETURN_IF_ERROR(check_scope(id, user));
      if (body_.insts[id].dtype != DType::kI64) return bad(fmt::format("v{} is not i64", id));
    }
    return ok_status();
  }

  Status check_access(InstId id, bool store) const {
    const Inst& inst = body_.insts[id];
    if (inst.buffer >= kernel_.buffers.size()) return bad("there is no such buffer");
    const BufferParam& buffer = kernel_.buffers[inst.buffer];
    if (inst.dtype != buffer.dtype) return bad("the type is not the buffer's");
    const bool combines = store && inst.store_mode != StoreMode::kSet;
    if ((store && !writes(buffer.access)) || ((!store || combines) && !reads(buffer.access))) {
      return bad(fmt::format("b{} does not allow the access", inst.buffer));
    }
    if (inst.predicate == kNoInst) return ok_status();
    INGOT_RETURN_IF_ERROR(check_scope(inst.predicate, id));
    return dtype_of(inst.predicate) == DType::kBool ? ok_status()
                                                    : bad("the predicate is not bool");
  }

  DType dtype_of(InstId id) const { return body_.insts[id].dtype; }

  Status check_compute(const Inst& inst) const {
    const bool select = inst.op == ScalarOp::kSelect;
    const DType operand = dtype_of(inst.args[select ? 1 : 0]);
    for (int i = select ? 1 : 0; i < operand_count(inst.op); ++i) {
      if (dtype_of(inst.args[i]) != operand) return bad("operands differ in type");
    }
    if (select && dtype_of(inst.args[0]) != DType::kBool) return bad("the condition is not bool");
    if (!accepts(inst.op, operand)) {
      return bad(fmt::format("{} is not defined on {}", to_string(inst.op), to_string(operand)));
    }
    const DType result = is_predicate(inst.op) ? DType::kBool : operand;
    return inst.dtype == result ? ok_status() : bad("the result has another type");
  }

  Status check_reduce(InstId id) const {
    const Inst& inst = body_.insts[id];
    const DType operand = dtype_of(inst.args[0]);
    if (!stage(id).inner) return bad("a reduction is outside an inner stage");
    if (is_half(operand)) return bad(fmt::format("a reduction of {}", to_string(operand)));
    DType result = operand;
    switch (inst.reduce) {
      case ReduceOp::kAny:
      case ReduceOp::kAll:
        if (operand != DType::kBool) return bad("a reduction of truth values is not of bool");
        break;
      case ReduceOp::kArgMin:
      case ReduceOp::kArgMax:
        result = DType::kI64;
        break;
      case ReduceOp::kSum:
      case ReduceOp::kProd:
        if (operand == DType::kBool) return bad("a sum or product of bool");
        break;
      case ReduceOp::kMin:
      case ReduceOp::kMax:
        break;
    }
    return inst.dtype == result ? ok_status() : bad("the result has another type");
  }

  Status check_inst(InstId id) const {
    const Inst& inst = body_.insts[id];
    if (!is_computable(inst.dtype)) return bad("the element type has no kernels");
    for (int i = 0; i < argument_count(inst); ++i) {
      INGOT_RETURN_IF_ERROR(check_scope(inst.args[i], id));
    }
    if (has_index(inst.kind)) INGOT_RETURN_IF_ERROR(check_index(id));
    switch (inst.kind) {
      case InstKind::kConst:
      case InstKind::kCast:
        return ok_status();
      case InstKind::kIndex:
        return inst.dtype == DType::kI64 ? ok_status() : bad("an index is not i64");
      case InstKind::kLoad:
        return check_access(id, false);
      case InstKind::kCompute:
        return check_compute(inst);
      case InstKind::kBitcast:
        return size_of(inst.dtype) == size_of(dtype_of(inst.args[0]))
                   ? ok_status()
                   : bad("a bit cast between sizes");
      case InstKind::kReduce:
        return check_reduce(id);
      case InstKind::kStore:
        if (role_ == BodyRole::kScore) return bad("a score body stores");
        if (inst.dtype != dtype_of(inst.args[0])) return bad("the stored value has another type");
        return check_access(id, true);
      case InstKind::kCheckIndex:
        return inst.dtype == DType::kI64 && dtype_of(inst.args[0]) == DType::kI64
                   ? ok_status()
                   : bad("an index is not i64");
      case InstKind::kAccumulator:
        if (role_ == BodyRole::kLoop) return bad("a loop kernel has no accumulator");
        return inst.dtype == kernel_.accumulator ? ok_status()
                                                 : bad("the accumulator has another type");
    }
    return bad("an unknown instruction");
  }

  const Kernel& kernel_;
  const Body& body_;
  BodyRole role_;
  ExprFactsCache& facts_;
  size_t parallel_axes_ = 0;
  std::vector<uint32_t> stage_of_;
};

}  // namespace

Status validate_body(const Kernel& kernel, const Body& body, BodyRole role, ExprFactsCache& facts) {
  return BodyChecker(kernel, body, role, facts).check();
}

Status validate_size(const Kernel& kernel, const sym::Expr& expr, int64_t least,
                     ExprFactsCache& facts) {
  const ExprFacts& found = facts.of(expr);
  if (!found.other.empty() || found.axis_count != 0 || !found.values.empty() ||
      found.scalar_count > kernel.scalar_count) {
    return bad(fmt::format("the size {} uses a symbol that is not there", sym::to_string(expr)));
  }
  if (const auto value = expr.as_const(); value && *value < least) {
    return bad(fmt::format("the size {} is below {}", *value, least));
  }
  return ok_status();
}

}  // namespace ingot::program
