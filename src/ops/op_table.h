// The operators as the graph builder and the importer see them: lookup by name, result types.
#pragma once

#include <string>
#include <vector>

#include "ops/op_def.h"

namespace ingot::ops {

// Stateless; any two are interchangeable.
class OpTable : public ir::OperatorTable {
 public:
  const ir::Operator* find(std::string_view name) const override { return find_operator(name); }
  // Throws CompileError, naming the operator, if the operands do not fit together.
  std::vector<TensorType> infer(const Node& node) const override;
};

// The one that everybody shares.
inline const OpTable& op_table() {
  static const OpTable table;
  return table;
}

// Every full operator name that find_operator knows, sorted: functional, alias and in-place ones.
std::vector<std::string> operator_names();

}  // namespace ingot::ops
