// Graph IR: operator calls on tensors with symbolic sizes. Sizes computed by the model are
// expressions, not nodes; tensors have no strides (those are contracts of inputs and outputs).
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
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
  // Throws CompileError (kShapeMismatch) if there is no such dimension: operators read sizes of
  // operands whose rank only the archive vouches for.
  const sym::Expr& size(int64_t dim) const {
    if (dim < 0 || dim >= rank()) fail_dimension(dim);
    return type.sizes[static_cast<size_t>(dim)];
  }
  DType dtype() const { return type.dtype; }

 private:
  [[noreturn]] void fail_dimension(int64_t dim) const;
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
  // Integers that must not be symbolic; CompileError (kUnsupportedCase) if they are.
  int64_t constant(std::string_view param) const;
  const std::vector<sym::Expr>& integers(std::string_view param) const;
  std::vector<int64_t> constants(std::string_view param) const;
  // An int, float or bool as a double; CompileError (kUnsupportedCase) for a symbolic one.
  double number(std::string_view param) const;
  bool flag(std::string_view param) const;
  const std::string& text(std::string_view param) const;
  DType dtype_or(std::string_view param, DType otherwise) const;  // none: otherwise

  // The neighbours in the graph's order; null at its ends.
  Node* next() const { return next_; }
  Node* prev() const { return prev_; }

 private:
  friend class Graph;
  Node* prev_ = nullptr;
  Node* next_ = nullptr;
};

// The nodes of a graph in order, as Node*. Nodes may be inserted or erased while iterating, except
// that the node an iterator stands on must not be erased.
class NodeRange {
 public:
  class iterator {
   public:
    using iterator_category = std::bidirectional_iterator_tag;
    using value_type = Node*;
    using difference_type = std::ptrdiff_t;
    using pointer = Node* const*;
    using reference = Node*;

    iterator() = default;
    iterator(Node* node, Node* last) : node_(node), last_(last) {}
    Node* operator*() const { return node_; }
    iterator& operator++() {
      node_ = node_->next();
      return *this;
    }
    iterator operator++(int) {
      iterator before = *this;
      ++*this;
      return before;
    }
    iterator& operator--() {
      node_ = node_ ? node_->prev() : last_;
      return *this;
    }
    iterator operator--(int) {
      iterator after = *this;
      --*this;
      return after;
    }
    friend bool operator==(const iterator& a, const iterator& b) { return a.node_ == b.node_; }

   private:
    Node* node_ = nullptr;
    Node* last_ = nullptr;  // where stepping back from the end leads
  };

  NodeRange(Node* first, Node* last, size_t size) : first_(first), last_(last), size_(size) {}
  iterator begin() const { return {first_, last_}; }
  iterator end() const { return {nullptr, last_}; }
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  Node* front() const { return first_; }
  Node* back() const { return last_; }

 private:
  Node* first_;
  Node* last_;
  size_t size_;
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
// Owns its nodes and values; inserting and erasing a node take constant time.
class Graph {
 public:
  Graph() = default;
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  Value* add_input(std::string name, TensorType type);
  // Adds a node at the insertion point; its results are created from `types`. Result i is named
  // `name` (or name.i when there are several).
  Node* add_node(const Operator* op, std::vector<Arg> args, std::vector<TensorType> types,
                 std::string name, LocId loc);

  // Nodes are inserted before `node`; null: at the end.
  void set_insertion_point(Node* node) { insertion_point_ = node; }
  Node* insertion_point() const { return insertion_point_; }

  const std::vector<Value*>& inputs() const { return inputs_; }
  std::vector<Value*>& outputs() { return outputs_; }
  const std::vector<Value*>& outputs() const { return outputs_; }
  NodeRange nodes() const { return {first_, last_, size_}; }
  // One more than the largest Value::id: the size of tables indexed by it.
  uint32_t value_count() const { return static_cast<uint32_t>(values_.size()); }

  // Every use of a key (in nodes and outputs) becomes its replacement; chains are followed.
  void replace_uses(const std::map<Value*, Value*>& replacements);
  void replace_uses(Value* from, Value* to) { replace_uses({{from, to}}); }
  // Removes nodes; their results must have no uses. An insertion point on one moves to its
  // successor.
  void erase_nodes(const std::set<const Node*>& nodes);
  void erase_node(Node* node);
  // Moves a node of this graph in front of another one, or to the end (null).
  void move_node(Node* node, Node* before);

 private:
  void link(Node* node, Node* before);
  void unlink(Node* node);

  std::vector<std::unique_ptr<Value>> values_;  // by id; those of erased nodes stay
  std::vector<Value*> inputs_;
  std::vector<Value*> outputs_;
  Node* first_ = nullptr;
  Node* last_ = nullptr;
  size_t size_ = 0;
  Node* insertion_point_ = nullptr;
};

// How often each value is read by nodes and outputs, by Value::id.
std::vector<uint32_t> use_counts(const Graph& graph);

}  // namespace ingot::ir
