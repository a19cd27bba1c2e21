// Runs training graphs as eager PyTorch does: tensors are strided views of shared memory, and
// in-place operators write it. The oracle for functionalize; knows just the operators its tests
// use.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "ir/graph.h"

namespace ingot::passes {

// A tensor of doubles.
struct EagerTensor {
  std::shared_ptr<std::vector<double>> memory;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  int64_t offset = 0;

  // A contiguous tensor with memory of its own.
  static EagerTensor make(std::vector<int64_t> sizes);
  std::vector<double> elements() const;  // row-major
};

class EagerInterpreter {
 public:
  // Sets the value of a graph input.
  void set(const ir::Value* value, EagerTensor tensor) { tensors_[value->id] = std::move(tensor); }
  const EagerTensor& get(const ir::Value* value) const { return tensors_.at(value->id); }
  // Executes one node. Throws InternalError for an operator that it does not know, and
  // std::invalid_argument for a `view` that would have to copy.
  void run(const ir::Node& node);

 private:
  std::map<uint32_t, EagerTensor> tensors_;  // by Value::id
};

}  // namespace ingot::passes
