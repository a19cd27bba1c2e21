#include "schedule/kernel_bodies.h"

#include <algorithm>

#include "schedule/view_trace.h"
#include "support/diagnostics.h"

namespace ingot::schedule {
namespace {

using ops::Index;

bool contains(const std::vector<int64_t>& list, int64_t item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

// Readable stem from the operators computed: at most three, in order of execution.
std::string stem_of(const std::vector<const ir::Node*>& nodes) {
  std::vector<std::string> words;
  for (const ir::Node* node : nodes) {
    const std::string& base = node->op->schema.base;
    if (node->op->def && node->op->def->kind == ops::OpKind::kView) continue;
    if (base == "cast" || base == "copy") continue;
    if (words.empty() || words.back() != base) words.push_back(base);
  }
  if (words.empty()) return "copy";
  if (words.size() > 3) words = {words.front(), words[words.size() - 2], words.back()};
  std::string stem;
  for (const std::string& word : words) stem += (stem.empty() ? "" : "_") + word;
  return stem;
}

// The nodes computed in place below the roots, in execution order.
void collect_nodes(const Group& group, const Placement& placement, const ir::Value* value,
                   std::set<const ir::Node*>& seen, std::vector<const ir::Node*>& order) {
  const ir::Node* node = value->producer;
  if (!node || !seen.insert(node).second) return;
  for (const ir::Value* operand : ir::operands(*node)) {
    if (!placement.is_placed(operand)) collect_nodes(group, placement, operand, seen, order);
  }
  order.push_back(node);
}

BuiltKernel wrap(KernelBuilder& builder, std::string name) {
  BuiltKernel built;
  built.kernel.name = std::move(name);
  built.kernel.kind = program::KernelKind::kLoop;
  built.kernel.body = builder.finish();
  for (const auto& [value, param] : builder.buffers()) {
    built.kernel.buffers.push_back(param);
    built.buffers.push_back(value);
  }
  return built;
}

// The symbols of the domain's dimensions: parallel axes in memory order of the first root, then the
// reduced ones in order. Dimensions of size 1 get no axis.
Index add_domain_axes(KernelBuilder& builder, const Group& group, const Placement& placement) {
  const auto rank = static_cast<int64_t>(group.domain.size());
  DimOrder order = row_major(rank);
  for (const ir::Value* root : group.roots) {
    if (root->rank() == rank) {
      order = placement.order(root);
      break;
    }
  }
  Index index(group.domain.size());
  for (const bool inner : {false, true}) {
    const DimOrder& dims = inner ? group.reduced : order;
    for (const int64_t dim : dims) {
      if (contains(group.reduced, dim) != inner) continue;
      const sym::Expr& size = group.domain[static_cast<size_t>(dim)];
      // A reduced dimension keeps its axis: reductions name all their extents.
      index[static_cast<size_t>(dim)] =
          !inner && size.is_const(1) ? sym::Expr(0) : builder.add_axis(size, inner);
    }
  }
  return index;
}

// The index of a root of the domain's or of the reduced shape.
Index root_index(const Group& group, const ir::Value* root, const Index& domain_index) {
  if (root->type.sizes == group.domain) return domain_index;
  Index rows;  // without the reduced dimensions
  Index kept;  // with them as size 1
  for (size_t i = 0; i < domain_index.size(); ++i) {
    const bool reduced = contains(group.reduced, static_cast<int64_t>(i));
    if (!reduced) rows.push_back(domain_index[i]);
    kept.push_back(reduced ? sym::Expr(0) : domain_index[i]);
  }
  if (root->type.sizes.size() == kept.size()) return kept;
  if (root->type.sizes.size() == rows.size()) return rows;
  throw Unfusable{"a root of another shape"};
}

// The nodes from `target` (exclusive) up to `value` through values computed in place, or empty.
bool find_path(const Placement& placement, const ir::Value* value, const ir::Value* target,
               bool is_root, std::vector<const ir::Node*>& path) {
  if (value == target) return true;
  if ((!is_root && placement.is_placed(value)) || !value->producer) return false;
  for (const ir::Value* operand : ir::operands(*value->producer)) {
    if (find_path(placement, operand, target, false, path)) {
      path.push_back(value->producer);
      return true;
    }
  }
  return false;
}

}  // namespace

std::string kernel_stem(const Group& group, const Placement& placement) {
  std::set<const ir::Node*> seen;
  std::vector<const ir::Node*> order;
  for (const ir::Value* root : group.roots) collect_nodes(group, placement, root, seen, order);
  return stem_of(order);
}

DType accumulator_type(DType dtype) {
  if (is_half(dtype)) return DType::kF32;
  return is_float(dtype) ? dtype : DType::kI64;
}

BuiltKernel build_loop_kernel(const Group& group, const Placement& placement,
                              const sym::Ranges& ranges) {
  KernelBuilder builder(placement, ranges);
  builder.set_roots(group.roots);
  const Index domain_index = add_domain_axes(builder, group, placement);
  for (const ir::Value* root : group.roots) {
    const Index index = root_index(group, root, domain_index);
    builder.store(root, index, builder.load(root, index));
  }
  return wrap(builder, kernel_stem(group, placement));
}

BuiltKernel build_scatter_kernel(const Group& group, const Placement& placement,
                                 const sym::Ranges& ranges) {
  KernelBuilder builder(placement, ranges);
  const ir::Node& node = *group.scatter_node;
  const ops::ScatterDef& scatter = node.op->def->scatter;
  Index index;
  for (const sym::Expr& extent : scatter.extents(node)) {
    index.push_back(extent.is_const(1) ? sym::Expr(0) : builder.add_axis(extent, false));
  }
  const ops::ScatterStore store = scatter.store(builder, node, index);
  builder.store(group.roots[0], store.target, store.value, store.mode);
  return wrap(builder, kernel_stem(group, placement));
}

void build_epilogue(KernelBuilder& builder, const Group& group, const Placement& placement,
                    DType accumulator) {
  const ir::Value* result = group.template_node->results[0];
  Index axes;
  for (const sym::Expr& size : result->type.sizes) axes.push_back(builder.add_axis(size, false));
  // The axes keep their position even for size 1, where the index is simply 0.
  Index index;
  for (size_t i = 0; i < axes.size(); ++i) {
    index.push_back(result->type.sizes[i].is_const(1) ? sym::Expr(0) : axes[i]);
  }
  builder.set_accumulator(result, index, accumulator);
  builder.set_roots(group.roots);
  for (const ir::Value* root : group.roots) {
    std::vector<const ir::Node*> path;
    if (!find_path(placement, root, result, true, path)) {
      throw Unfusable{"a root that does not use the template's result"};
    }
    Index at = index;
    for (const ir::Node* node : path) {
      if (node->op->def->kind == ops::OpKind::kView) {
        const auto forward = forward_index(*node, at);
        if (!forward) throw Unfusable{"a view that does not show every element once"};
        at = *forward;
        for (sym::Expr& expr : at) expr = builder.simplify(expr);
      } else if (node->results[0]->rank() != static_cast<int64_t>(at.size())) {
        throw Unfusable{"the template's result is broadcast"};
      }
    }
    if (!(root->type.elements() == result->type.elements())) {
      throw Unfusable{"a root of another size than the template's result"};
    }
    builder.store(root, at, builder.load(root, at));
  }
}

}  // namespace ingot::schedule
