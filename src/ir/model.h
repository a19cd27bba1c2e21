// A model as imported: its graph, what its inputs and outputs mean, weights, symbols, locations.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "program/program.h"

namespace ingot::ir {

// A weight whose bytes are mapped from the archive. `storage` indexes Model::storages; tied weights
// and views share one.
struct Weight {
  std::string name;  // PyTorch's fully qualified name
  DType dtype = DType::kF32;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;  // elements
  int64_t storage_offset = 0;    // elements
  uint32_t storage = 0;
};

struct Storage {
  const std::byte* data = nullptr;  // kept alive by Model::keep_alive
  uint64_t bytes = 0;
};

enum class InputRole : uint8_t {
  kUser,      // a tensor that the caller gives: `index` in Model::user_inputs
  kConstant,  // a parameter, buffer or lifted constant: `index` in Model::weights
  kState,     // a buffer that the model writes: `index` in Model::weights
};

// What graph input i stands for.
struct InputBinding {
  InputRole role = InputRole::kUser;
  uint32_t index = 0;
};

enum class OutputRole : uint8_t {
  kUser,           // `index` in Model::user_outputs
  kStateMutation,  // the new contents of graph input `index` (a state)
  kInputMutation,  // the new contents of graph input `index` (the caller's tensor)
};

// What graph output i stands for.
struct OutputBinding {
  OutputRole role = OutputRole::kUser;
  uint32_t index = 0;
};

struct Model {
  Graph graph;
  std::vector<InputBinding> inputs;    // one per graph input
  std::vector<OutputBinding> outputs;  // one per graph output

  std::vector<program::Input> user_inputs;    // leaves of the call in order, literals included
  std::vector<program::Output> user_outputs;  // leaves of the result, literals included
  std::vector<program::Symbol> symbols;
  std::vector<program::Guard> guards;
  std::vector<Weight> weights;
  std::vector<Storage> storages;
  std::vector<program::Location> locations;  // by LocId
  std::vector<std::string> warnings;         // guards not understood and the like
  std::shared_ptr<const void> keep_alive;    // the mapped archive

  sym::Ranges ranges() const;
};

// "at model.py:12 in forward: code" and "in layers.3 (Linear), export node %x", for diagnostics.
std::vector<std::string> location_notes(const Model& model, LocId loc);

}  // namespace ingot::ir
