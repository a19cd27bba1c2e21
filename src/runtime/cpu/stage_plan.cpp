#include "runtime/cpu/stage_plan.h"

#include <algorithm>

namespace ingot::runtime::cpu {
namespace {

using program::Inst;
using program::InstId;
using program::InstKind;
using program::kNoInst;
using program::ScalarOp;

// What may be kept per thread before values are computed again instead: about half of an L2 cache.
constexpr int64_t kKeepBytes = 512 * 1024;
// Values that cost at most this much are computed again rather than kept.
constexpr int kCheap = 3;
constexpr int kNever = 1 << 20;
constexpr int kUnknown = -1;

bool is_simple(ScalarOp op) {
  switch (op) {
    case ScalarOp::kNeg:
    case ScalarOp::kAbs:
    case ScalarOp::kNot:
    case ScalarOp::kAdd:
    case ScalarOp::kSub:
    case ScalarOp::kMul:
    case ScalarOp::kMin:
    case ScalarOp::kMax:
    case ScalarOp::kAnd:
    case ScalarOp::kOr:
    case ScalarOp::kXor:
    case ScalarOp::kSelect:
    case ScalarOp::kFma:
      return true;
    default:
      return program::is_predicate(op);
  }
}

// Only another name for the operand's bits.
bool is_renaming(const program::Body& body, InstId id) {
  const Inst& inst = body.insts[id];
  if (inst.kind != InstKind::kBitcast && inst.kind != InstKind::kCast) return false;
  const DType from = body.insts[inst.args[0]].dtype;
  if (inst.kind == InstKind::kCast) return from == inst.dtype;
  return from == inst.dtype || inst.dtype != DType::kBool;
}

class StagePlanner {
 public:
  StagePlanner(const program::Body& body, const LoopNest& nest, const TileShape& tile)
      : body_(body), nest_(nest), tile_(tile), inner_(inner_dimensions(tile)) {}

  StagePlan plan() {
    find_dimensions();
    assign_stages();
    for (uint32_t s = 0; s < body_.stages.size(); ++s) {
      if (body_.stages[s].inner) gather_earlier_values(s);
    }
    return std::move(plan_);
  }

 private:
  void find_dimensions() {
    const size_t count = body_.insts.size();
    plan_.dims.assign(count, 0);
    plan_.stage_of.assign(count, 0);
    for (uint32_t s = 0; s < body_.stages.size(); ++s) {
      for (InstId id = body_.stages[s].first; id < body_.stages[s].last; ++id) {
        plan_.stage_of[id] = s;
      }
    }
    for (InstId id = 0; id < count; ++id) {
      // Terms use earlier instructions only, so those that this one needs can be settled.
      if (!nest_.index[id].terms.empty()) settle_terms(id);
      uint8_t dims = plan_.form_dims(nest_.index[id], tile_, nest_);
      for (const InstId ref : operands(id)) dims |= plan_.dims[ref];
      const Inst& inst = body_.insts[id];
      if (inst.kind == InstKind::kReduce) dims &= static_cast<uint8_t>(~inner_);
      if (inst.kind == InstKind::kAccumulator) dims = kColDimension;
      plan_.dims[id] = dims;
    }
    settle_terms(static_cast<InstId>(count));
  }

  // The dimensions of the terms as far as instructions below `id` go.
  void settle_terms(InstId id) {
    plan_.term_dims.resize(nest_.terms.size());
    for (size_t t = 0; t < nest_.terms.size(); ++t) {
      const IndexTerm& term = nest_.terms[t];
      uint8_t dims = 0;
      if (term.value != kNoInst) dims = term.value < id ? plan_.dims[term.value] : uint8_t{0};
      for (const IndexForm& form : term.operands) dims |= plan_.form_dims(form, tile_, nest_);
      plan_.term_dims[t] = dims;
    }
  }

  void append_values(const IndexForm& form, std::vector<InstId>& found) const {
    for (const ScaledTerm& scaled : form.terms) {
      const IndexTerm& term = nest_.terms[scaled.term];
      if (term.value != kNoInst) found.push_back(term.value);
      for (const IndexForm& operand : term.operands) append_values(operand, found);
    }
  }

  // Every instruction whose value `id` uses.
  std::vector<InstId> operands(InstId id) const {
    const Inst& inst = body_.insts[id];
    std::vector<InstId> found;
    for (const InstId arg : inst.args) {
      if (arg != kNoInst) found.push_back(arg);
    }
    if (inst.predicate != kNoInst) found.push_back(inst.predicate);
    append_values(nest_.index[id], found);
    return found;
  }

  bool stage_stores(uint32_t stage) const {
    for (InstId id = body_.stages[stage].first; id < body_.stages[stage].last; ++id) {
      if (body_.insts[id].kind == InstKind::kStore) return true;
    }
    return false;
  }

  bool can_hoist(InstId id) const {
    const InstKind kind = body_.insts[id].kind;
    if (kind == InstKind::kReduce || kind == InstKind::kStore) return false;
    if ((plan_.dims[id] & inner_) != 0) return false;
    return kind != InstKind::kLoad || !stage_stores(plan_.stage_of[id]);
  }

  void assign_stages() {
    plan_.once.assign(body_.insts.size(), false);
    plan_.kept.assign(body_.insts.size(), false);
    for (uint32_t s = 0; s < body_.stages.size(); ++s) {
      std::vector<InstId>& runs = plan_.runs.emplace_back();
      std::vector<InstId>& hoisted = plan_.hoisted.emplace_back();
      for (InstId id = body_.stages[s].first; id < body_.stages[s].last; ++id) {
        const bool once = body_.stages[s].inner && can_hoist(id) && operands_outside(id);
        plan_.once[id] = once;
        (once ? hoisted : runs).push_back(id);
      }
    }
  }

  // What runs once per tile must not wait for what runs per strip.
  bool operands_outside(InstId id) const {
    for (const InstId ref : operands(id)) {
      if (is_inner_value(ref)) return false;
    }
    return true;
  }

  // A value that exists at inner points only.
  bool is_inner_value(InstId id) const {
    return body_.stages[plan_.stage_of[id]].inner && !plan_.once[id] &&
           body_.insts[id].kind != InstKind::kReduce;
  }

  void gather_earlier_values(uint32_t stage) {
    costs_.assign(body_.insts.size(), kUnknown);
    std::vector<InstId> again;
    std::vector<InstId> pending = plan_.runs[stage];
    for (size_t next = 0; next < pending.size(); ++next) {
      for (const InstId ref : operands(pending[next])) {
        if (!is_inner_value(ref) || plan_.stage_of[ref] == stage || plan_.kept[ref]) continue;
        if (std::find(again.begin(), again.end(), ref) != again.end()) continue;
        if (!is_renaming(body_, ref) && !compute_again(ref, stage)) {
          plan_.kept[ref] = true;
          kept_bytes_ += bytes_to_keep(ref);
          continue;
        }
        again.push_back(ref);
        pending.push_back(ref);
      }
    }
    std::vector<InstId>& runs = plan_.runs[stage];
    runs.insert(runs.begin(), again.begin(), again.end());
    std::sort(runs.begin(), runs.end());
  }

  bool compute_again(InstId id, uint32_t stage) {
    const int cost = cost_of(id, stage);
    if (cost >= kNever) return false;
    return cost <= kCheap || kept_bytes_ + bytes_to_keep(id) > kKeepBytes;
  }

  int64_t bytes_to_keep(InstId id) const {
    return nest_.points(true) * tile_.rows * (tile_.cols_are_inner ? 1 : tile_.cols) *
           size_of(body_.insts[id].dtype);
  }

  // Of computing the value once more in `stage`.
  int cost_of(InstId id, uint32_t stage) {
    if (!is_inner_value(id) || plan_.kept[id]) return 0;
    if (costs_[id] != kUnknown) return costs_[id];
    const Inst& inst = body_.insts[id];
    int cost = 1;
    if (inst.kind == InstKind::kLoad && !can_reload(id, stage)) cost = kNever;
    if (inst.kind == InstKind::kCompute && !is_simple(inst.op)) cost = 8;
    if (inst.kind == InstKind::kCheckIndex || inst.kind == InstKind::kIndex) cost = 2;
    for (const InstId ref : operands(id)) cost = std::min(cost + cost_of(ref, stage), kNever);
    return costs_[id] = cost;
  }

  // No store could have changed what was loaded: none in between, and those of `stage` itself
  // write each element where it was read.
  bool can_reload(InstId id, uint32_t stage) const {
    for (InstId other = id + 1; other < body_.stages[stage].last; ++other) {
      if (body_.insts[other].kind != InstKind::kStore) continue;
      if (plan_.stage_of[other] != stage || nest_.index[other] != nest_.index[id]) return false;
    }
    return true;
  }

  const program::Body& body_;
  const LoopNest& nest_;
  const TileShape& tile_;
  const uint8_t inner_;
  StagePlan plan_;
  int64_t kept_bytes_ = 0;
  std::vector<int> costs_;  // of computing again in the stage at hand, by instruction
};

}  // namespace

uint8_t inner_dimensions(const TileShape& tile) {
  return tile.cols_are_inner ? kSerialDimension | kColDimension : kSerialDimension;
}

Spread spread_of(uint8_t dims, const TileShape& tile) {
  const bool rows = (dims & kRowDimension) != 0 && tile.rows > 1;
  const bool cols = (dims & kColDimension) != 0 && tile.cols > 1;
  return (rows ? Spread::kRows : Spread::kOne) | (cols ? Spread::kCols : Spread::kOne);
}

uint8_t StagePlan::form_dims(const IndexForm& form, const TileShape& tile,
                             const LoopNest& nest) const {
  uint8_t found = 0;
  for (size_t k = 0; k < form.axis.size(); ++k) {
    if (form.axis[k] == 0) continue;
    const int axis = static_cast<int>(k);
    if (axis == tile.row_axis) {
      found |= kRowDimension;
    } else if (axis == tile.col_axis) {
      found |= kColDimension;
    } else if (nest.axes[k].inner) {
      found |= kSerialDimension;
    }
  }
  for (const ScaledTerm& scaled : form.terms) {
    if (scaled.term < term_dims.size()) found |= term_dims[scaled.term];
  }
  return found;
}

StagePlan plan_stages(const program::Body& body, const LoopNest& nest, const TileShape& tile) {
  return StagePlanner(body, nest, tile).plan();
}

}  // namespace ingot::runtime::cpu
