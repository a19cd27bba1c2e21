// Runs strip programs on the calling thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/cpu/kernel_failure.h"
#include "runtime/cpu/strip_program.h"

namespace ingot::runtime::cpu {

// Scratch memory that only grows: in the steady state nothing is allocated.
class StripScratch {
 public:
  // The calling thread's.
  static StripScratch& of_thread();

  std::byte* reserve(size_t bytes);
  // The program whose slots and constants are in place, by StripProgram::identity; 0 for none.
  uint64_t ready_for = 0;
  std::vector<void*>& slots() { return slots_; }
  std::vector<int64_t>& coordinates() { return coordinates_; }

 private:
  struct Free {
    void operator()(std::byte* block) const;
  };
  std::unique_ptr<std::byte, Free> memory_;
  size_t bytes_ = 0;
  std::vector<void*> slots_;
  std::vector<int64_t> coordinates_;
};

// Uses the thread's scratch memory: one machine at a time on a thread.
class StripMachine {
 public:
  StripMachine(const StripProgram& program, std::span<void* const> buffers, KernelFailure& failure);

  // False when there was no memory, which has been reported.
  bool is_ready() const { return memory_ != nullptr; }
  // Coordinates of the tile's first point, by axis; inner ones are the machine's business.
  std::span<int64_t> coordinates() { return {coordinates_, program_.axes.size()}; }
  // Where the accumulators of the tile to come are.
  void set_accumulators(const void* values) {
    slots_[program_.accumulator] = const_cast<void*>(values);
  }

  // Runs the tile of rows × cols points at the coordinates; false once something failed.
  bool run_tile(int64_t rows, int64_t cols);

  // The address of the program's result.
  const void* result() const { return slots_[program_.result]; }

 private:
  void start();
  void place_slots();
  void set_counts(int64_t rows, int64_t cols);
  bool run_ops(const std::vector<StripOp>& ops);
  bool run_op(const StripOp& op);
  bool run_inner(const StripBlock& block);
  bool run_strips(const StripBlock& block);
  void step_kept(int64_t strip);
  void spread(const StripOp& op);
  void fold(const StripOp& op);
  bool check(const StripOp& op);
  bool load(const StripOp& op);
  bool store(const StripOp& op);
  bool place(const StripOp& op);
  bool scatter(const StripAccess& access, const void* values, const uint8_t* mask);

  int64_t first_of(const LinearIndex& index) const;
  // Steps and counts of an access that is not by offsets.
  struct Window {
    int64_t base = 0;
    int64_t row_step = 0;
    int64_t col_step = 0;
    int64_t rows = 1;
    int64_t cols = 1;
  };
  Window window_of(const StripAccess& access) const;
  bool is_inside(const StripAccess& access, const Window& window) const;
  // The offsets of all lanes, checked; null (and reported) if one that counts is outside.
  const int64_t* checked_offsets(const StripAccess& access, const uint8_t* mask);
  bool report_outside(const StripAccess& access);
  // Resolves the predicate: whether any lane counts, and the mask if not all do.
  bool any_active(const StripAccess& access, const uint8_t** mask) const;

  template <typename T>
  T* slot(SlotId id) const {
    return static_cast<T*>(slots_[id]);
  }
  int64_t count(Spread spread) const { return counts_[static_cast<int>(spread)]; }

  const StripProgram& program_;
  const LaneTable& table_;
  std::span<void* const> buffers_;
  KernelFailure& failure_;
  std::byte* memory_ = nullptr;
  void** slots_ = nullptr;
  int64_t* coordinates_ = nullptr;
  int64_t* offsets_ = nullptr;
  int64_t counts_[kSpreads] = {1, 1, 1, 1};
  int64_t position_ = 0;  // row-major over the inner axes, of the strip's first point
};

}  // namespace ingot::runtime::cpu
