// A small operator table for the tests of ir/: enough operators to build and print graphs with.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ir/builder.h"

namespace ingot::ir {

inline const std::vector<std::unique_ptr<Operator>>& test_operators() {
  static const auto operators = [] {
    std::vector<std::unique_ptr<Operator>> made;
    for (const char* schema : {
             "aten::relu(Tensor self) -> Tensor",
             "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
             "aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
             "aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
             "aten::cat(Tensor[] tensors, int dim=0) -> Tensor",
             "aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor",
             "aten::split_with_sizes(Tensor(a -> *) self, SymInt[] split_sizes, int dim=0) -> "
             "Tensor(a)[]",
             "aten::avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], float[2] "
             "scale=1., bool[2] mask=[]) -> Tensor",
             "aten::permute(Tensor(a) self, int[] dims) -> Tensor(a)",
             "aten::full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? "
             "layout=None, Device? device=None) -> Tensor",
             "aten::_assert_async.msg(Tensor self, str assert_msg) -> ()",
             "aten::to.dtype(Tensor(a) self, ScalarType dtype, bool copy=False) -> Tensor(a)",
             "higher_order::cond(Tensor pred, Graph true_graph, Graph false_graph, Tensor[] "
             "operands) -> Tensor[]",
             "ingot::cast(Tensor self, ScalarType dtype) -> Tensor",
             "ingot::reshape(Tensor self, SymInt[] size) -> Tensor",
             "ingot::expand(Tensor self, SymInt[] size) -> Tensor",
             "ingot::slice(Tensor self, int dim, SymInt start, SymInt end, SymInt step) -> Tensor",
             "ingot::sum(Tensor self, int[] dim, bool keepdim) -> Tensor",
             "ingot::amax(Tensor self, int[] dim, bool keepdim) -> Tensor",
         }) {
      made.push_back(std::make_unique<Operator>(Operator{parse_schema(schema), nullptr}));
    }
    return made;
  }();
  return operators;
}

inline const Operator* find_test_operator(std::string_view name) {
  for (const auto& op : test_operators()) {
    if (op->schema.name == name) return op.get();
  }
  return nullptr;
}

// Every result has the type of the first operand: shapes do not matter to the tests that use it.
class TestOperatorTable : public OperatorTable {
 public:
  const Operator* find(std::string_view name) const override { return find_test_operator(name); }
  std::vector<TensorType> infer(const Node& node) const override {
    const std::vector<Value*> inputs = operands(node);
    const TensorType type = inputs.empty() ? TensorType{} : inputs.front()->type;
    return std::vector<TensorType>(node.op->schema.returns.size(), type);
  }
};

}  // namespace ingot::ir
