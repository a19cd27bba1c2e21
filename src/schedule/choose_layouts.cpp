#include "schedule/choose_layouts.h"

#include <set>

#include "schedule/kernel_bodies.h"
#include "schedule/templates.h"
#include "schedule/view_trace.h"

namespace ingot::schedule {
namespace {

// Window dimensions, input channels, output channels: what a channels-last convolution streams.
DimOrder window_major(int64_t rank) {
  DimOrder order;
  for (int64_t dim = 2; dim < rank; ++dim) order.push_back(dim);
  order.push_back(1);
  order.push_back(0);
  return order;
}

class LayoutChooser {
 public:
  LayoutChooser(const ir::Model& model, Grouping& grouping)
      : grouping_(grouping), ranges_(model.ranges()) {
    for (const ir::Value* output : model.graph.outputs()) fixed_.insert(output->id);
    for (const ir::Value* input : model.graph.inputs()) fixed_.insert(input->id);
    // A scatter writes into its operand's memory; both keep the plain order.
    for (const Group& group : grouping.groups) {
      if (group.kind != GroupKind::kScatter) continue;
      fixed_.insert(group.roots[0]->id);
      fixed_.insert(ir::operands(*group.scatter_node)[0]->id);
    }
  }

  void run() {
    for (const Group& group : grouping_.groups) {
      if (is_convolution(group)) {
        around_convolution(group);
      } else if (group.kind == GroupKind::kLoop) {
        follow_operands(group);
      }
    }
    revert_unreadable();
  }

 private:
  static bool is_convolution(const Group& group) {
    return group.kind == GroupKind::kTemplate && group.template_node->op->schema.base == "conv";
  }

  void set_order(const ir::Value* value, DimOrder order) {
    if (!fixed_.count(value->id) && value->rank() >= 3 && value->rank() <= 5) {
      grouping_.placement.orders[value->id] = std::move(order);
    }
  }

  void around_convolution(const Group& group) {
    const ir::Value* result = group.template_node->results[0];
    for (const ir::Value* root : group.roots) {
      if (root->type.sizes == result->type.sizes) set_order(root, channels_last(root->rank()));
    }
    const ir::Value* input = group.template_node->tensor("input");
    if (grouping_.placement.is_placed(input)) set_order(input, channels_last(input->rank()));
    const ir::Value* weight = group.template_node->tensor("weight");
    if (grouping_.placement.is_placed(weight)) set_order(weight, window_major(weight->rank()));
  }

  // Pointwise and pooling work keeps the order of what it reads.
  void follow_operands(const Group& group) {
    if (group.is_init) return;
    const BuiltKernel built = build_loop_kernel(group, grouping_.placement, ranges_);
    for (const ir::Value* operand : built.buffers) {
      const auto found = grouping_.placement.orders.find(operand->id);
      if (found == grouping_.placement.orders.end()) continue;
      for (const ir::Value* root : group.roots) {
        if (root != operand && root->rank() == operand->rank() && !is_ordered(root) &&
            found->second == channels_last(operand->rank())) {
          set_order(root, channels_last(root->rank()));
        }
      }
      return;
    }
  }

  bool is_ordered(const ir::Value* value) const {
    return grouping_.placement.orders.count(value->id) > 0;
  }

  // A template must find its operands on a grid; where another order breaks that, it is given up.
  void revert_unreadable() {
    for (const Group& group : grouping_.groups) {
      if (group.kind != GroupKind::kTemplate) continue;
      for (const ir::Value* operand : memory_operands(*group.template_node)) {
        if (trace_strided(grouping_.placement, operand, ranges_)) continue;
        ops::Index index(static_cast<size_t>(operand->rank()), sym::Expr(0));
        const auto traced = trace_views(grouping_.placement, operand, index);
        if (traced) grouping_.placement.orders.erase(traced->base->id);
      }
    }
  }

  Grouping& grouping_;
  sym::Ranges ranges_;
  std::set<uint32_t> fixed_;
};

}  // namespace

void choose_layouts(const ir::Model& model, Grouping& grouping) {
  LayoutChooser(model, grouping).run();
}

}  // namespace ingot::schedule
