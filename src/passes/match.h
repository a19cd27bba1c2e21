// Questions that pattern-matching passes ask of a graph.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ir/model.h"

namespace ingot::passes {

// The node that makes `value` if it calls the operator of that name, else null.
inline const ir::Node* made_by(const ir::Value* value, std::string_view name) {
  const ir::Node* node = value->producer;
  return node && node->target() == name ? node : nullptr;
}

// The tensor in an argument slot, or null for a number or none.
inline ir::Value* tensor_in(const ir::Arg& arg) {
  const auto* value = std::get_if<ir::Value*>(&arg);
  return value ? *value : nullptr;
}

// The node that fills all of `value` with one constant (aten.full), else null.
const ir::Node* filled_by(const ir::Value* value);

// The number in an argument slot or filling a whole tensor (aten.full), if it is a constant.
std::optional<double> uniform_number(const ir::Arg& arg);

// Who reads each value of a graph. Does not follow later changes of the graph.
class Users {
 public:
  explicit Users(const ir::Graph& graph);

  // The nodes that read the value, in order; one that reads it twice is there twice. Those made
  // later have none.
  const std::vector<ir::Node*>& of(const ir::Value* value) const;
  // Whether exactly one node reads it, once, and no output.
  bool is_single(const ir::Value* value) const;

 private:
  std::vector<std::vector<ir::Node*>> users_;  // by Value::id
  std::vector<bool> is_output_;
};

// By Value::id: whether the value depends on weights and constants alone, so that it is computed
// once, when the package is loaded. States do not count: they change.
std::vector<bool> constant_values(const ir::Model& model);

}  // namespace ingot::passes
