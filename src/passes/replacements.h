// Values that stand for others while a pass walks a graph in order.
#pragma once

#include <vector>

#include "ir/graph.h"

namespace ingot::passes {

// Collects replacements and applies them to the operands of later nodes, so that a pass need not
// search the whole graph for the uses of each value.
class Replacements {
 public:
  void add(const ir::Value* from, ir::Value* to) {
    if (table_.size() <= from->id) table_.resize(from->id + 1, nullptr);
    table_[from->id] = resolve(to);
  }
  ir::Value* resolve(ir::Value* value) const {
    while (value->id < table_.size() && table_[value->id]) value = table_[value->id];
    return value;
  }
  void apply(ir::Node& node) const {
    ir::for_each_operand(node, [&](ir::Value*& value) { value = resolve(value); });
  }
  void apply_to_outputs(ir::Graph& graph) const {
    for (ir::Value*& value : graph.outputs()) value = resolve(value);
  }

 private:
  std::vector<ir::Value*> table_;  // by Value::id
};

}  // namespace ingot::passes
