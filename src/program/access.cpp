#include "program/access.h"

#include <fmt/core.h>

#include <algorithm>

#include "program/fields.h"
#include "program/interval.h"
#include "program/template_shape.h"
#include "support/diagnostics.h"

namespace ingot::program {
namespace {

using sym::Range;

Status bad(std::string message) { return make_status(Diag::kBadPackage, std::move(message)); }

Result<std::vector<int64_t>> evaluate_extents(std::span<const sym::Expr> exprs,
                                              std::span<const int64_t> scalars) {
  std::vector<int64_t> values;
  int64_t points = 1;
  bool empty = false;
  bool overflow = false;
  for (const sym::Expr& expr : exprs) {
    INGOT_ASSIGN_OR_RETURN(const int64_t value, evaluate_size(expr, scalars));
    if (value < 0) return bad(fmt::format("the extent {} is negative", sym::to_string(expr)));
    overflow |= __builtin_mul_overflow(points, value == 0 ? 1 : value, &points);
    empty = empty || value == 0;
    values.push_back(value);
  }
  if (overflow && !empty) return bad("the number of points is beyond 64 bits");
  return values;
}

class BodyAnalysis {
 public:
  BodyAnalysis(const Body& body, const LaunchSizes& sizes) : body_(body), sizes_(sizes) {}

  Result<BodyAccess> run() {
    std::vector<sym::Expr> extents;
    for (const Axis& axis : body_.axes) extents.push_back(axis.extent);
    INGOT_ASSIGN_OR_RETURN(access_.extents, evaluate_extents(extents, sizes_.scalars));
    for (size_t i = 0; i < body_.axes.size(); ++i) {
      const int64_t extent = access_.extents[i];
      if (extent == 0) (body_.axes[i].inner ? inner_empty_ : parallel_empty_) = true;
      if (body_.axes[i].inner && extent > 0) inner_points_ *= extent;
      axes_.push_back({0, extent - 1});
    }
    values_.assign(body_.insts.size(), kUnbounded);
    access_.index.assign(body_.insts.size(), kUnbounded);
    access_.proved.assign(body_.insts.size(), true);
    for (const Stage& stage : body_.stages) {
      // No point, no access; and divisors may be the zero that made it so.
      if (parallel_empty_ || (stage.inner && inner_empty_)) continue;
      for (InstId id = stage.first; id < stage.last; ++id) INGOT_RETURN_IF_ERROR(visit(id));
    }
    return std::move(access_);
  }

 private:
  Status visit(InstId id) {
    const Inst& inst = body_.insts[id];
    if (has_index(inst.kind)) {
      const Interval interval =
          interval_of(inst.index, {.scalars = sizes_.scalars, .axes = axes_, .values = values_});
      if (interval.bad_divisor) {
        return bad(
            fmt::format("%{}: a divisor of {} is not positive", id, sym::to_string(inst.index)));
      }
      access_.index[id] = interval.range;
    }
    if (inst.kind == InstKind::kLoad || inst.kind == InstKind::kStore) {
      const Range range = access_.index[id];
      access_.proved[id] = range.lo >= 0 && range.hi < sizes_.buffer_elements[inst.buffer];
    }
    if (inst.dtype == DType::kI64) values_[id] = value_range(id);
    return ok_status();
  }

  Range value_range(InstId id) const {
    const Inst& inst = body_.insts[id];
    switch (inst.kind) {
      case InstKind::kConst:
        return {inst.int_constant, inst.int_constant};
      case InstKind::kIndex:
        return access_.index[id];
      case InstKind::kCheckIndex: {
        const int64_t most = access_.index[id].hi;
        return most >= 1 ? Range{0, most - 1} : kUnbounded;
      }
      case InstKind::kReduce:
        if (inst.reduce != ReduceOp::kArgMin && inst.reduce != ReduceOp::kArgMax) return kUnbounded;
        return {0, inner_points_ - 1};
      case InstKind::kCompute:
        return computed_range(inst);
      default:
        return kUnbounded;
    }
  }

  // Those that clamp an index; others are unknown.
  Range computed_range(const Inst& inst) const {
    const Range a = values_[inst.args[0]];
    const Range b = inst.args[1] == kNoInst ? kUnbounded : values_[inst.args[1]];
    switch (inst.op) {
      case ScalarOp::kMin:
      case ScalarOp::kFmin:
        return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
      case ScalarOp::kMax:
      case ScalarOp::kFmax:
        return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
      case ScalarOp::kSelect:
        return union_of(b, values_[inst.args[2]]);
      default:
        return kUnbounded;
    }
  }

  const Body& body_;
  const LaunchSizes& sizes_;
  BodyAccess access_;
  std::vector<Range> axes_;
  std::vector<Range> values_;
  bool parallel_empty_ = false;
  bool inner_empty_ = false;
  int64_t inner_points_ = 1;
};

Status check_divides(const sym::Expr& divisor, const sym::Expr& dividend, std::string_view what,
                     std::span<const int64_t> scalars) {
  INGOT_ASSIGN_OR_RETURN(const int64_t by, evaluate_size(divisor, scalars));
  INGOT_ASSIGN_OR_RETURN(const int64_t value, evaluate_size(dividend, scalars));
  if (by >= 1 && value % by == 0) return ok_status();
  return bad(fmt::format("{} do not fit: {} and {}", what, value, by));
}

Status check_relations(const Kernel& kernel, std::span<const int64_t> scalars) {
  switch (kernel.kind) {
    case KernelKind::kConv:
      INGOT_RETURN_IF_ERROR(check_divides(kernel.conv.groups, kernel.conv.in_channels,
                                          "channels and groups", scalars));
      return check_divides(kernel.conv.groups, kernel.conv.out_channels, "channels and groups",
                           scalars);
    case KernelKind::kAttention:
      return check_divides(kernel.attention.kv_heads, kernel.attention.heads, "heads", scalars);
    case KernelKind::kSort: {
      INGOT_ASSIGN_OR_RETURN(const int64_t keep, evaluate_size(kernel.sort.keep, scalars));
      INGOT_ASSIGN_OR_RETURN(const int64_t extent, evaluate_size(kernel.sort.extent, scalars));
      return keep <= extent ? ok_status() : bad("a sort keeps more than it has");
    }
    default:
      return ok_status();
  }
}

Status check_operand(const Kernel& kernel, size_t position, const LaunchSizes& sizes) {
  const Operand& operand = kernel.operands[position];
  const std::vector<sym::Expr> exprs = operand_sizes(kernel, position);
  INGOT_ASSIGN_OR_RETURN(const std::vector<int64_t> extents,
                         evaluate_extents(exprs, sizes.scalars));
  INGOT_ASSIGN_OR_RETURN(int64_t lowest, evaluate_size(operand.offset, sizes.scalars));
  int64_t highest = lowest;
  bool overflow = false;
  for (size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] == 0) return ok_status();
    INGOT_ASSIGN_OR_RETURN(const int64_t stride, evaluate_size(operand.strides[i], sizes.scalars));
    int64_t span = 0;
    overflow |= __builtin_mul_overflow(extents[i] - 1, stride, &span);
    int64_t& end = span < 0 ? lowest : highest;
    overflow |= __builtin_add_overflow(end, span, &end);
  }
  if (overflow || lowest < 0 || highest >= sizes.buffer_elements[operand.buffer]) {
    return bad(fmt::format("operand {} reaches outside its buffer", position));
  }
  return ok_status();
}

}  // namespace

Result<BodyAccess> body_access(const Body& body, const LaunchSizes& sizes) {
  return BodyAnalysis(body, sizes).run();
}

Status check_template_sizes(const Kernel& kernel, const LaunchSizes& sizes) {
  INGOT_RETURN_IF_ERROR(check_relations(kernel, sizes.scalars));
  for (size_t i = 0; i < kernel.operands.size() && kernel.kind != KernelKind::kLoop; ++i) {
    INGOT_RETURN_IF_ERROR(check_operand(kernel, i, sizes));
  }
  const auto epilogue = evaluate_extents(epilogue_sizes(kernel), sizes.scalars);
  return epilogue.ok() ? ok_status() : epilogue.status();
}

Result<int64_t> evaluate_size(const sym::Expr& expr, std::span<const int64_t> scalars) {
  const Interval interval = interval_of(expr, {.scalars = scalars, .axes = {}, .values = {}});
  if (interval.bad_divisor || interval.range.lo != interval.range.hi) {
    return bad(fmt::format("the size {} cannot be computed", sym::to_string(expr)));
  }
  return interval.range.lo;
}

}  // namespace ingot::program
