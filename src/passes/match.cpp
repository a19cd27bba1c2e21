#include "passes/match.h"

#include <algorithm>

#include "ops/op_def.h"

namespace ingot::passes {

const ir::Node* filled_by(const ir::Value* value) {
  const ir::Node* node = made_by(value, "aten.full.default");
  if (!node) return nullptr;
  const auto* fill = std::get_if<sym::Expr>(&node->arg("fill_value"));
  return fill && !fill->is_const() ? nullptr : node;
}

std::optional<double> uniform_number(const ir::Arg& arg) {
  if (const auto* value = std::get_if<ir::Value*>(&arg)) {
    const ir::Node* fill = *value ? filled_by(*value) : nullptr;
    return fill ? std::optional(fill->number("fill_value")) : std::nullopt;
  }
  if (const auto* number = std::get_if<double>(&arg)) return *number;
  if (const auto* flag = std::get_if<bool>(&arg)) return *flag ? 1.0 : 0.0;
  if (const auto* expr = std::get_if<sym::Expr>(&arg)) {
    if (const auto constant = expr->as_const()) return static_cast<double>(*constant);
  }
  return std::nullopt;
}

Users::Users(const ir::Graph& graph)
    : users_(graph.value_count()), is_output_(graph.value_count(), false) {
  for (ir::Node* node : graph.nodes()) {
    for (const ir::Value* value : ir::operands(*node)) users_[value->id].push_back(node);
  }
  for (const ir::Value* value : graph.outputs()) is_output_[value->id] = true;
}

const std::vector<ir::Node*>& Users::of(const ir::Value* value) const {
  static const std::vector<ir::Node*> kNone;
  return value->id < users_.size() ? users_[value->id] : kNone;
}

bool Users::is_single(const ir::Value* value) const {
  return of(value).size() == 1 && !is_output_[value->id];
}

std::vector<bool> constant_values(const ir::Model& model) {
  const ir::Graph& graph = model.graph;
  std::vector<bool> is_constant(graph.value_count(), false);
  for (size_t i = 0; i < graph.inputs().size(); ++i) {
    is_constant[graph.inputs()[i]->id] = model.inputs[i].role == ir::InputRole::kConstant;
  }
  const auto is_fixed = [](const sym::Expr& size) { return size.is_const(); };
  for (const ir::Node* node : graph.nodes()) {
    if (node->op->def && node->op->def->kind == ops::OpKind::kEffect) continue;
    const std::vector<ir::Value*> operands = ir::operands(*node);
    bool is_known = !node->has_param("generator") &&
                    std::all_of(operands.begin(), operands.end(),
                                [&](const ir::Value* value) { return is_constant[value->id]; });
    for (const ir::Arg& arg : node->args) {
      const auto* expr = std::get_if<sym::Expr>(&arg);
      const auto* exprs = std::get_if<std::vector<sym::Expr>>(&arg);
      if (expr && !expr->is_const()) is_known = false;
      if (exprs && !std::all_of(exprs->begin(), exprs->end(), is_fixed)) is_known = false;
      if (std::holds_alternative<std::shared_ptr<ir::Graph>>(arg)) is_known = false;
    }
    for (const ir::Value* value : node->results) {
      const std::vector<sym::Expr>& sizes = value->type.sizes;
      is_constant[value->id] = is_known && std::all_of(sizes.begin(), sizes.end(), is_fixed);
    }
  }
  return is_constant;
}

}  // namespace ingot::passes
