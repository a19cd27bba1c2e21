#include "runtime/cpu/strip_compiler.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <map>
#include <tuple>

#include "runtime/cpu/slot_layout.h"
#include "runtime/cpu/stage_plan.h"
#include "support/diagnostics.h"

namespace ingot::runtime::cpu {
namespace {

using program::Inst;
using program::InstId;
using program::InstKind;
using program::kNoInst;
using program::ScalarOp;
using program::Stage;
using program::StoreMode;

// A value at hand while compiling.
struct Value {
  SlotId slot = kNoSlot;
  Spread spread = Spread::kOne;
};

class StripCompiler {
 public:
  explicit StripCompiler(const StripCompilerInput& input)
      : input_(input),
        body_(*input.body),
        nest_(*input.nest),
        tile_(input.tile),
        plan_(plan_stages(body_, nest_, tile_)),
        values_(body_.insts.size()),
        terms_(nest_.terms.size()) {}

  Result<StripProgram> compile() {
    static std::atomic<uint64_t> next_identity{1};
    program_.identity = next_identity.fetch_add(1, std::memory_order_relaxed);
    program_.table = input_.table;
    program_.tile = tile_;
    program_.axes = nest_.axes;
    program_.inner_strides.assign(nest_.axes.size(), 0);
    int64_t stride = 1;
    for (size_t k = nest_.axes.size(); k-- > 0 && nest_.axes[k].inner;) {
      program_.inner_strides[k] = stride;
      stride *= nest_.axes[k].extent;
    }
    for (uint32_t s = 0; s < body_.stages.size(); ++s) {
      INGOT_RETURN_IF_ERROR(compile_stage(s));
    }
    close_row_block();
    set_result();
    layout_slots(slots_, program_);
    return std::move(program_);
  }

 private:
  // --- Blocks -----------------------------------------------------------------------------------

  Status compile_stage(uint32_t s) {
    if (!body_.stages[s].inner) {
      for (const InstId id : plan_.runs[s]) INGOT_RETURN_IF_ERROR(compile_inst(id));
      return ok_status();
    }
    const bool has_points = nest_.points(true) != 0;
    if (has_points) {
      for (const InstId id : plan_.hoisted[s]) INGOT_RETURN_IF_ERROR(compile_inst(id));
    }
    StripBlock block{.ops = {}, .folds = {}, .inner = true};
    inner_block_ = &block;
    strip_values_.clear();
    strip_terms_.clear();
    strip_spreads_.clear();
    for (const InstId id : plan_.runs[s]) {
      if (plan_.kept[id] && plan_.stage_of[id] != s) continue;
      const bool is_fold = body_.insts[id].kind == InstKind::kReduce;
      if (has_points || is_fold) INGOT_RETURN_IF_ERROR(compile_inst(id));
    }
    inner_block_ = nullptr;
    close_row_block();
    program_.blocks.push_back(std::move(block));
    return ok_status();
  }

  void close_row_block() {
    if (!row_ops_.empty()) {
      program_.blocks.push_back({.ops = std::move(row_ops_), .folds = {}, .inner = false});
    }
    row_ops_.clear();
  }

  bool runs_per_strip(InstId id) const { return inner_block_ != nullptr && !plan_.once[id]; }

  std::vector<StripOp>& ops(bool per_strip) { return per_strip ? inner_block_->ops : row_ops_; }

  // --- Slots ------------------------------------------------------------------------------------

  SlotId new_slot(Spread spread, int64_t element_bytes, SlotUse use = SlotUse::kScratch) {
    slots_.push_back({.bytes = lanes_of(spread) * element_bytes, .use = use});
    per_strip_slot_.push_back(inner_block_ != nullptr);
    return static_cast<SlotId>(slots_.size() - 1);
  }

  int64_t lanes_of(Spread spread) const {
    switch (spread) {
      case Spread::kOne:
        return 1;
      case Spread::kRows:
        return tile_.rows;
      case Spread::kCols:
        return tile_.cols;
      case Spread::kTile:
        return tile_.rows * tile_.cols;
    }
    return 1;
  }

  SlotId constant_slot(uint64_t bits) {
    const auto [found, added] = constants_.try_emplace(bits, kNoSlot);
    if (added) {
      found->second = new_slot(Spread::kOne, 8, SlotUse::kPinned);
      per_strip_slot_.back() = false;
      program_.constants.push_back({found->second, bits});
    }
    return found->second;
  }
  bool is_constant(SlotId slot) const {
    return std::any_of(program_.constants.begin(), program_.constants.end(),
                       [&](const ConstantSlot& c) { return c.slot == slot; });
  }

  Value value_of(InstId id) const {
    if (const auto found = strip_values_.find(id); found != strip_values_.end()) {
      return found->second;
    }
    return values_[id];
  }
  void set_value(InstId id, Value value) {
    if (runs_per_strip(id) && !plan_.kept[id] && body_.insts[id].kind != InstKind::kReduce) {
      strip_values_[id] = value;
    } else {
      values_[id] = value;
    }
  }

  // The slot for the result of `id`.
  Value new_value(InstId id, Spread spread) {
    const int64_t bytes = size_of(body_.insts[id].dtype);
    if (!plan_.kept[id] || !runs_per_strip(id)) {
      const SlotId slot = new_slot(spread, bytes);
      per_strip_slot_.back() = runs_per_strip(id);
      return {slot, spread};
    }
    const SlotId slot = new_slot(spread, bytes, SlotUse::kKept);
    program_.kept.push_back({.slot = slot, .offset = 0, .strip_bytes = slots_.back().bytes});
    return {slot, spread};
  }

  // The value with lanes for all of `spread`, which covers its own.
  SlotId spread_to(Value value, Spread spread, DType dtype, bool per_strip) {
    if (value.spread == spread) return value.slot;
    // Constants of different types may share a slot.
    const std::tuple key(value.slot, spread, log2_bytes(dtype));
    if (const auto found = row_spreads_.find(key); found != row_spreads_.end()) {
      return found->second;
    }
    if (const auto found = strip_spreads_.find(key); per_strip && found != strip_spreads_.end()) {
      return found->second;
    }
    StripOp op{.kind = StripOpKind::kBroadcast,
               .spread = spread,
               .log2_bytes = static_cast<uint8_t>(log2_bytes(dtype)),
               .a = value.slot};
    if (value.spread == Spread::kRows) op.kind = StripOpKind::kRepeatEach;
    if (value.spread == Spread::kCols) op.kind = StripOpKind::kTileCols;
    if (value.spread == Spread::kOne && is_constant(value.slot)) {
      op.dst = new_slot(spread, size_of(dtype), SlotUse::kPinned);
      program_.prologue.push_back(op);
      return row_spreads_[key] = op.dst;
    }
    // One lane is the same for every strip of the tile; full strips are the longest.
    const bool hoist = per_strip && value.spread == Spread::kOne && !per_strip_slot_[value.slot];
    const bool in_strip = per_strip && !hoist;
    op.dst = new_slot(spread, size_of(dtype));
    per_strip_slot_.back() = in_strip;
    ops(in_strip).push_back(op);
    (in_strip ? strip_spreads_ : row_spreads_)[key] = op.dst;
    return op.dst;
  }

  // --- Index forms ------------------------------------------------------------------------------

  bool is_per_strip(uint8_t dims) const {
    return inner_block_ != nullptr && (dims & inner_dimensions(tile_)) != 0;
  }

  // Whether a form or term has to be computed for every strip: it varies there, or uses a value
  // that only exists there.
  bool uses_strip_values(const IndexForm& form) const {
    for (const ScaledTerm& scaled : form.terms) {
      const IndexTerm& term = nest_.terms[scaled.term];
      if (term.value != kNoInst && strip_values_.contains(term.value)) return true;
      if (term.value != kNoInst && plan_.kept[term.value]) return true;
      for (const IndexForm& operand : term.operands) {
        if (uses_strip_values(operand)) return true;
      }
    }
    return false;
  }
  bool form_per_strip(const IndexForm& form) const {
    return inner_block_ != nullptr &&
           (is_per_strip(plan_.form_dims(form, tile_, nest_)) || uses_strip_values(form));
  }

  Value term_value(TermId id) {
    const IndexTerm& term = nest_.terms[id];
    if (term.value != kNoInst) return value_of(term.value);
    if (const auto found = strip_terms_.find(id); found != strip_terms_.end()) {
      return found->second;
    }
    if (terms_[id].slot != kNoSlot) return terms_[id];
    IndexForm itself{.constant = 0, .axis = std::vector<int64_t>(nest_.axes.size()), .terms = {}};
    itself.terms.push_back({id, 1});
    const bool per_strip = form_per_strip(itself);
    const Value value = compute_term(term, per_strip);
    if (per_strip) {
      strip_terms_[id] = value;
    } else {
      terms_[id] = value;
    }
    return value;
  }

  Value compute_term(const IndexTerm& term, bool per_strip) {
    std::vector<Value> operands;
    Spread spread = Spread::kOne;
    for (const IndexForm& operand : term.operands) {
      operands.push_back(form_value(operand, per_strip));
      spread = spread | operands.back().spread;
    }
    StripOp op{.kind = StripOpKind::kLanes, .spread = spread};
    op.a = spread_to(operands[0], spread, DType::kI64, per_strip);
    const bool divides = term.kind == sym::ExprKind::kFloorDiv || term.kind == sym::ExprKind::kMod;
    if (divides && term.operands[1].is_constant() && term.operands[1].constant > 0) {
      op.kind = term.kind == sym::ExprKind::kMod ? StripOpKind::kModulo : StripOpKind::kDivide;
      op.number = term.operands[1].constant;
    } else {
      op.lanes = program_.table->index.op[static_cast<int>(term.kind)];
      if (operands.size() > 1) op.b = spread_to(operands[1], spread, DType::kI64, per_strip);
      if (operands.size() > 2) op.c = spread_to(operands[2], spread, DType::kI64, per_strip);
    }
    op.dst = new_slot(spread, 8);
    per_strip_slot_.back() = per_strip;
    ops(per_strip).push_back(op);
    return {op.dst, spread};
  }

  // The linear part of a form, with those terms that are one lane.
  LinearIndex linear_index(const IndexForm& form, std::vector<ScaledTerm>* varying) {
    LinearIndex index;
    index.constant = form.constant;
    for (size_t k = 0; k < form.axis.size(); ++k) {
      if (form.axis[k] == 0) continue;
      index.axes.push_back({static_cast<uint32_t>(k), form.axis[k]});
      if (static_cast<int>(k) == tile_.row_axis) index.row_step = form.axis[k];
      if (static_cast<int>(k) == tile_.col_axis) index.col_step = form.axis[k];
    }
    for (const ScaledTerm& scaled : form.terms) {
      const Value term = term_value(scaled.term);
      if (term.spread == Spread::kOne) {
        index.uniforms.push_back({term.slot, scaled.scale});
      } else {
        varying->push_back(scaled);
      }
    }
    return index;
  }

  Value form_value(const IndexForm& form, bool per_strip) {
    if (form.is_constant()) {
      return {constant_slot(static_cast<uint64_t>(form.constant)), Spread::kOne};
    }
    const bool only_term =
        form.constant == 0 && form.terms.size() == 1 && form.terms[0].scale == 1 &&
        std::all_of(form.axis.begin(), form.axis.end(), [](int64_t c) { return c == 0; });
    if (only_term) return term_value(form.terms[0].term);
    std::vector<ScaledTerm> varying;
    const LinearIndex index = linear_index(form, &varying);
    Spread spread = spread_of(plan_.form_dims(form, tile_, nest_), tile_);
    for (const ScaledTerm& scaled : varying) spread = spread | term_value(scaled.term).spread;
    return {materialize(index, varying, spread, per_strip), spread};
  }

  SlotId materialize(const LinearIndex& index, const std::vector<ScaledTerm>& varying,
                     Spread spread, bool per_strip) {
    // Before the operation, or theirs would come after it.
    std::vector<SlotId> terms;
    for (const ScaledTerm& scaled : varying) {
      terms.push_back(spread_to(term_value(scaled.term), spread, DType::kI64, per_strip));
    }
    StripOp op{.kind = StripOpKind::kAffine, .spread = spread};
    op.extra = static_cast<uint32_t>(program_.indices.size());
    program_.indices.push_back(index);
    op.dst = new_slot(spread, 8);
    per_strip_slot_.back() = per_strip;
    ops(per_strip).push_back(op);
    for (size_t i = 0; i < varying.size(); ++i) {
      ops(per_strip).push_back({.kind = StripOpKind::kAddScaled,
                                .spread = spread,
                                .dst = op.dst,
                                .a = terms[i],
                                .number = varying[i].scale});
    }
    return op.dst;
  }

  // --- Memory -----------------------------------------------------------------------------------

  // The lowest and highest element of a form without terms.
  std::pair<__int128, __int128> bounds_of(const IndexForm& form) const {
    __int128 low = form.constant;
    __int128 high = form.constant;
    for (size_t k = 0; k < form.axis.size(); ++k) {
      const __int128 last = static_cast<__int128>(form.axis[k]) * (nest_.axes[k].extent - 1);
      if (nest_.axes[k].extent > 0) (last < 0 ? low : high) += last;
    }
    return {low, high};
  }

  Result<StripAccess> make_access(InstId id, Spread at_least) {
    const Inst& inst = body_.insts[id];
    const IndexForm& form = nest_.index[id];
    const bool per_strip = runs_per_strip(id);
    StripAccess access;
    access.buffer = inst.buffer;
    access.dtype = inst.dtype;
    access.elements = input_.buffer_elements[inst.buffer];
    access.mode = inst.store_mode;
    std::vector<ScaledTerm> varying;
    access.index = linear_index(form, &varying);
    access.spread = at_least | spread_of(plan_.form_dims(form, tile_, nest_), tile_);
    for (const ScaledTerm& scaled : varying) {
      access.spread = access.spread | term_value(scaled.term).spread;
    }
    if (inst.predicate != kNoInst) {
      const Value predicate = value_of(inst.predicate);
      access.spread = access.spread | predicate.spread;
      access.predicate = predicate.slot;
      if (predicate.spread != Spread::kOne) {
        access.predicate = spread_to(predicate, access.spread, DType::kBool, per_strip);
        access.predicate_spread = access.spread;
      }
    }
    if (!varying.empty()) {
      access.offsets = materialize(access.index, varying, access.spread, per_strip);
      access.index = {};
    }
    if (form.terms.empty()) {
      const auto [low, high] = bounds_of(form);
      access.proven = low >= 0 && high < access.elements;
      const bool runs = nest_.points(false) != 0 &&
                        (!body_.stages[plan_.stage_of[id]].inner || nest_.points(true) != 0);
      if (!access.proven && inst.predicate == kNoInst && runs) {
        return make_status(Diag::kBadPackage,
                           fmt::format("kernel '{}' touches elements {} to {} of a buffer of {}",
                                       input_.kernel->name, static_cast<int64_t>(low),
                                       static_cast<int64_t>(high), access.elements));
      }
    }
    find_flatness(access);
    return access;
  }

  void find_flatness(StripAccess& access) const {
    if (access.offsets != kNoSlot) return;
    const LinearIndex& index = access.index;
    switch (access.spread) {
      case Spread::kOne:
        access.flat = true;
        break;
      case Spread::kRows:
        access.flat = true;
        access.flat_step = index.row_step;
        break;
      case Spread::kCols:
        access.flat = true;
        access.flat_step = index.col_step;
        break;
      case Spread::kTile: {
        // Rows follow one another without a gap, and are never cut.
        const bool whole = tile_.cols == nest_.axes[static_cast<size_t>(tile_.col_axis)].extent;
        access.flat = whole && static_cast<__int128>(index.col_step) * tile_.cols == index.row_step;
        access.flat_step = index.col_step;
        break;
      }
    }
  }

  bool is_contiguous(const StripAccess& access) const {
    return access.flat && (access.flat_step == 1 || access.spread == Spread::kOne) &&
           access.predicate == kNoSlot;
  }

  uint32_t add_access(StripAccess access) {
    program_.accesses.push_back(std::move(access));
    return static_cast<uint32_t>(program_.accesses.size() - 1);
  }

  Status compile_load(InstId id) {
    INGOT_ASSIGN_OR_RETURN(StripAccess access, make_access(id, Spread::kOne));
    access.direct = is_contiguous(access);
    const Value value = new_value(id, access.spread);
    StripOp op{.kind = StripOpKind::kLoad, .spread = access.spread, .dst = value.slot};
    op.extra = add_access(std::move(access));
    ops(runs_per_strip(id)).push_back(op);
    set_value(id, value);
    return ok_status();
  }

  // All dimensions of the points at which `id` runs.
  Spread all_lanes(InstId id) const {
    const bool inner = body_.stages[plan_.stage_of[id]].inner;
    const bool cols = !tile_.cols_are_inner || inner;
    return spread_of(static_cast<uint8_t>(kRowDimension | (cols ? kColDimension : 0)), tile_);
  }

  Status compile_store(InstId id) {
    const Inst& inst = body_.insts[id];
    const Value value = value_of(inst.args[0]);
    const bool combines = inst.store_mode != StoreMode::kSet;
    const Spread least = combines ? all_lanes(id) : value.spread;
    INGOT_ASSIGN_OR_RETURN(StripAccess access, make_access(id, least | value.spread));
    access.direct = is_contiguous(access) && !combines;
    StripOp op{.kind = StripOpKind::kStore, .spread = access.spread};
    op.a = spread_to(value, access.spread, inst.dtype, runs_per_strip(id));
    if (combines && !is_injective(id)) program_.in_order = true;
    if (!combines && uses_values(nest_.index[id])) program_.in_order = true;
    op.extra = add_access(std::move(access));
    ops(runs_per_strip(id)).push_back(op);
    return ok_status();
  }

  bool uses_values(const IndexForm& form) const {
    for (const ScaledTerm& scaled : form.terms) {
      const IndexTerm& term = nest_.terms[scaled.term];
      if (term.value != kNoInst) return true;
      for (const IndexForm& operand : term.operands) {
        if (uses_values(operand)) return true;
      }
    }
    return false;
  }

  // Different points never meet: each stride is longer than all smaller ones reach together.
  bool is_injective(InstId id) const {
    const IndexForm& form = nest_.index[id];
    if (!form.terms.empty()) return false;
    const bool inner = body_.stages[plan_.stage_of[id]].inner;
    std::vector<std::pair<__int128, int64_t>> strides;
    for (size_t k = 0; k < form.axis.size(); ++k) {
      const LoopAxis& axis = nest_.axes[k];
      if (axis.extent <= 1 || (axis.inner && !inner)) continue;
      const __int128 stride = form.axis[k];
      strides.emplace_back(stride < 0 ? -stride : stride, axis.extent);
    }
    std::sort(strides.begin(), strides.end());
    __int128 reach = 0;
    for (const auto& [stride, extent] : strides) {
      if (stride <= reach) return false;
      reach += stride * (extent - 1);
    }
    return true;
  }

  // --- Instructions -----------------------------------------------------------------------------

  Status compile_inst(InstId id) {
    const Inst& inst = body_.insts[id];
    switch (inst.kind) {
      case InstKind::kConst:
        values_[id] = {constant_slot(constant_bits(inst)), Spread::kOne};
        if (runs_per_strip(id)) strip_values_[id] = values_[id];
        return ok_status();
      case InstKind::kIndex:
        set_value(id, compile_index(id));
        return ok_status();
      case InstKind::kLoad:
        return compile_load(id);
      case InstKind::kCompute:
        return compile_compute(id);
      case InstKind::kCast:
      case InstKind::kBitcast:
        return compile_cast(id);
      case InstKind::kReduce:
        return compile_reduce(id);
      case InstKind::kStore:
        return compile_store(id);
      case InstKind::kCheckIndex:
        compile_check(id);
        return ok_status();
      case InstKind::kAccumulator:
        if (program_.accumulator == kNoSlot) {
          program_.accumulator = new_slot(Spread::kOne, 8, SlotUse::kExternal);
        }
        set_value(id, {program_.accumulator, spread_of(kColDimension, tile_)});
        return ok_status();
    }
    return make_status(Diag::kInternal, "an unknown instruction");
  }

  static uint64_t constant_bits(const Inst& inst) {
    switch (inst.dtype) {
      case DType::kBool:
        return inst.constant != 0;
      case DType::kF16:
        return f32_to_f16(static_cast<float>(inst.constant));
      case DType::kBF16:
        return f32_to_bf16(static_cast<float>(inst.constant));
      case DType::kF32:
        return std::bit_cast<uint32_t>(static_cast<float>(inst.constant));
      case DType::kF64:
        return std::bit_cast<uint64_t>(inst.constant);
      default:
        return static_cast<uint64_t>(inst.int_constant);
    }
  }

  Value compile_index(InstId id) {
    // A value that is kept has a slot of its own.
    if (!plan_.kept[id]) return form_value(nest_.index[id], runs_per_strip(id));
    std::vector<ScaledTerm> varying;
    const LinearIndex index = linear_index(nest_.index[id], &varying);
    Spread spread = spread_of(plan_.dims[id], tile_);
    for (const ScaledTerm& scaled : varying) spread = spread | term_value(scaled.term).spread;
    const SlotId computed = materialize(index, varying, spread, true);
    const Value kept = new_value(id, spread);
    inner_block_->ops.push_back({.kind = StripOpKind::kLanes,
                                 .spread = spread,
                                 .dst = kept.slot,
                                 .a = computed,
                                 .b = constant_slot(0),
                                 .lanes = compute_fn(ScalarOp::kAdd, DType::kI64, kUniformB)});
    return kept;
  }

  LaneFn compute_fn(ScalarOp op, DType dtype, int uniform) const {
    if (op == ScalarOp::kSelect) return program_.table->move[log2_bytes(dtype)].select[uniform];
    return program_.table->compute[static_cast<int>(op)][static_cast<int>(dtype)][uniform];
  }

  Status compile_compute(InstId id) {
    const Inst& inst = body_.insts[id];
    const int count = program::operand_count(inst.op);
    Value operands[3];
    Spread spread = Spread::kOne;
    for (int i = 0; i < count; ++i) {
      operands[i] = value_of(inst.args[i]);
      spread = spread | operands[i].spread;
    }
    int uniform = 0;
    for (int i = 0; i < count; ++i) {
      if (operands[i].spread == Spread::kOne && spread != Spread::kOne) uniform |= 1 << i;
    }
    const DType dtype = body_.insts[inst.args[inst.op == ScalarOp::kSelect ? 1 : 0]].dtype;
    // As many operands of one lane as there is a loop for.
    LaneFn best = nullptr;
    int chosen = 0;
    for (int subset = uniform; best == nullptr; subset = (subset - 1) & uniform) {
      best = compute_fn(inst.op, dtype, subset);
      chosen = subset;
      if (subset == 0) break;
    }
    if (best == nullptr) {
      return make_status(
          Diag::kBadPackage,
          fmt::format("{} is not defined on {}", program::to_string(inst.op), to_string(dtype)));
    }
    StripOp op{.kind = StripOpKind::kLanes, .spread = spread, .lanes = best};
    SlotId* slots[] = {&op.a, &op.b, &op.c};
    for (int i = 0; i < count; ++i) {
      const DType operand = body_.insts[inst.args[i]].dtype;
      const bool stays = (chosen >> i & 1) != 0;
      *slots[i] =
          stays ? operands[i].slot : spread_to(operands[i], spread, operand, runs_per_strip(id));
    }
    const Value value = new_value(id, spread);
    op.dst = value.slot;
    ops(runs_per_strip(id)).push_back(op);
    set_value(id, value);
    return ok_status();
  }

  Status compile_cast(InstId id) {
    const Inst& inst = body_.insts[id];
    const Value from = value_of(inst.args[0]);
    const DType from_dtype = body_.insts[inst.args[0]].dtype;
    // To bool, the bits of an integer are not yet 0 or 1.
    const bool same =
        from_dtype == inst.dtype || (inst.kind == InstKind::kBitcast && inst.dtype != DType::kBool);
    if (same) {
      set_value(id, from);
      return ok_status();
    }
    const DType source = inst.kind == InstKind::kBitcast ? DType::kU8 : from_dtype;
    StripOp op{.kind = StripOpKind::kLanes, .spread = from.spread, .a = from.slot};
    op.lanes = program_.table->cast[static_cast<int>(source)][static_cast<int>(inst.dtype)];
    const Value value = new_value(id, from.spread);
    op.dst = value.slot;
    ops(runs_per_strip(id)).push_back(op);
    set_value(id, value);
    return ok_status();
  }

  void compile_check(InstId id) {
    const Inst& inst = body_.insts[id];
    const bool per_strip = runs_per_strip(id);
    const Value extent = form_value(nest_.index[id], per_strip);
    const Value index = value_of(inst.args[0]);
    Spread spread = index.spread | extent.spread;
    Value predicate;
    if (inst.predicate != kNoInst) {
      predicate = value_of(inst.predicate);
      spread = spread | predicate.spread;
    }
    StripOp op{.kind = StripOpKind::kCheck, .spread = spread};
    op.a = spread_to(index, spread, DType::kI64, per_strip);
    op.uniform_b = extent.spread == Spread::kOne;
    op.b = op.uniform_b ? extent.slot : spread_to(extent, spread, DType::kI64, per_strip);
    if (inst.predicate != kNoInst) op.c = spread_to(predicate, spread, DType::kBool, per_strip);
    const Value value = new_value(id, spread);
    op.dst = value.slot;
    ops(per_strip).push_back(op);
    set_value(id, value);
  }

  Status compile_reduce(InstId id) {
    const Inst& inst = body_.insts[id];
    const DType dtype = body_.insts[inst.args[0]].dtype;
    StripFold fold;
    fold.fns = &program_.table->fold[static_cast<int>(inst.reduce)][static_cast<int>(dtype)];
    if (fold.fns->init == nullptr) {
      return make_status(Diag::kBadPackage,
                         fmt::format("{} is not defined on {}", program::to_string(inst.reduce),
                                     to_string(dtype)));
    }
    fold.by_rows = tile_.cols_are_inner && tile_.cols > 1;
    const bool has_points = nest_.points(true) != 0;
    // Without points there is no value: the identity is the same for every lane.
    const Value value = has_points ? value_of(inst.args[0]) : Value{};
    fold.value_spread = fold.by_rows && has_points ? value.spread | Spread::kCols : value.spread;
    fold.result_spread = fold.value_spread;
    if (fold.by_rows) {
      const bool rows = fold.value_spread == Spread::kTile;
      fold.result_spread = rows ? Spread::kRows : Spread::kOne;
    }
    if (has_points) fold.value = spread_to(value, fold.value_spread, dtype, true);
    fold.acc = new_slot(fold.result_spread, size_of(fold.fns->acc_dtype), SlotUse::kFold);
    const bool arg =
        inst.reduce == program::ReduceOp::kArgMin || inst.reduce == program::ReduceOp::kArgMax;
    if (arg) fold.positions = new_slot(fold.result_spread, 8, SlotUse::kFold);
    fold.result = new_slot(fold.result_spread, size_of(inst.dtype));
    per_strip_slot_.back() = false;
    const auto number = static_cast<uint32_t>(program_.folds.size());
    values_[id] = {fold.result, fold.result_spread};
    if (has_points) {
      inner_block_->ops.push_back({.kind = StripOpKind::kFold,
                                   .spread = fold.value_spread,
                                   .a = fold.value,
                                   .extra = number});
    }
    inner_block_->folds.push_back(number);
    program_.folds.push_back(fold);
    return ok_status();
  }

  void set_result() {
    if (body_.insts.empty() || body_.insts.back().kind == InstKind::kStore) return;
    const Value last = value_of(static_cast<InstId>(body_.insts.size() - 1));
    program_.result = last.slot;
    program_.result_spread = last.spread;
    program_.result_dtype = body_.insts.back().dtype;
    if (last.slot != kNoSlot && slots_[last.slot].use == SlotUse::kScratch) {
      slots_[last.slot].use = SlotUse::kPinned;
    }
  }

  const StripCompilerInput& input_;
  const program::Body& body_;
  const LoopNest& nest_;
  const TileShape tile_;
  const StagePlan plan_;
  StripProgram program_;
  std::vector<SlotInfo> slots_;
  std::vector<bool> per_strip_slot_;  // by slot: written for every strip
  std::map<uint64_t, SlotId> constants_;
  // Values and terms that stay for the whole tile, and those of the strip at hand.
  std::vector<Value> values_;
  std::vector<Value> terms_;
  std::map<InstId, Value> strip_values_;
  std::map<TermId, Value> strip_terms_;
  std::map<std::tuple<SlotId, Spread, int>, SlotId> row_spreads_;
  std::map<std::tuple<SlotId, Spread, int>, SlotId> strip_spreads_;
  std::vector<StripOp> row_ops_;
  StripBlock* inner_block_ = nullptr;
};

}  // namespace

Result<StripProgram> compile_strips(const StripCompilerInput& input) {
  return StripCompiler(input).compile();
}

}  // namespace ingot::runtime::cpu
