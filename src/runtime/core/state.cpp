#include "runtime/core/state.h"

#include <fmt/core.h>

#include <algorithm>

#include "runtime/core/transfer.h"
#include "support/diagnostics.h"

namespace ingot::runtime {
namespace {

bool is_same_view(const program::Weight& a, const program::Weight& b) {
  return a.storage == b.storage && a.storage_offset == b.storage_offset && a.dtype == b.dtype &&
         a.sizes == b.sizes && a.strides == b.strides;
}

}  // namespace

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

std::vector<uint32_t> state_weights(const program::Plan& plan) {
  std::vector<uint32_t> sources;
  for (const program::Buffer& buffer : plan.buffers) {
    if (buffer.kind != program::BufferKind::kState) continue;
    if (std::find(sources.begin(), sources.end(), buffer.source) == sources.end()) {
      sources.push_back(buffer.source);
    }
  }
  return sources;
}

Result<StateStore> StateStore::create(const LoadedProgram& program, Queue& queue) {
  StateStore store;
  for (const uint32_t source : state_weights(program.plan())) {
    State state{&program.program().weights[source], source, {}};
    const auto bytes =
        static_cast<size_t>(element_count(state.weight->sizes) * size_of(state.weight->dtype));
    INGOT_ASSIGN_OR_RETURN(state.block, Block::allocate(program.device(), bytes));
    INGOT_RETURN_IF_ERROR(initialise(program, state, queue));
    store.states_.push_back(std::move(state));
  }
  for (const program::Buffer& buffer : program.plan().buffers) {
    const auto it =
        std::find_if(store.states_.begin(), store.states_.end(), [&buffer](const State& state) {
          return buffer.kind == program::BufferKind::kState && state.source == buffer.source;
        });
    store.buffers_.push_back(it == store.states_.end() ? nullptr : it->block.data());
  }
  return store;
}

// By its name, or by that of another weight which is the same view of the same storage: tied
// buffers are one state.
const StateStore::State* StateStore::find_by_name(const LoadedProgram& program,
                                                  std::string_view name) const {
  for (const State& state : states_) {
    if (state.weight->name == name) return &state;
  }
  for (const program::Weight& weight : program.program().weights) {
    if (weight.name != name) continue;
    for (const State& state : states_) {
      if (is_same_view(*state.weight, weight)) return &state;
    }
  }
  return nullptr;
}

Result<const StateStore::State*> StateStore::find(const LoadedProgram& program,
                                                  std::string_view name,
                                                  const TensorView* host) const {
  if (const State* state = find_by_name(program, name)) {
    const program::Weight& weight = *state->weight;
    if (host == nullptr ||
        (host->dtype == weight.dtype && std::equal(weight.sizes.begin(), weight.sizes.end(),
                                                   host->sizes.begin(), host->sizes.end()))) {
      return state;
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
  INGOT_ASSIGN_OR_RETURN(const State* state, find(program, name, nullptr));
  return initialise(program, *state, queue);
}

Status StateStore::reset_all(const LoadedProgram& program, Queue& queue) {
  for (const State& state : states_) INGOT_RETURN_IF_ERROR(initialise(program, state, queue));
  return ok_status();
}

Status StateStore::read(const LoadedProgram& program, std::string_view name, const TensorView& host,
                        Queue& queue) const {
  INGOT_ASSIGN_OR_RETURN(const State* state, find(program, name, &host));
  return download_tensor(program.device(), queue, view(program, *state), host);
}

Status StateStore::write(const LoadedProgram& program, std::string_view name,
                         const TensorView& host, Queue& queue) {
  INGOT_ASSIGN_OR_RETURN(const State* state, find(program, name, &host));
  return upload_tensor(program.device(), queue, host, view(program, *state));
}

}  // namespace ingot::runtime
