// The tensors that a model keeps between runs: key-value caches, running statistics.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/core/block.h"
#include "runtime/core/loaded_program.h"

namespace ingot::runtime {

// Positions in Program::weights of the plan's states, in the order of their buffers.
std::vector<uint32_t> state_weights(const program::Plan& plan);

// One context's states, row-major on the device, by PyTorch name. They start as the weights of that
// name.
class StateStore {
 public:
  // Allocates and fills every state of the program's plan.
  static Result<StateStore> create(const LoadedProgram& program, Queue& queue);

  size_t size() const { return states_.size(); }
  const program::Weight& description(size_t index) const { return *states_[index].weight; }
  // By plan buffer; null for buffers that are no state.
  void* buffer(program::BufferIndex index) const { return buffers_[index]; }

  // Back to the weight's values.
  Status reset(const LoadedProgram& program, std::string_view name, Queue& queue);
  Status reset_all(const LoadedProgram& program, Queue& queue);
  // Copies to and from host memory of the state's dtype and sizes, at any strides. Both return when
  // the copy is done.
  Status read(const LoadedProgram& program, std::string_view name, const TensorView& host,
              Queue& queue) const;
  Status write(const LoadedProgram& program, std::string_view name, const TensorView& host,
               Queue& queue);

 private:
  struct State {
    const program::Weight* weight = nullptr;
    uint32_t source = 0;  // position in Program::weights
    Block block;
  };

  const State* find_by_name(const LoadedProgram& program, std::string_view name) const;
  // kState when there is none, or when `host` (may be null) is not of its dtype and sizes.
  Result<const State*> find(const LoadedProgram& program, std::string_view name,
                            const TensorView* host) const;
  static TensorView view(const LoadedProgram& program, const State& state);
  static Status initialise(const LoadedProgram& program, const State& state, Queue& queue);

  std::vector<State> states_;
  std::vector<void*> buffers_;
};

}  // namespace ingot::runtime
