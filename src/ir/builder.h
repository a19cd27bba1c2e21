// Appends operator calls to a graph: fills in defaults, infers result types, keeps locations.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace ingot::ir {

// What the builder needs to know of operators; ops/ implements it.
class OperatorTable {
 public:
  virtual ~OperatorTable() = default;
  virtual const Operator* find(std::string_view name) const = 0;  // null if unknown
  // Result types of a node with arguments but without results.
  virtual std::vector<TensorType> infer(const Node& node) const = 0;
};

class Builder {
 public:
  Builder(Graph& graph, const OperatorTable& table) : graph_(graph), table_(table) {}

  Graph& graph() { return graph_; }
  // Location and name stem of the nodes built from now on.
  void set_origin(LocId loc, std::string name) {
    loc_ = loc;
    name_ = std::move(name);
  }
  LocId loc() const { return loc_; }
  const std::string& name() const { return name_; }
  // New nodes go before `node`; null: at the end.
  void set_insertion_point(Node* node) { graph_.set_insertion_point(node); }

  // Calls an operator by its full name with arguments in schema order; left-out ones take their
  // default. Throws InternalError for an unknown operator or a missing argument.
  std::vector<Value*> call_all(std::string_view op, std::vector<Arg> args);
  Value* call(std::string_view op, std::vector<Arg> args);  // the first result

  // Shorthands for the calls that decompositions are made of. Binary ones broadcast and promote
  // as their operators do.
  Value* add(Value* a, Value* b) { return call("aten.add.Tensor", {a, b}); }
  Value* sub(Value* a, Value* b) { return call("aten.sub.Tensor", {a, b}); }
  Value* mul(Value* a, Value* b) { return call("aten.mul.Tensor", {a, b}); }
  Value* div(Value* a, Value* b) { return call("aten.div.Tensor", {a, b}); }
  Value* add(Value* a, double b) { return call("aten.add.Scalar", {a, b}); }
  Value* mul(Value* a, double b) { return call("aten.mul.Scalar", {a, b}); }
  Value* cast(Value* a, DType dtype);                       // a itself if it has the dtype
  Value* reshape(Value* a, std::vector<sym::Expr> sizes);   // a itself if it has the sizes
  Value* permute(Value* a, std::span<const int64_t> dims);  // a itself if it is the identity
  Value* transpose(Value* a, int64_t dim0, int64_t dim1);
  Value* unsqueeze(Value* a, int64_t dim);
  Value* expand(Value* a, std::vector<sym::Expr> sizes);  // right-aligned; no -1
  // Constant bounds may be negative or beyond the size, as in Python; symbolic ones must be within
  // it. `a` itself if the slice is all of it.
  Value* slice(Value* a, int64_t dim, sym::Expr start, sym::Expr end, sym::Expr step = 1);
  // Reductions keep the reduced dimensions as size 1 when `keepdim`.
  Value* sum(Value* a, std::span<const int64_t> dims, bool keepdim);
  Value* amax(Value* a, std::span<const int64_t> dims, bool keepdim);
  Value* full(std::vector<sym::Expr> sizes, double value, DType dtype);

 private:
  Graph& graph_;
  const OperatorTable& table_;
  LocId loc_ = kNoLoc;
  std::string name_;
};

// Fills in defaults and spreads single numbers over fixed-size lists: exactly one argument per
// parameter, of the parameter's own type (an integer given for a float becomes one; layouts,
// devices and the like become none). `args` may be shorter than the schema. Throws InternalError
// for a missing argument or one that does not fit.
std::vector<Arg> complete_args(const Schema& schema, std::vector<Arg> args);

// Whether `arg` is of the type that complete_args makes it.
bool fits(const Param& param, const Arg& arg);

}  // namespace ingot::ir
