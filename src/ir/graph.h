// Graph IR: operator calls on tensors with symbolic sizes. Sizes computed by the model are
// expressions, not nodes; tensors have no strides (those are contracts of inputs and outputs).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ir/arg.h"
#include "ir/schema.h"

namespace ingot::ops {
struct OpDef;
}

namespace ingot::ir {

// An index into Model::locations.
using LocId = uint32_t;
inline constexpr LocId kNoLoc = UINT32_MAX;

struct TensorType {
  DType dtype = DType::kF32;
  std::vector<sym::Expr> sizes;

  int64_t rank() const { return static_cast<int64_t>(sizes.size()); }
  sym::Expr elements() const { return sym::product(sizes); }
  friend bool operator==(const TensorType&, const TensorType&) = default;
};

struct Node;

// A tensor: a graph input or a node's result. Owned by its Graph; addresses are stable.
struct Value {
  uint32_t id = 0;  // unique in the graph, in order of creation
  std::string name;
  TensorType type;
  Node* producer = nullptr;  // null for graph inputs
  uint32_t result = 0;       // position in producer->results

  int64_t rank() const { return type.rank(); }
  const sym::Expr& size(int64_t dim) const { return type.sizes[static_cast<size_t>(dim)]; }
  DType dtype() const { return type.dtype; }
};

// What a node calls: one overload of one operator. `def` is the operator's definition in ops/, or
// null if Ingot has none (import reports those).
struct Operator {
  Schema schema;
  const ops::OpDef* def = nullptr;
};

struct Node {
  const Operator* op = nullptr;
  std::vector<Arg> args;        // one per parameter of the schema, defaults filled in
  std::vector<Value*> results;  // a Tensor[] result is spread out
  std::string name;             // the export's name, for messages
  LocId loc = kNoLoc;

  const std::string& target() const { return op->schema.name; }
  // The argument of that name. Throws InternalError if the schema has none.
  const Arg& arg(std::string_view param) const;
  bool has_param(std::string_view param) const { return op->schema.find_param(param) >= 0; }
  // The argument, or none if the schema has no such parameter.
  Arg arg_or_none(std::string_view param) const;

  // Typed access; each throws InternalError if the argument is of another type. A number given
  // where a list of fixed size is expected has been spread by the builder.
  Value* tensor(std::string_view param) const;
  Value* tensor_or_null(std::string_view param) const;  // none: null
  const std::vector<Value*>& tensors(std::string_view param) const;
  sym::Expr integer(std::string_view param) const;
  int64_t constant(std::string_view param) const;  // an integer that must not be symbolic
  const std::vector<sym::Expr>& integers(std::string_view param) const;
  std::vector<int64_t> constants(std::string_view param) const;
  double number(std::string_view param) const;  // an int, float or bool as a double
  bool flag(std::string_view param) const;
  const std::string& text(std::string_view param) const;
  DType dtype_or(std::string_view param, DType otherwise) const;  // none: otherwise
};

// All tensors a node reads, in order of the arguments (nulls left out, sub-graphs not entered).
std::vector<Value*> operands(const Node& node);
// Calls visit(Value*&) for each, so that it may be replaced.
template <typename Visit>
void for_each_operand(Node& node, Visit visit) {
  for (Arg& arg : node.args) {
    if (auto* value = std::get_if<Value*>(&arg)) {
      if (*value) visit(*value);
    } else if (auto* list = std::get_if<std::vector<Value*>>(&arg)) {
      for (Value*& element : *list) {
        if (element) visit(element);
      }
    }
  }
}

// A straight-line program in SSA form: nodes in execution order, each value defined before its use.
class Graph {
 public:
  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  Value* add_input(std::string name, TensorType type);
  // Appends a node at the insertion point; its results are created from `types`. Result i is named
  // `name` (or name.i when there are several).
  Node* add_node(const Operator* op, std::vector<Arg> args, std::vector<TensorType> types,
                 std::string name, LocId loc);

  // Nodes are inserted before `node`; null: at the end.
  void set_insertion_point(Node* node) { insertion_point_ = node; }

  const std::vector<Value*>& inputs() const { return inputs_; }
  std::vector<Value*>& outputs() { return outputs_; }
  const std::vector<Value*>& outputs() const { return outputs_; }

  // The nodes in order. Invalidated by add_node and erase_nodes.
  const std::vector<std::unique_ptr<Node>>& nodes() const { return nodes_; }

  // Every use of a key (in nodes and outputs) becomes its replacement; chains are followed.
  void replace_uses(const std::map<Value*, Value*>& replacements);
  void replace_uses(Value* from, Value* to) { replace_uses({{from, to}}); }
  // Removes nodes; their results must have no uses.
  void erase_nodes(const std::set<const Node*>& nodes);

 private:
  std::vector<std::unique_ptr<Value>> values_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<Value*> inputs_;
  std::vector<Value*> outputs_;
  Node* insertion_point_ = nullptr;
  uint32_t next_id_ = 0;
};

// How often each value is read by nodes and outputs, by Value::id.
std::vector<uint32_t> use_counts(const Graph& graph);

}  // namespace ingot::ir
