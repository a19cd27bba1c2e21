// One concrete call of an operator, made from a test case: a graph of one node and its inputs.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "ops/evaluate.h"
#include "ops/op_def.h"

namespace ingot::ops {

struct OpSample {
  ir::Graph graph;  // its outputs are the results of the node
  const ir::Node* node = nullptr;
  std::vector<HostTensor> inputs;  // one per graph input
  sym::Values symbols;             // empty unless dynamic

  std::vector<RefTensor> expected() const;  // what the operator's reference says
};

// Builds the call in `dtype`; with dynamic sizes, as Case::dynamic describes. Fills are
// pseudo-random but always the same.
std::unique_ptr<OpSample> make_sample(const Case& test_case, DType dtype, bool dynamic);

// Compares a result; the text of the first few differences, empty if there are none.
std::string compare(const HostTensor& actual, const RefTensor& expected);

}  // namespace ingot::ops
