#include "runtime/cpu/strip_machine.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "support/diagnostics.h"

namespace ingot::runtime::cpu {
namespace {

constexpr size_t kAlignment = 64;
// Room for the offsets of one strip, before the program's own scratch memory.
constexpr size_t kOffsetBytes = kMaxLanes * sizeof(int64_t);

int64_t wrap_add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t wrap_mul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

}  // namespace

StripScratch& StripScratch::of_thread() {
  thread_local StripScratch scratch;
  return scratch;
}

void StripScratch::Free::operator()(std::byte* block) const { std::free(block); }

std::byte* StripScratch::reserve(size_t bytes) {
  // Grown in steps, for programs that alternate.
  constexpr size_t kStep = 64 * 1024;
  if (bytes > bytes_) {
    const size_t rounded = (bytes + kStep - 1) / kStep * kStep;
    auto* block = static_cast<std::byte*>(std::aligned_alloc(kAlignment, rounded));
    if (block == nullptr) return nullptr;
    memory_.reset(block);
    bytes_ = rounded;
    ready_for = 0;
  }
  return memory_.get();
}

StripMachine::StripMachine(const StripProgram& program, std::span<void* const> buffers,
                           KernelFailure& failure)
    : program_(program), table_(*program.table), buffers_(buffers), failure_(failure) {
  start();
}

void StripMachine::start() {
  StripScratch& scratch = StripScratch::of_thread();
  const auto bytes = static_cast<size_t>(program_.scratch_bytes);
  std::byte* const memory = scratch.reserve(kOffsetBytes + bytes);
  if (memory == nullptr) {
    failure_.report(make_status(Diag::kOutOfMemory,
                                fmt::format("cannot allocate {} bytes of scratch memory", bytes)));
    return;
  }
  offsets_ = reinterpret_cast<int64_t*>(memory);
  memory_ = memory + kOffsetBytes;
  const bool placed = scratch.ready_for == program_.identity;
  if (!placed) {
    scratch.slots().resize(std::max<size_t>(scratch.slots().size(), program_.slots));
    scratch.coordinates().resize(std::max(scratch.coordinates().size(), program_.axes.size()));
  }
  slots_ = scratch.slots().data();
  coordinates_ = scratch.coordinates().data();
  if (!placed) place_slots();
  scratch.ready_for = program_.identity;
}

void StripMachine::place_slots() {
  for (uint32_t slot = 0; slot < program_.slots; ++slot) {
    const int64_t offset = program_.slot_offsets[slot];
    slots_[slot] = offset < 0 ? nullptr : memory_ + offset;
  }
  for (const ConstantSlot& constant : program_.constants) {
    std::memcpy(slots_[constant.slot], &constant.bits, sizeof(constant.bits));
  }
  set_counts(program_.tile.rows, program_.tile.cols);
  for (const StripOp& op : program_.prologue) spread(op);
}

void StripMachine::set_counts(int64_t rows, int64_t cols) {
  counts_[static_cast<int>(Spread::kRows)] = rows;
  counts_[static_cast<int>(Spread::kCols)] = cols;
  counts_[static_cast<int>(Spread::kTile)] = rows * cols;
}

bool StripMachine::run_tile(int64_t rows, int64_t cols) {
  for (const StripBlock& block : program_.blocks) {
    set_counts(rows, cols);
    if (!(block.inner ? run_inner(block) : run_ops(block.ops))) return false;
  }
  return true;
}

bool StripMachine::run_ops(const std::vector<StripOp>& ops) {
  for (const StripOp& op : ops) {
    if (op.kind == StripOpKind::kLanes) {
      op.lanes(slots_[op.dst], op.a == kNoSlot ? nullptr : slots_[op.a],
               op.b == kNoSlot ? nullptr : slots_[op.b], op.c == kNoSlot ? nullptr : slots_[op.c],
               count(op.spread));
      continue;
    }
    if (!run_op(op)) return false;
  }
  return true;
}

bool StripMachine::run_op(const StripOp& op) {
  switch (op.kind) {
    case StripOpKind::kLanes:
      break;
    case StripOpKind::kBroadcast:
    case StripOpKind::kRepeatEach:
    case StripOpKind::kTileCols:
      spread(op);
      break;
    case StripOpKind::kLoad:
      return load(op);
    case StripOpKind::kStore:
      return store(op);
    case StripOpKind::kPlace:
      return place(op);
    case StripOpKind::kFold:
      fold(op);
      break;
    case StripOpKind::kAffine: {
      const LinearIndex& index = program_.indices[op.extra];
      const bool by_rows = op.spread == Spread::kRows;
      const int64_t rows = op.spread == Spread::kTile ? count(Spread::kRows) : 1;
      table_.index.affine(slot<int64_t>(op.dst), first_of(index), index.row_step,
                          by_rows ? index.row_step : index.col_step, rows, count(op.spread) / rows);
      break;
    }
    case StripOpKind::kAddScaled:
      table_.index.add_scaled(slot<int64_t>(op.dst), slot<int64_t>(op.a), op.number,
                              count(op.spread));
      break;
    case StripOpKind::kDivide:
      table_.index.floor_div(slot<int64_t>(op.dst), slot<int64_t>(op.a), op.number,
                             count(op.spread));
      break;
    case StripOpKind::kModulo:
      table_.index.mod(slot<int64_t>(op.dst), slot<int64_t>(op.a), op.number, count(op.spread));
      break;
    case StripOpKind::kCheck:
      return check(op);
  }
  return true;
}

void StripMachine::spread(const StripOp& op) {
  const MoveFns& move = table_.move[op.log2_bytes];
  if (op.kind == StripOpKind::kBroadcast) {
    move.broadcast(slots_[op.dst], slots_[op.a], count(op.spread));
  } else if (op.kind == StripOpKind::kRepeatEach) {
    move.repeat_each(slots_[op.dst], slots_[op.a], count(Spread::kRows), count(Spread::kCols));
  } else {
    move.tile(slots_[op.dst], slots_[op.a], count(Spread::kRows), count(Spread::kCols));
  }
}

// --- Inner blocks -------------------------------------------------------------------------------

bool StripMachine::run_inner(const StripBlock& block) {
  for (const uint32_t f : block.folds) {
    const StripFold& fold = program_.folds[f];
    fold.fns->init(slots_[fold.acc],
                   fold.positions == kNoSlot ? nullptr : slot<int64_t>(fold.positions),
                   count(fold.result_spread));
  }
  if (!run_strips(block)) return false;
  for (const uint32_t f : block.folds) {
    const StripFold& fold = program_.folds[f];
    fold.fns->finish(slots_[fold.result], slots_[fold.acc],
                     fold.positions == kNoSlot ? nullptr : slot<int64_t>(fold.positions),
                     count(fold.result_spread));
  }
  return true;
}

bool StripMachine::run_strips(const StripBlock& block) {
  const TileShape& tile = program_.tile;
  const size_t axes = program_.axes.size();
  size_t first_inner = 0;
  while (first_inner < axes && !program_.axes[first_inner].inner) ++first_inner;
  for (size_t k = first_inner; k < axes; ++k) {
    if (program_.axes[k].extent == 0) return true;
    coordinates_[k] = 0;
  }
  const int64_t rows = count(Spread::kRows);
  const int64_t cols = count(Spread::kCols);
  position_ = 0;
  for (int64_t strip = 0;; ++strip) {
    if (!program_.kept.empty()) step_kept(strip);
    if (tile.cols_are_inner) {
      const int64_t left = program_.axes[axes - 1].extent - coordinates_[axes - 1];
      set_counts(rows, std::min(tile.cols, left));
    }
    if (!run_ops(block.ops)) return false;
    // The next strip: the last inner axis goes fastest, by whole strips if columns run along it.
    size_t k = axes;
    while (k > first_inner) {
      --k;
      const int64_t step = tile.cols_are_inner && k == axes - 1 ? tile.cols : 1;
      coordinates_[k] += step;
      position_ += step * program_.inner_strides[k];
      if (coordinates_[k] < program_.axes[k].extent) break;
      position_ -= coordinates_[k] * program_.inner_strides[k];
      coordinates_[k] = 0;
      if (k == first_inner) {
        set_counts(rows, cols);
        return true;
      }
    }
    if (first_inner == axes) return true;
  }
}

void StripMachine::step_kept(int64_t strip) {
  for (const KeptSlot& kept : program_.kept) {
    slots_[kept.slot] = memory_ + kept.offset + strip * kept.strip_bytes;
  }
}

void StripMachine::fold(const StripOp& op) {
  const StripFold& fold = program_.folds[op.extra];
  FoldStep step{.acc = slots_[fold.acc],
                .positions = fold.positions == kNoSlot ? nullptr : slot<int64_t>(fold.positions),
                .values = slots_[op.a],
                .rows = 1,
                .cols = count(op.spread),
                .position = position_};
  if (!fold.by_rows) return fold.fns->lanes(step);
  if (fold.value_spread == Spread::kTile) {
    step.rows = count(Spread::kRows);
    step.cols = count(Spread::kCols);
  }
  fold.fns->rows(step);
}

// --- Memory -------------------------------------------------------------------------------------

int64_t StripMachine::first_of(const LinearIndex& index) const {
  int64_t first = index.constant;
  for (const AxisStep& axis : index.axes) {
    first = wrap_add(first, wrap_mul(axis.step, coordinates_[axis.axis]));
  }
  for (const LinearIndex::Uniform& uniform : index.uniforms) {
    first = wrap_add(first, wrap_mul(uniform.scale, *slot<int64_t>(uniform.slot)));
  }
  return first;
}

StripMachine::Window StripMachine::window_of(const StripAccess& access) const {
  Window window{.base = first_of(access.index),
                .row_step = access.index.row_step,
                .col_step = access.index.col_step,
                .rows = 1,
                .cols = count(access.spread)};
  if (access.flat) {
    window.col_step = access.flat_step;
  } else {
    window.rows = count(Spread::kRows);
    window.cols = count(Spread::kCols);
  }
  return window;
}

bool StripMachine::is_inside(const StripAccess& access, const Window& window) const {
  if (access.proven) return true;
  const __int128 down = static_cast<__int128>(window.row_step) * (window.rows - 1);
  const __int128 along = static_cast<__int128>(window.col_step) * (window.cols - 1);
  const __int128 base = window.base;
  return base + std::min<__int128>(down, 0) + std::min<__int128>(along, 0) >= 0 &&
         base + std::max<__int128>(down, 0) + std::max<__int128>(along, 0) < access.elements;
}

bool StripMachine::report_outside(const StripAccess& access) {
  failure_.report(make_status(
      Diag::kBadPackage,
      fmt::format("a kernel's access is outside its buffer of {} elements", access.elements)));
  return false;
}

const int64_t* StripMachine::checked_offsets(const StripAccess& access, const uint8_t* mask) {
  const int64_t n = count(access.spread);
  const int64_t* offsets = offsets_;
  if (access.offsets != kNoSlot) {
    offsets = slot<int64_t>(access.offsets);
  } else {
    const Window window = window_of(access);
    table_.index.affine(offsets_, window.base, window.row_step, window.col_step, window.rows,
                        window.cols);
  }
  int64_t low = 0;
  int64_t high = 0;
  if (table_.index.range(offsets, mask, n, &low, &high) && (low < 0 || high >= access.elements)) {
    report_outside(access);
    return nullptr;
  }
  return offsets;
}

bool StripMachine::any_active(const StripAccess& access, const uint8_t** mask) const {
  if (access.predicate == kNoSlot) return true;
  const uint8_t* predicate = slot<uint8_t>(access.predicate);
  if (access.predicate_spread == Spread::kOne) return *predicate != 0;
  switch (table_.mask_state(predicate, count(access.spread))) {
    case MaskState::kNone:
      return false;
    case MaskState::kSome:
      *mask = predicate;
      return true;
    case MaskState::kAll:
      break;
  }
  return true;
}

bool StripMachine::load(const StripOp& op) {
  const StripAccess& access = program_.accesses[op.extra];
  const int log2 = log2_bytes(access.dtype);
  const MoveFns& move = table_.move[log2];
  const int64_t n = count(access.spread);
  auto* const buffer = static_cast<std::byte*>(buffers_[access.buffer]);
  const uint8_t* mask = nullptr;
  if (!any_active(access, &mask)) {
    std::memset(slots_[op.dst], 0, static_cast<size_t>(n) << log2);
    return true;
  }
  if (access.offsets == kNoSlot) {
    const Window window = window_of(access);
    if (is_inside(access, window)) {
      std::byte* const first = buffer + window.base * (int64_t{1} << log2);
      if (access.direct) {
        slots_[op.dst] = first;
        return true;
      }
      move.load(slots_[op.dst], first, window.row_step, window.col_step, window.rows, window.cols);
      // What lies under an inactive lane may be read, being inside the buffer, but gives 0.
      if (mask != nullptr) move.clear_masked(slots_[op.dst], mask, n);
      return true;
    }
    if (mask == nullptr) return report_outside(access);
  }
  const int64_t* const offsets = checked_offsets(access, mask);
  if (offsets == nullptr) return false;
  if (mask == nullptr) {
    move.gather(slots_[op.dst], buffer, offsets, n);
  } else {
    move.gather_masked(slots_[op.dst], buffer, offsets, mask, n);
  }
  return true;
}

bool StripMachine::store(const StripOp& op) {
  const StripAccess& access = program_.accesses[op.extra];
  const uint8_t* mask = nullptr;
  if (!any_active(access, &mask)) return true;
  const bool sets = access.mode == program::StoreMode::kSet;
  if (access.offsets != kNoSlot || mask != nullptr || !sets) {
    return scatter(access, slots_[op.a], mask);
  }
  const Window window = window_of(access);
  if (!is_inside(access, window)) return report_outside(access);
  const int log2 = log2_bytes(access.dtype);
  table_.move[log2].store(
      static_cast<std::byte*>(buffers_[access.buffer]) + window.base * (int64_t{1} << log2),
      slots_[op.a], window.row_step, window.col_step, window.rows, window.cols);
  return true;
}

bool StripMachine::scatter(const StripAccess& access, const void* values, const uint8_t* mask) {
  const int64_t* const offsets = checked_offsets(access, mask);
  if (offsets == nullptr) return false;
  const int64_t n = count(access.spread);
  void* const buffer = buffers_[access.buffer];
  const MoveFns& move = table_.move[log2_bytes(access.dtype)];
  if (access.mode != program::StoreMode::kSet) {
    table_.combine[static_cast<int>(access.mode)][static_cast<int>(access.dtype)](buffer, values,
                                                                                  offsets, mask, n);
  } else if (mask != nullptr) {
    move.scatter_masked(buffer, values, offsets, mask, n);
  } else {
    move.scatter(buffer, values, offsets, n);
  }
  return true;
}

bool StripMachine::place(const StripOp& op) {
  const StripAccess& access = program_.accesses[op.extra];
  const Window window = window_of(access);
  if (!is_inside(access, window)) return report_outside(access);
  slots_[op.dst] = static_cast<std::byte*>(buffers_[access.buffer]) +
                   window.base * (int64_t{1} << log2_bytes(access.dtype));
  return true;
}

bool StripMachine::check(const StripOp& op) {
  const int64_t* index = slot<int64_t>(op.a);
  const int64_t* extent = slot<int64_t>(op.b);
  const uint8_t* mask = op.c == kNoSlot ? nullptr : slot<uint8_t>(op.c);
  const int64_t bad = table_.index.check(slot<int64_t>(op.dst), index, extent, op.uniform_b, mask,
                                         count(op.spread));
  if (bad < 0) return true;
  failure_.report(make_status(Diag::kIndexRange,
                              fmt::format("index {} is out of bounds for size {}", index[bad],
                                          op.uniform_b ? *extent : extent[bad])));
  return false;
}

}  // namespace ingot::runtime::cpu
