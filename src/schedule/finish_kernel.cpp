#include "schedule/finish_kernel.h"

#include <optional>

namespace ingot::schedule {
namespace {

std::string axis_name(size_t axis) { return "a" + std::to_string(axis); }

// The coefficient shared by both axes when the index is outer * extent + inner of one walk.
bool walks_as_one(const sym::Expr& index, const std::string& outer, const std::string& inner,
                  const sym::Expr& inner_extent) {
  const bool uses_outer = sym::uses_symbol(index, outer);
  const bool uses_inner = sym::uses_symbol(index, inner);
  if (!uses_outer && !uses_inner) return true;
  if (!uses_outer || !uses_inner) return false;
  const auto by_outer = sym::split_linear(index, outer);
  const auto by_inner = sym::split_linear(index, inner);
  return by_outer && by_inner && !sym::uses_symbol(by_outer->coefficient, inner) &&
         !sym::uses_symbol(by_inner->coefficient, outer) &&
         by_outer->coefficient == by_inner->coefficient * inner_extent;
}

bool can_merge(const program::Body& body, size_t outer) {
  if (body.axes[outer].inner != body.axes[outer + 1].inner) return false;
  for (const program::Inst& inst : body.insts) {
    if (!walks_as_one(inst.index, axis_name(outer), axis_name(outer + 1),
                      body.axes[outer + 1].extent)) {
      return false;
    }
  }
  return true;
}

void merge(program::Body& body, size_t outer) {
  const std::string outer_name = axis_name(outer);
  const std::string inner_name = axis_name(outer + 1);
  sym::Bindings renamed;
  for (size_t axis = outer + 2; axis < body.axes.size(); ++axis) {
    renamed.emplace(axis_name(axis), sym::Expr::symbol(axis_name(axis - 1)));
  }
  for (program::Inst& inst : body.insts) {
    if (sym::uses_symbol(inst.index, inner_name)) {
      const auto by_inner = sym::split_linear(inst.index, inner_name);
      const auto by_outer = sym::split_linear(by_inner->rest, outer_name);
      inst.index = by_inner->coefficient * sym::Expr::symbol(outer_name) + by_outer->rest;
    }
    if (!renamed.empty()) inst.index = sym::substitute(inst.index, renamed);
  }
  body.axes[outer].extent *= body.axes[outer + 1].extent;
  body.axes.erase(body.axes.begin() + static_cast<std::ptrdiff_t>(outer) + 1);
}

template <typename Visit>
void visit_body(program::Body& body, const Visit& visit) {
  for (program::Axis& axis : body.axes) visit(axis.extent);
  for (program::Inst& inst : body.insts) visit(inst.index);
}

template <typename Visit>
void visit_all(std::vector<sym::Expr>& exprs, const Visit& visit) {
  for (sym::Expr& expr : exprs) visit(expr);
}

// Every expression of a kernel, in a fixed order.
template <typename Visit>
void visit_expressions(program::Kernel& kernel, const Visit& visit) {
  visit_body(kernel.body, visit);
  for (program::Operand& operand : kernel.operands) {
    visit(operand.offset);
    visit_all(operand.strides, visit);
  }
  visit_all(kernel.matmul.batch, visit);
  visit(kernel.matmul.m);
  visit(kernel.matmul.n);
  visit(kernel.matmul.k);
  visit(kernel.conv.batch);
  visit(kernel.conv.in_channels);
  visit(kernel.conv.out_channels);
  visit_all(kernel.conv.in_sizes, visit);
  visit_all(kernel.conv.out_sizes, visit);
  program::AttentionTemplate& attention = kernel.attention;
  for (sym::Expr* expr :
       {&attention.batch, &attention.heads, &attention.kv_heads, &attention.queries,
        &attention.keys, &attention.key_size, &attention.value_size}) {
    visit(*expr);
  }
  visit_body(attention.score_body, visit);
  visit_all(kernel.scan.rows, visit);
  visit(kernel.scan.extent);
  visit_all(kernel.sort.rows, visit);
  visit(kernel.sort.extent);
  visit(kernel.sort.keep);
}

// a0, v3: symbols that belong to the kernel itself.
bool is_kernel_symbol(const std::string& name) {
  if (name.size() < 2 || (name[0] != 'a' && name[0] != 'v')) return false;
  return name.find_first_not_of("0123456789", 1) == std::string::npos;
}

}  // namespace

void collapse_axes(program::Body& body) {
  for (size_t outer = body.axes.size(); outer-- > 0;) {
    if (outer + 1 < body.axes.size() && can_merge(body, outer)) merge(body, outer);
  }
}

std::vector<sym::Expr> close_kernel(program::Kernel& kernel) {
  std::vector<sym::Expr> scalars;
  sym::Bindings names;
  visit_expressions(kernel, [&](sym::Expr& expr) {
    if (expr.is_const()) return;
    std::set<std::string, std::less<>> used;
    sym::collect_symbols(expr, used);
    for (const std::string& name : used) {
      if (is_kernel_symbol(name) || names.count(name)) continue;
      names.emplace(name, sym::Expr::symbol("d" + std::to_string(scalars.size())));
      scalars.push_back(sym::Expr::symbol(name));
    }
  });
  kernel.scalar_count = static_cast<uint32_t>(scalars.size());
  if (!names.empty()) {
    visit_expressions(kernel, [&](sym::Expr& expr) {
      if (!expr.is_const()) expr = sym::substitute(expr, names);
    });
  }
  return scalars;
}

}  // namespace ingot::schedule
