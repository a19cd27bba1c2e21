#include "runtime/cpu/slot_layout.h"

#include <algorithm>

namespace ingot::runtime::cpu {
namespace {

constexpr int64_t kAlignment = 64;

int64_t align(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

// Calls visit on every slot that the operation reads.
template <typename Visit>
void for_each_read(const StripProgram& program, const StripOp& op, Visit&& visit) {
  const auto read = [&](SlotId slot) {
    if (slot != kNoSlot) visit(slot);
  };
  const auto read_index = [&](const LinearIndex& index) {
    for (const LinearIndex::Uniform& uniform : index.uniforms) read(uniform.slot);
  };
  read(op.a);
  read(op.b);
  read(op.c);
  switch (op.kind) {
    case StripOpKind::kLoad:
    case StripOpKind::kStore:
    case StripOpKind::kPlace: {
      const StripAccess& access = program.accesses[op.extra];
      read_index(access.index);
      read(access.offsets);
      read(access.predicate);
      break;
    }
    case StripOpKind::kAffine:
      read_index(program.indices[op.extra]);
      break;
    case StripOpKind::kAddScaled:
      read(op.dst);
      break;
    default:
      break;
  }
}

class SlotLayout {
 public:
  SlotLayout(std::vector<SlotInfo>& slots, StripProgram& program)
      : slots_(slots), program_(program) {}

  void run() {
    find_homes();
    for (uint32_t b = 0; b < program_.blocks.size(); ++b) {
      place_stores(b);
      settle_loads(b);
    }
    find_lifetimes();
    assign_offsets();
  }

 private:
  // Which block writes a slot, and whether others read it.
  void find_homes() {
    home_.assign(slots_.size(), kNowhere);
    shared_.assign(slots_.size(), false);
    direct_.assign(slots_.size(), false);
    for (uint32_t b = 0; b < program_.blocks.size(); ++b) {
      for (const StripOp& op : program_.blocks[b].ops) {
        if (op.dst != kNoSlot && home_[op.dst] == kNowhere) home_[op.dst] = b;
      }
    }
    for (uint32_t b = 0; b < program_.blocks.size(); ++b) {
      for (const StripOp& op : program_.blocks[b].ops) {
        for_each_read(program_, op,
                      [&](SlotId slot) { shared_[slot] = shared_[slot] || home_[slot] != b; });
      }
    }
  }

  // A store's value is computed where it belongs, if nothing is loaded or stored in between.
  void place_stores(uint32_t b) {
    std::vector<StripOp>& ops = program_.blocks[b].ops;
    for (size_t s = 0; s < ops.size(); ++s) {
      if (ops[s].kind != StripOpKind::kStore || !program_.accesses[ops[s].extra].direct) continue;
      const SlotId value = ops[s].a;
      if (slots_[value].use != SlotUse::kScratch || shared_[value] || home_[value] != b ||
          direct_[value]) {
        continue;
      }
      size_t p = s;
      bool clear = true;
      while (p-- > 0 && ops[p].dst != value) {
        const StripOpKind kind = ops[p].kind;
        clear = clear && kind != StripOpKind::kLoad && kind != StripOpKind::kStore &&
                kind != StripOpKind::kPlace;
      }
      if (!clear || ops[p].kind != StripOpKind::kLanes || ops[p].spread != ops[s].spread) continue;
      StripOp place = ops[s];
      place.kind = StripOpKind::kPlace;
      place.dst = value;
      place.a = kNoSlot;
      ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(s));
      ops.insert(ops.begin() + static_cast<std::ptrdiff_t>(p), place);
      direct_[value] = true;
    }
  }

  // A contiguous load needs no copy unless its memory may be written before its last use.
  void settle_loads(uint32_t b) {
    std::vector<StripOp>& ops = program_.blocks[b].ops;
    for (size_t l = 0; l < ops.size(); ++l) {
      if (ops[l].kind != StripOpKind::kLoad) continue;
      StripAccess& access = program_.accesses[ops[l].extra];
      const SlotId slot = ops[l].dst;
      if (access.direct) {
        access.direct = slots_[slot].use == SlotUse::kScratch && !shared_[slot] &&
                        !written_before_last_use(ops, l);
      }
      if (access.direct) direct_[slot] = true;
    }
  }

  bool written_before_last_use(const std::vector<StripOp>& ops, size_t load) const {
    bool written = false;
    for (size_t i = load + 1; i < ops.size(); ++i) {
      bool used = false;
      for_each_read(program_, ops[i], [&](SlotId slot) { used = used || slot == ops[load].dst; });
      if (used && written) return true;
      const bool stores = ops[i].kind == StripOpKind::kStore;
      const bool placed = ops[i].kind == StripOpKind::kLanes && direct_[ops[i].dst];
      written = written || stores || placed;
    }
    return false;
  }

  // Positions count the operations of all blocks; an inner block repeats, so what comes from
  // outside it lives to its end.
  void find_lifetimes() {
    first_.assign(slots_.size(), kNever);
    last_.assign(slots_.size(), -1);
    int64_t position = 0;
    for (uint32_t b = 0; b < program_.blocks.size(); ++b) {
      const StripBlock& block = program_.blocks[b];
      const int64_t start = position;
      const int64_t end = start + static_cast<int64_t>(block.ops.size()) + 1;
      for (const uint32_t f : block.folds) {
        const StripFold& fold = program_.folds[f];
        for (const SlotId slot : {fold.acc, fold.positions, fold.result}) {
          if (slot == kNoSlot) continue;
          extend(slot, start);
          extend(slot, end);
        }
      }
      for (const StripOp& op : block.ops) {
        ++position;
        if (op.dst != kNoSlot) extend(op.dst, position);
        for_each_read(program_, op, [&](SlotId slot) {
          extend(slot, block.inner && home_[slot] != b ? end : position);
        });
      }
      position = end;
    }
  }

  void extend(SlotId slot, int64_t position) {
    first_[slot] = std::min(first_[slot], position);
    last_[slot] = std::max(last_[slot], position);
  }

  void assign_offsets() {
    program_.slots = static_cast<uint32_t>(slots_.size());
    program_.slot_offsets.assign(slots_.size(), -1);
    std::vector<SlotId> order;
    int64_t end = 0;
    for (SlotId slot = 0; slot < slots_.size(); ++slot) {
      if (slots_[slot].use == SlotUse::kPinned) {
        program_.slot_offsets[slot] = end;
        end += align(slots_[slot].bytes);
      } else if ((slots_[slot].use == SlotUse::kScratch || slots_[slot].use == SlotUse::kFold) &&
                 !direct_[slot] && last_[slot] >= 0) {
        order.push_back(slot);
      }
    }
    std::sort(order.begin(), order.end(), [&](SlotId a, SlotId b) {
      return std::pair(first_[a], a) < std::pair(first_[b], b);
    });
    program_.scratch_bytes = end;
    std::vector<SlotId> live;
    for (const SlotId slot : order) {
      std::erase_if(live, [&](SlotId other) { return last_[other] < first_[slot]; });
      place(slot, end, live);
      live.push_back(slot);
    }
    for (KeptSlot& kept : program_.kept) {
      kept.strip_bytes = align(kept.strip_bytes);
      kept.offset = program_.scratch_bytes;
      program_.scratch_bytes += kept.strip_bytes * strips_per_tile();
    }
  }

  // The lowest gap between the live slots from `base` on.
  void place(SlotId slot, int64_t base, const std::vector<SlotId>& live) {
    std::vector<std::pair<int64_t, int64_t>> taken;
    for (const SlotId other : live) {
      const int64_t offset = program_.slot_offsets[other];
      taken.emplace_back(offset, offset + align(slots_[other].bytes));
    }
    std::sort(taken.begin(), taken.end());
    int64_t offset = base;
    const int64_t bytes = align(slots_[slot].bytes);
    for (const auto& [from, to] : taken) {
      if (offset + bytes <= from) break;
      offset = std::max(offset, to);
    }
    program_.slot_offsets[slot] = offset;
    program_.scratch_bytes = std::max(program_.scratch_bytes, offset + bytes);
  }

  int64_t strips_per_tile() const {
    int64_t strips = 1;
    for (size_t k = 0; k < program_.axes.size(); ++k) {
      const LoopAxis& axis = program_.axes[k];
      if (!axis.inner) continue;
      const bool is_col = static_cast<int>(k) == program_.tile.col_axis;
      strips *= is_col ? (axis.extent + program_.tile.cols - 1) / program_.tile.cols : axis.extent;
    }
    return strips;
  }

  static constexpr uint32_t kNowhere = UINT32_MAX;
  static constexpr int64_t kNever = INT64_MAX;

  std::vector<SlotInfo>& slots_;
  StripProgram& program_;
  std::vector<uint32_t> home_;
  std::vector<bool> shared_;
  std::vector<bool> direct_;
  std::vector<int64_t> first_;
  std::vector<int64_t> last_;
};

}  // namespace

void layout_slots(std::vector<SlotInfo>& slots, StripProgram& program) {
  SlotLayout(slots, program).run();
}

}  // namespace ingot::runtime::cpu
