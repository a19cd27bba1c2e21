#include "passes/simplify_sizes.h"

#include <map>

namespace ingot::passes {

namespace {

class SizeSimplifier {
 public:
  explicit SizeSimplifier(sym::Ranges ranges) : ranges_(std::move(ranges)) {}

  bool changed() const { return changed_; }

  void simplify(sym::Expr& expr) {
    if (expr.is_const() || expr.is_symbol()) return;
    const auto [known, is_new] = simplified_.try_emplace(expr, expr);
    if (is_new) known->second = sym::simplify(expr, ranges_);
    if (known->second == expr) return;
    expr = known->second;
    changed_ = true;
  }

  void simplify(std::vector<sym::Expr>& exprs) {
    for (sym::Expr& expr : exprs) simplify(expr);
  }

  void simplify(ir::Node& node) {
    for (ir::Arg& arg : node.args) {
      if (auto* expr = std::get_if<sym::Expr>(&arg)) simplify(*expr);
      if (auto* exprs = std::get_if<std::vector<sym::Expr>>(&arg)) simplify(*exprs);
    }
    for (ir::Value* value : node.results) simplify(value->type.sizes);
  }

 private:
  sym::Ranges ranges_;
  std::map<sym::Expr, sym::Expr, sym::ExprLess> simplified_;
  bool changed_ = false;
};

}  // namespace

bool simplify_sizes(ir::Model& model, PassContext& context) {
  SizeSimplifier simplifier(model.ranges());
  for (ir::Node* node : model.graph.nodes()) {
    context.visit(*node);
    simplifier.simplify(*node);
  }
  return simplifier.changed();
}

}  // namespace ingot::passes
