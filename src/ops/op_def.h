// The definition of an operator: one struct in one file says everything about it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ir/builder.h"
#include "ir/graph.h"
#include "ops/element.h"
#include "ops/testing.h"

namespace ingot::ops {

using ir::Node;
using ir::TensorType;
using ir::Value;

// The types of a call's results from its arguments. Throws CompileError for operands that do not
// fit together. The node has arguments but no results yet.
using InferFn = std::vector<TensorType> (*)(const Node& node);

// Rewrites a call into calls of simpler operators: the values that replace its results.
using DecomposeFn = std::vector<Value*> (*)(ir::Builder& b, const Node& node);

// One element of result number `result` at `index`.
using ElementFn = Scalar (*)(ElementBuilder& e, const Node& node, uint32_t result,
                             const Index& index);

// How the scheduler treats the operator. Exactly one of these per operator.
enum class OpKind : uint8_t {
  kComposite,  // has `decompose`
  kPointwise,  // `element` reads each operand at the result's own (broadcast) index
  kView,       // `element` reads one operand at rearranged indices, and nothing else
  kIndexing,   // `element` reads operands at other indices (gather, cat, pad, flip of a mask, …)
  kReduction,  // `element` is one reduce over `dims` of its operand, keepdim removed
  kScatter,    // `scatter`: stores into a copy of its first operand
  kTemplate,   // matmul, conv, attention, scan, sort: the scheduler builds a template kernel
  kEffect,     // assertions and the like: no kernel
};

// For kScatter: what is stored where. The result starts as a copy of operand `self`; then for every
// index of a domain of `extents`, element(…) is combined into position target(…).
struct ScatterStore {
  Index target;  // position in the result, may use checked_index
  Scalar value;
  program::StoreMode mode = program::StoreMode::kSet;
};
struct ScatterDef {
  std::vector<sym::Expr> (*extents)(const Node& node) = nullptr;
  ScatterStore (*store)(ElementBuilder& e, const Node& node, const Index& index) = nullptr;
};

struct OpDef {
  std::string_view name;                      // "softmax"
  std::span<const std::string_view> schemas;  // PyTorch's (or Ingot's own) signatures
  OpKind kind;
  InferFn infer = nullptr;
  DecomposeFn decompose = nullptr;  // kComposite
  ElementFn element = nullptr;      // kPointwise, kView, kIndexing, kReduction
  ScatterDef scatter = {};          // kScatter
  ReferenceFn reference = nullptr;  // slow, obvious, in double precision: the oracle of the tests
  CasesFn cases = nullptr;          // what is worth testing
};

// Operators that differ in one scalar operation only (unary arithmetic, comparisons, …) are rows of
// one table in one file.
using OpFamily = std::span<const OpDef>;

// All definitions, sorted by name.
std::span<const OpDef* const> all_ops();

// The operator of a full name such as "aten.softmax.int" or "ingot.matmul.default", or null. An
// in-place name such as "aten.add_.Tensor" gives the mutating schema and the functional definition.
const ir::Operator* find_operator(std::string_view name);

}  // namespace ingot::ops
