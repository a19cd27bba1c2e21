#include "passes/fold_constants.h"

#include <cmath>
#include <map>
#include <optional>
#include <string_view>

#include "ops/evaluate.h"
#include "ops/op_def.h"
#include "passes/match.h"
#include "passes/rewrite.h"

namespace ingot::passes {

namespace {

using ir::Arg;
using ir::Node;
using ir::Value;

bool has_symbols(const Node& node) {
  for (const Arg& arg : node.args) {
    if (const auto* expr = std::get_if<sym::Expr>(&arg); expr && !expr->is_const()) return true;
  }
  return false;
}

Arg number_arg(const ops::Number& number) {
  if (is_float(number.dtype)) return number.real;
  if (number.dtype == DType::kBool) return number.integer != 0;
  return sym::Expr(number.integer);
}

Value* full_like(ir::Builder& b, const Arg& number, const ir::TensorType& type) {
  return b.call("aten.full.default", {type.sizes, number, type.dtype});
}

// The one number that an elementwise operator gives for the numbers that its operands hold.
Arg evaluate_elementwise(const Node& node) {
  ir::Graph graph;
  std::vector<Arg> args = node.args;
  for (Arg& arg : args) {
    auto* operand = std::get_if<Value*>(&arg);
    if (!operand) continue;
    const Node* fill = (*operand)->producer;
    std::vector<Arg> fill_args = fill->args;
    fill_args[0] = std::vector<sym::Expr>();
    *operand = graph
                   .add_node(fill->op, std::move(fill_args), {{(*operand)->dtype(), {}}},
                             fill->name, fill->loc)
                   ->results[0];
  }
  const ir::TensorType type{node.results[0]->dtype(), {}};
  graph.outputs() = graph.add_node(node.op, std::move(args), {type}, node.name, node.loc)->results;
  return number_arg(ops::evaluate(graph, {}).at(0).get(0));
}

// An elementwise operator or view of filled tensors.
Value* fold_filled(ir::Builder& b, const Node& node) {
  const ops::OpKind kind = node.op->def->kind;
  const std::vector<Value*> tensors = ir::operands(node);
  if (tensors.empty() || node.results.size() != 1 || has_symbols(node)) return nullptr;
  for (const Value* tensor : tensors) {
    if (!filled_by(tensor)) return nullptr;
  }
  const ir::TensorType& type = node.results[0]->type;
  if (!is_computable(type.dtype)) return nullptr;
  if (kind == ops::OpKind::kView && tensors.size() == 1) {
    return full_like(b, filled_by(tensors[0])->arg("fill_value"), type);
  }
  if (kind != ops::OpKind::kPointwise) return nullptr;
  for (const Arg& arg : node.args) {
    if (std::holds_alternative<std::vector<Value*>>(arg)) return nullptr;
  }
  return full_like(b, evaluate_elementwise(node), type);
}

// Operators for which a constant on one side gives the other side.
struct Identity {
  double constant;
  bool commutes;            // the constant may be on the left
  bool only_bools = false;  // holds for bool operands alone
};
std::optional<Identity> identity_of(const Node& node) {
  static const std::map<std::string_view, Identity> kIdentities = {
      {"mul", {1, true}},
      {"sub", {0, false}},
      {"div", {1, false}},
      {"pow", {1, false}},
      {"logical_and", {1, true, true}},
      {"logical_or", {0, true, true}},
      {"logical_xor", {0, true, true}},
      {"bitwise_and", {1, true, true}},
      {"bitwise_or", {0, true, true}},
      {"bitwise_xor", {0, true, true}},
  };
  if (node.has_param("rounding_mode")) return std::nullopt;
  if (node.has_param("alpha") && uniform_number(node.arg("alpha")) != 1.0) return std::nullopt;
  const std::string& base = node.op->schema.base;
  // 0.0 + -0.0 is 0.0, so only integers have a zero that changes nothing.
  if (base == "add" && !is_float(node.results[0]->dtype())) return Identity{0, true};
  const auto found = kIdentities.find(base);
  return found == kIdentities.end() ? std::nullopt : std::optional(found->second);
}

bool is_constant(const Arg& arg, double constant) {
  const std::optional<double> value = uniform_number(arg);
  return value && *value == constant && std::signbit(*value) == std::signbit(constant);
}

Value* fold_identity(const Node& node) {
  const std::optional<Identity> identity = identity_of(node);
  if (!identity || node.args.size() < 2) return nullptr;
  Value* left = tensor_in(node.args[0]);
  Value* right = tensor_in(node.args[1]);
  Value* kept = nullptr;
  if (left && is_constant(node.args[1], identity->constant)) kept = left;
  if (!kept && identity->commutes && right && is_constant(node.args[0], identity->constant)) {
    kept = right;
  }
  if (kept && identity->only_bools && kept->dtype() != DType::kBool) return nullptr;
  return kept;
}

// where(constant, a, b) and masked_fill(a, false, …).
Value* fold_selection(const Node& node) {
  if (node.op->schema.base == "where" && node.has_param("condition") && node.has_param("other")) {
    const std::optional<double> condition = uniform_number(node.arg("condition"));
    if (!condition) return nullptr;
    return tensor_in(node.arg(*condition != 0 ? "self" : "other"));
  }
  if (node.op->schema.base == "masked_fill" && uniform_number(node.arg("mask")) == 0.0) {
    return node.tensor("self");
  }
  return nullptr;
}

Value* fold(ir::Builder& b, const Node& node) {
  if (!node.op->def) return nullptr;
  if (Value* filled = fold_filled(b, node)) return filled;
  if (node.op->def->kind != ops::OpKind::kPointwise || node.results.size() != 1) return nullptr;
  Value* kept = fold_identity(node);
  if (!kept) kept = fold_selection(node);
  if (!kept) return nullptr;
  const ir::TensorType& type = node.results[0]->type;
  return b.expand(b.cast(kept, type.dtype), type.sizes);
}

}  // namespace

bool fold_constants(ir::Model& model, PassContext& context) {
  return rewrite_nodes(model, context, fold);
}

}  // namespace ingot::passes
