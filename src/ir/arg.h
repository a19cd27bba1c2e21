// Arguments of nodes: values of the graph or constants.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "support/dtype.h"
#include "symbolic/expr.h"

namespace ingot::ir {

class Graph;
struct Value;

// None, a tensor, tensors (null for a missing one), an integer or symbolic integer, integers,
// a float, floats, a bool, bools, a string, a dtype, a sub-graph.
using Arg = std::variant<std::monostate, Value*, std::vector<Value*>, sym::Expr,
                         std::vector<sym::Expr>, double, std::vector<double>, bool,
                         std::vector<bool>, std::string, DType, std::shared_ptr<Graph>>;

std::vector<sym::Expr> to_exprs(std::span<const int64_t> values);

inline bool is_none(const Arg& arg) { return std::holds_alternative<std::monostate>(arg); }

}  // namespace ingot::ir
