#include "runtime/core/state.h"

#include <fmt/core.h>

#include <algorithm>

#include "runtime/core/transfer.h"
#include "support/diagnostics.h"

namespace ingot::runtime {

TensorView StateStore::view(const LoadedProgram& program, const State& state) {
  return {state.block.data(),
          state.weight->dtype,
          program.device()->id(),
          state.weight->sizes,
          {},
          false};
}

Status StateStore::initialise(const LoadedProgram& program, const State& state, Queue& queue) {
  // The version must stay alive until the copy has run.
  const std::shared_ptr<const WeightSet> weights = program.weights();
  INGOT_RETURN_IF_ERROR(copy_tensor(queue, weights->weight(state.source), view(program, state)));
  return queue.synchronize();
}

Result<StateStore> StateStore::create(const LoadedProgram& program, Queue& queue) {
  StateStore store;
  const auto& buffers = program.plan().buffers;
  store.buffers_.assign(buffers.size(), nullptr);
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].kind != program::BufferKind::kState) continue;
    const uint32_t source = buffers[i].source;
    auto it = std::find_if(store.states_.begin(), store.states_.end(),
                           [source](const State& state) { return state.source == source; });
    if (it == store.states_.end()) {
      State state{&program.program().weights[source], source, {}};
      const auto bytes =
          static_cast<size_t>(element_count(state.weight->sizes) * size_of(state.weight->dtype));
      INGOT_ASSIGN_OR_RETURN(state.block, Block::allocate(program.device(), bytes));
      INGOT_RETURN_IF_ERROR(initialise(program, state, queue));
      it = store.states_.insert(store.states_.end(), std::move(state));
    }
    store.buffers_[i] = it->block.data();
  }
  return store;
}

Result<const StateStore::State*> StateStore::find(std::string_view name,
                                                  const TensorView* host) const {
  for (const State& state : states_) {
    const program::Weight& weight = *state.weight;
    if (weight.name != name) continue;
    if (host == nullptr ||
        (host->dtype == weight.dtype && std::equal(weight.sizes.begin(), weight.sizes.end(),
                                                   host->sizes.begin(), host->sizes.end()))) {
      return &state;
    }
    return make_status(Diag::kState, fmt::format("state '{}' is {}, the tensor is {}", name,
                                                 describe(weight.dtype, weight.sizes),
                                                 describe(host->dtype, host->sizes)));
  }
  std::string names;
  for (const State& state : states_) names += (names.empty() ? "" : ", ") + state.weight->name;
  return make_status(Diag::kState, fmt::format("the program has no state '{}'; it has: {}", name,
                                               names.empty() ? "none" : names));
}

Status StateStore::reset(const LoadedProgram& program, std::string_view name, Queue& queue) {
  if (!name.empty()) {
    INGOT_ASSIGN_OR_RETURN(const State* state, find(name, nullptr));
    return initialise(program, *state, queue);
  }
  for (const State& state : states_) INGOT_RETURN_IF_ERROR(initialise(program, state, queue));
  return ok_status();
}

Status StateStore::read(const LoadedProgram& program, std::string_view name, const TensorView& host,
                        Queue& queue) const {
  INGOT_ASSIGN_OR_RETURN(const State* state, find(name, &host));
  return download_tensor(program.device(), queue, view(program, *state), host);
}

Status StateStore::write(const LoadedProgram& program, std::string_view name,
                         const TensorView& host, Queue& queue) {
  INGOT_ASSIGN_OR_RETURN(const State* state, find(name, &host));
  return upload_tensor(program.device(), queue, host, view(program, *state));
}

}  // namespace ingot::runtime
