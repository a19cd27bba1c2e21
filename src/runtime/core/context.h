// One caller's use of a loaded program: its states, its scratch memory, its runs.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/core/arguments.h"
#include "runtime/core/loaded_program.h"
#include "runtime/core/output_pool.h"
#include "runtime/core/segment_cache.h"
#include "runtime/core/state.h"

namespace ingot::runtime {

// Where one output goes, and what it is after the run.
struct OutputSlot {
  const TensorView* destination = nullptr;  // the caller's tensor; null: lend one of the pool
  OutputHandle tensor;                      // set for a tensor without destination
  program::Literal literal;                 // the value of a kLiteral or (as kInt) kScalar output
};

// Cheap. One thread at a time: a second one meanwhile gets an error. Contexts of one program run at
// the same time on different threads.
class Context {
 public:
  static Result<std::unique_ptr<Context>> create(std::shared_ptr<const LoadedProgram> program);
  ~Context();

  const LoadedProgram& loaded() const { return *program_; }

  // Runs the model once. `outputs` has one slot per Program::outputs, or is empty for nobody's
  // interest. Inputs that the model mutates are written in place. Returns when the results are
  // there. After a failed run the states hold whatever the steps before the failure left.
  Status run(std::span<const Argument> arguments, std::span<OutputSlot> outputs);

  size_t state_count() const { return states_.size(); }
  // Name, dtype and sizes of a state.
  const program::Weight& state(size_t index) const { return states_.description(index); }
  Status reset_state(std::string_view name);
  Status reset_states();
  Status read_state(std::string_view name, const TensorView& host);
  Status write_state(std::string_view name, const TensorView& host);

  size_t arena_bytes() const { return arena_.bytes(); }

 private:
  // A copy that a tensor of the caller needs, kept so that its memory is used again.
  struct Staging {
    Block block;
    bool used = false;  // in this run
  };

  explicit Context(std::shared_ptr<const LoadedProgram> program);

  Status run_alone(std::span<const Argument> arguments, std::span<OutputSlot> outputs);
  Result<Segment*> first_segment();
  Result<Segment*> next_segment(const Segment& segment);
  Status stage_inputs();
  bool needs_staging(size_t input) const;
  Status prepare_outputs(const Segment& segment, std::span<OutputSlot> outputs);
  Status prepare_output(size_t index, const Segment& segment, OutputSlot& slot);
  bool can_write_directly(const TensorView& destination) const;
  Status grow_arena(size_t bytes, size_t keep_bytes);
  void point_buffers(const Segment& segment);
  Status finish(std::span<OutputSlot> outputs);

  std::shared_ptr<const LoadedProgram> program_;
  std::unique_ptr<Queue> queue_;
  StateStore states_;
  std::shared_ptr<OutputPool> pool_;
  SegmentCache segments_;
  Block arena_;
  std::atomic<bool> busy_{false};

  // Of the run in progress; kept so that their memory is used again.
  std::shared_ptr<const WeightSet> weights_;
  MatchedArguments matched_;
  std::vector<int64_t> key_;
  std::vector<void*> inputs_;       // by Program::inputs: what kernels use
  std::vector<Staging> staging_;    // by Program::inputs
  std::vector<void*> outputs_;      // by Program::outputs
  std::vector<OutputHandle> lent_;  // by Program::outputs: to hand over or to copy from
  std::vector<void*> pointers_;     // by plan buffer
  std::vector<void*> scratch_;
};

}  // namespace ingot::runtime
