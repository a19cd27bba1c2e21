#include "runtime/scalar/body_executor.h"

#include <fmt/core.h>

#include "support/diagnostics.h"

namespace ingot::runtime::scalar {

using program::Inst;
using program::InstId;
using program::InstKind;
using program::kNoInst;
using program::ScalarOp;
using program::Stage;
using program::StoreMode;

bool next_point(std::span<int64_t> point, std::span<const int64_t> extents) {
  for (size_t axis = point.size(); axis-- > 0;) {
    if (++point[axis] < extents[axis]) return true;
    point[axis] = 0;
  }
  return false;
}

Result<BodyExecutor> BodyExecutor::create(const program::Body& body, const program::Kernel& kernel,
                                          const KernelArgs& args) {
  BodyExecutor executor;
  executor.body_ = &body;
  executor.kernel_ = &kernel;
  executor.args_ = args;
  for (const program::Axis& axis : body.axes) {
    INGOT_ASSIGN_OR_RETURN(const IndexCode code, IndexCode::compile(axis.extent));
    const int64_t extent = code.evaluate({args.scalars, {}, {}});
    if (extent < 0) return make_status(Diag::kBadPackage, "an axis has a negative extent");
    executor.extents_.push_back(extent);
    if (axis.inner) executor.inner_points_ *= extent;
    if (!axis.inner) ++executor.parallel_axes_;
  }
  for (const Inst& inst : body.insts) {
    INGOT_ASSIGN_OR_RETURN(IndexCode code, IndexCode::compile(inst.index));
    executor.code_.push_back(std::move(code));
    executor.folds_.emplace_back(inst.reduce, DType::kF32);
  }
  executor.coordinates_.resize(body.axes.size());
  executor.values_.resize(body.insts.size());
  executor.integers_.resize(body.insts.size());
  executor.kept_.resize(body.insts.size());
  executor.stage_of_.resize(body.insts.size());
  for (uint32_t s = 0; s < body.stages.size(); ++s) {
    for (uint32_t i = body.stages[s].first; i < body.stages[s].last; ++i) {
      executor.stage_of_[i] = s;
      const bool kept = body.stages[s].inner && body.insts[i].kind != InstKind::kReduce;
      if (kept) executor.kept_[i].resize(static_cast<size_t>(executor.inner_points_));
    }
  }
  return executor;
}

Status BodyExecutor::run_point(std::span<const int64_t> point, Element accumulator) {
  accumulator_ = accumulator;
  std::copy(point.begin(), point.end(), coordinates_.begin());
  for (const Stage& stage : body_->stages) {
    if (stage.inner) {
      INGOT_RETURN_IF_ERROR(run_inner(stage));
      continue;
    }
    for (InstId id = stage.first; id < stage.last; ++id) INGOT_RETURN_IF_ERROR(run_inst(id));
  }
  return ok_status();
}

Status BodyExecutor::run_inner(const Stage& stage) {
  for (InstId id = stage.first; id < stage.last; ++id) {
    const Inst& inst = body_->insts[id];
    if (inst.kind == InstKind::kReduce) {
      folds_[id] = Fold(inst.reduce, body_->insts[inst.args[0]].dtype);
    }
  }
  const std::span<int64_t> inner = std::span(coordinates_).subspan(parallel_axes_);
  const std::span<const int64_t> extents = std::span(extents_).subspan(parallel_axes_);
  std::fill(inner.begin(), inner.end(), 0);
  for (int64_t point = 0; point < inner_points_; ++point) {
    // Values of earlier inner stages at this point.
    for (InstId id = 0; id < stage.first; ++id) {
      if (!kept_[id].empty()) set(id, kept_[id][static_cast<size_t>(point)]);
    }
    for (InstId id = stage.first; id < stage.last; ++id) {
      INGOT_RETURN_IF_ERROR(run_inst(id));
      if (!kept_[id].empty()) kept_[id][static_cast<size_t>(point)] = values_[id];
    }
    next_point(inner, extents);
  }
  for (InstId id = stage.first; id < stage.last; ++id) {
    if (body_->insts[id].kind == InstKind::kReduce) set(id, folds_[id].result());
  }
  return ok_status();
}

int64_t BodyExecutor::index_of(InstId id) {
  return code_[id].evaluate({args_.scalars, coordinates_, integers_});
}

void BodyExecutor::set(InstId id, Element value) {
  values_[id] = value;
  integers_[id] = value.integer;
}

Status BodyExecutor::run_inst(InstId id) {
  const Inst& inst = body_->insts[id];
  const auto arg = [&](int i) {
    return inst.args[i] == kNoInst ? Element{} : values_[inst.args[i]];
  };
  const auto arg_dtype = [&](int i) { return body_->insts[inst.args[i]].dtype; };
  const bool active = inst.predicate == kNoInst || values_[inst.predicate].integer != 0;
  switch (inst.kind) {
    case InstKind::kConst:
      set(id, is_float(inst.dtype) || inst.dtype == DType::kBool
                  ? from_double(inst.constant, inst.dtype)
                  : from_integer(inst.int_constant, inst.dtype));
      break;
    case InstKind::kIndex:
      set(id, from_integer(index_of(id), DType::kI64));
      break;
    case InstKind::kLoad:
    case InstKind::kStore: {
      if (inst.kind == InstKind::kLoad) set(id, {});
      if (!active) break;
      const int64_t position = index_of(id);
      if (position < 0 || position >= args_.buffer_elements[inst.buffer]) {
        return make_status(
            Diag::kBadPackage,
            fmt::format("kernel '{}' touches element {} of a buffer of {}", kernel_->name, position,
                        args_.buffer_elements[inst.buffer]));
      }
      if (inst.kind == InstKind::kStore) return store(inst, position, arg(0));
      set(id, load_element(args_.buffers[inst.buffer], position, inst.dtype));
      break;
    }
    case InstKind::kCompute: {
      const int typed = inst.op == ScalarOp::kSelect ? 1 : 0;
      set(id, apply(inst.op, arg_dtype(typed), arg(0), arg(1), arg(2)));
      break;
    }
    case InstKind::kCast:
      set(id, cast(arg(0), arg_dtype(0), inst.dtype));
      break;
    case InstKind::kBitcast:
      set(id, bitcast(arg(0), arg_dtype(0), inst.dtype));
      break;
    case InstKind::kReduce:
      folds_[id].add(arg(0));
      break;
    case InstKind::kCheckIndex:
      if (active) return check_index(id);
      set(id, {});
      break;
    case InstKind::kAccumulator:
      set(id, accumulator_);
      break;
  }
  return ok_status();
}

Status BodyExecutor::check_index(InstId id) {
  const int64_t given = values_[body_->insts[id].args[0]].integer;
  const int64_t extent = index_of(id);
  const int64_t index = given < 0 ? given + extent : given;
  if (index < 0 || index >= extent) {
    return make_status(Diag::kIndexRange,
                       fmt::format("index {} is out of bounds for size {}", given, extent));
  }
  set(id, from_integer(index, DType::kI64));
  return ok_status();
}

Status BodyExecutor::store(const Inst& inst, int64_t position, Element value) {
  void* base = args_.buffers[inst.buffer];
  ScalarOp op = ScalarOp::kAdd;
  switch (inst.store_mode) {
    case StoreMode::kSet:
      store_element(base, position, inst.dtype, value);
      return ok_status();
    case StoreMode::kAdd:
      break;
    case StoreMode::kMul:
      op = ScalarOp::kMul;
      break;
    case StoreMode::kMin:
      op = ScalarOp::kMin;
      break;
    case StoreMode::kMax:
      op = ScalarOp::kMax;
      break;
  }
  const Element old = load_element(base, position, inst.dtype);
  const Element combined = apply(op, compute_type(inst.dtype), old, value, {});
  store_element(base, position, inst.dtype, combined);
  return ok_status();
}

}  // namespace ingot::runtime::scalar
