#include "schedule/grouping.h"

#include <algorithm>
#include <set>

#include "ops/op_def.h"
#include "schedule/kernel_bodies.h"
#include "schedule/operator_cost.h"
#include "schedule/templates.h"
#include "schedule/view_trace.h"
#include "support/diagnostics.h"

namespace ingot::schedule {
namespace {

using ops::OpKind;

// Recomputing up to this many simple operations is cheaper than a trip through memory.
constexpr int kCheapCost = 6;
constexpr int kCheapLoads = 2;
// A kernel stops growing here.
constexpr size_t kMaxInsts = 1500;

OpKind kind_of(const ir::Node& node) {
  INGOT_CHECK(node.op->def,
              "operator " + node.target() + " without definition reached the schedule");
  return node.op->def->kind;
}

// Walks the graph from the outputs to the inputs. When a value is met, all kernels that read it are
// known; it is either computed in place in its only reader (or in each, when that is cheap), or
// gets a buffer and starts a kernel of its own. Undecided values count as having a buffer, so a
// kernel can be tried out at any time.
class Grouper {
 public:
  explicit Grouper(const ir::Model& model) : model_(model), ranges_(model.ranges()) {}

  Grouping run();

 private:
  void mark_origins();
  void decide(const ir::Node& node);
  void decide_value(const ir::Node& node, const ir::Value* value);
  bool decide_inline(const ir::Node& node, const ir::Value* value);
  void place_template(const ir::Node& node);
  void place_scatter(const ir::Node& node);
  int new_group(Group group);
  void realize(const ir::Value* value);
  void compute_in_place(const ir::Value* value);
  bool try_reduction(int group, const ir::Node& node);
  bool try_template(int group, const ir::Node& node,
                    const std::vector<const ir::Value*>& in_between);
  bool fits(const Group& group, const std::vector<const ir::Value*>& computed);
  void require_memory(const ir::Value* value);
  const ir::Node* template_under(const ir::Value* value,
                                 std::vector<const ir::Value*>& in_between) const;
  bool is_cheap(const ir::Value* value) const;
  bool is_wasteful(int group, const ir::Node& node, const ir::Value* value) const;
  void add_consumers(const ir::Node& node, const std::set<int>& groups);
  std::vector<Group> in_order();

  const ir::Model& model_;
  sym::Ranges ranges_;
  Placement placement_;
  Placement all_but_views_;  // as if every value but views had a buffer
  std::vector<Group> groups_;
  std::vector<std::set<int>> consumers_;  // by Value::id: groups that read it
  std::vector<bool> required_;            // by Value::id: must have a buffer
  std::vector<int> home_;                 // by Value::id: the group that stores it, or -1
  std::vector<uint32_t> uses_;            // by Value::id
  std::vector<bool> is_init_;             // by Value::id: depends on constants, and on nothing else
  std::vector<bool> is_free_;             // by Value::id: depends on no tensor at all
  std::vector<bool> runs_once_;           // by Value::id: a kernel that stores it belongs to init
  std::vector<uint32_t> position_;        // by Value::id: of the producer
};

void Grouper::mark_origins() {
  const auto& inputs = model_.graph.inputs();
  for (size_t i = 0; i < inputs.size(); ++i) {
    is_init_[inputs[i]->id] = model_.inputs[i].role == ir::InputRole::kConstant;
  }
  // An output belongs to the run, whatever it depends on.
  std::set<const ir::Value*> outputs(model_.graph.outputs().begin(), model_.graph.outputs().end());
  uint32_t position = 0;
  for (const auto& node : model_.graph.nodes()) {
    bool constant = true;
    bool free = true;
    for (const ir::Value* operand : ir::operands(*node)) {
      constant &= is_init_[operand->id] || is_free_[operand->id];
      free &= is_free_[operand->id];
    }
    ++position;
    for (const ir::Value* result : node->results) {
      bool is_static = true;
      for (const sym::Expr& size : result->type.sizes) is_static &= size.is_const();
      is_free_[result->id] = free;
      is_init_[result->id] = constant && !free && is_static && !outputs.count(result);
      runs_once_[result->id] = (constant || free) && is_static && !outputs.count(result);
      position_[result->id] = position;
    }
  }
}

int Grouper::new_group(Group group) {
  group.is_init = runs_once_[group.roots[0]->id];
  const int id = static_cast<int>(groups_.size());
  for (const ir::Value* root : group.roots) home_[root->id] = id;
  groups_.push_back(std::move(group));
  return id;
}

void Grouper::add_consumers(const ir::Node& node, const std::set<int>& groups) {
  for (const ir::Value* operand : ir::operands(node)) {
    consumers_[operand->id].insert(groups.begin(), groups.end());
  }
}

void Grouper::realize(const ir::Value* value) {
  Group group;
  group.roots = {value};
  group.domain = value->type.sizes;
  group.has_reduction = kind_of(*value->producer) == OpKind::kReduction;
  const int id = new_group(std::move(group));
  add_consumers(*value->producer, {id});
}

void Grouper::compute_in_place(const ir::Value* value) {
  placement_.has_buffer[value->id] = false;
  add_consumers(*value->producer, consumers_[value->id]);
}

// Whether the group can be built with `computed` computed in place.
bool Grouper::fits(const Group& group, const std::vector<const ir::Value*>& computed) {
  for (const ir::Value* value : computed) placement_.has_buffer[value->id] = false;
  bool fit = true;
  try {
    if (group.kind == GroupKind::kLoop) {
      const BuiltKernel built = build_loop_kernel(group, placement_, ranges_);
      fit = built.kernel.body.insts.size() <= kMaxInsts;
    } else {
      KernelBuilder builder(placement_, ranges_);
      const ir::Value* result = group.template_node->results[0];
      build_epilogue(builder, group, placement_, accumulator_type(result->dtype()));
    }
  } catch (const Unfusable&) {
    fit = false;
  }
  for (const ir::Value* value : computed) placement_.has_buffer[value->id] = true;
  return fit;
}

bool Grouper::try_reduction(int group, const ir::Node& node) {
  const Group& current = groups_[static_cast<size_t>(group)];
  if (current.kind != GroupKind::kLoop) return false;
  const ir::Value* value = node.results[0];
  const ir::Value* operand = ir::operands(node)[0];
  const std::vector<int64_t> dims = reduced_dims(node);
  Group changed = current;
  changed.has_reduction = true;
  if (!dims.empty() && current.domain == operand->type.sizes) {
    if (!current.reduced.empty() && current.reduced != dims) return false;
    changed.reduced = dims;
    if (fits(changed, {value})) {
      groups_[static_cast<size_t>(group)] = changed;
      return true;
    }
    if (!current.reduced.empty()) return false;
    changed.reduced.clear();
  }
  if (!fits(changed, {value})) return false;
  groups_[static_cast<size_t>(group)] = changed;
  return true;
}

bool Grouper::try_template(int group, const ir::Node& node,
                           const std::vector<const ir::Value*>& in_between) {
  const Group& current = groups_[static_cast<size_t>(group)];
  if (current.kind != GroupKind::kLoop || current.has_reduction) return false;
  if (!has_epilogue(node)) return false;
  Group changed = current;
  changed.kind = GroupKind::kTemplate;
  changed.template_node = &node;
  std::vector<const ir::Value*> computed = in_between;
  computed.push_back(node.results[0]);
  return fits(changed, computed);
}

// The template whose result reaches `value` through values that nobody else reads, if any;
// `in_between` are the values on the way, `value` included.
const ir::Node* Grouper::template_under(const ir::Value* value,
                                        std::vector<const ir::Value*>& in_between) const {
  const ir::Node* node = value->producer;
  if (!node) return nullptr;
  const OpKind kind = kind_of(*node);
  if (kind == OpKind::kTemplate) return has_epilogue(*node) ? node : nullptr;
  if (kind != OpKind::kPointwise && kind != OpKind::kView) return nullptr;
  in_between.push_back(value);
  const ir::Node* best = nullptr;
  std::vector<const ir::Value*> best_path;
  for (const ir::Value* operand : ir::operands(*node)) {
    if (uses_[operand->id] != 1 || required_[operand->id]) continue;
    if (!(operand->type.elements() == value->type.elements())) continue;
    std::vector<const ir::Value*> path;
    const ir::Node* found = template_under(operand, path);
    if (!found) continue;
    if (!best || position_[found->results[0]->id] > position_[best->results[0]->id]) {
      best = found;
      best_path = path;
    }
  }
  in_between.insert(in_between.end(), best_path.begin(), best_path.end());
  return best;
}

bool Grouper::is_cheap(const ir::Value* value) const {
  const InPlaceCost cost = in_place_cost(value, kCheapCost + 1);
  return cost.operations <= kCheapCost && cost.loads <= kCheapLoads;
}

// A costly element that would be computed several times because the reader's domain repeats it.
bool Grouper::is_wasteful(int group, const ir::Node& node, const ir::Value* value) const {
  const Group& reader = groups_[static_cast<size_t>(group)];
  if (reader.has_reduction && !reader.reduced.empty()) return false;
  if (operation_cost(node, value->result) < kCostlyOperation) return false;
  const sym::Expr repeats = sym::floor_div(sym::product(reader.domain), value->type.elements());
  const auto count = repeats.as_const();
  return count && *count >= 4;
}

// Marks the memory behind a template's operand as needed: the value its views look into, or the
// value itself when it does not lie on a grid there.
void Grouper::require_memory(const ir::Value* value) {
  const auto strided = trace_strided(all_but_views_, value, ranges_);
  required_[strided ? strided->base->id : value->id] = true;
}

void Grouper::place_template(const ir::Node& node) {
  const ir::Value* result = node.results[0];
  const std::set<int>& readers = consumers_[result->id];
  int id = -1;
  if (node.results.size() == 1 && !required_[result->id] && readers.size() == 1 &&
      groups_[static_cast<size_t>(*readers.begin())].is_init == runs_once_[result->id] &&
      try_template(*readers.begin(), node, {})) {
    id = *readers.begin();
    placement_.has_buffer[result->id] = false;
    groups_[static_cast<size_t>(id)].kind = GroupKind::kTemplate;
    groups_[static_cast<size_t>(id)].template_node = &node;
  } else {
    Group group;
    group.kind = GroupKind::kTemplate;
    group.template_node = &node;
    group.roots.assign(node.results.begin(), node.results.end());
    group.domain = result->type.sizes;
    id = new_group(std::move(group));
  }
  for (const ir::Value* operand : memory_operands(node)) require_memory(operand);
  add_consumers(node, {id});
}

void Grouper::place_scatter(const ir::Node& node) {
  Group group;
  group.kind = GroupKind::kScatter;
  group.roots = {node.results[0]};
  group.scatter_node = &node;
  group.domain = node.results[0]->type.sizes;
  const int id = new_group(std::move(group));
  required_[ir::operands(node)[0]->id] = true;
  add_consumers(node, {id});
}

bool Grouper::decide_inline(const ir::Node& node, const ir::Value* value) {
  const std::set<int>& readers = consumers_[value->id];
  if (required_[value->id]) return false;
  if (is_free_[value->id]) return true;
  const OpKind kind = kind_of(node);
  if (kind == OpKind::kView) return true;
  for (const int reader : readers) {
    if (is_init_[value->id] && !groups_[static_cast<size_t>(reader)].is_init) return false;
  }
  std::vector<const ir::Value*> in_between;
  const ir::Node* feeding = template_under(value, in_between);
  if (readers.size() > 1) {
    return kind != OpKind::kReduction && !feeding && is_cheap(value);
  }
  const int reader = *readers.begin();
  if (kind == OpKind::kReduction) return try_reduction(reader, node);
  if (feeding && !try_template(reader, *feeding, in_between)) return false;
  return !is_wasteful(reader, node, value);
}

void Grouper::decide_value(const ir::Node& node, const ir::Value* value) {
  if (consumers_[value->id].empty() && !required_[value->id]) {
    placement_.has_buffer[value->id] = false;  // dead
    return;
  }
  if (decide_inline(node, value)) {
    compute_in_place(value);
  } else {
    realize(value);
  }
}

void Grouper::decide(const ir::Node& node) {
  switch (kind_of(node)) {
    case OpKind::kEffect:
      return;
    case OpKind::kComposite:
      throw InternalError("composite operator " + node.target() + " reached the schedule");
    case OpKind::kTemplate:
    case OpKind::kScatter: {
      bool used = false;
      for (const ir::Value* result : node.results) {
        used |= required_[result->id] || !consumers_[result->id].empty();
      }
      if (!used) return;
      if (kind_of(node) == OpKind::kTemplate) {
        place_template(node);
      } else {
        place_scatter(node);
      }
      return;
    }
    default:
      for (const ir::Value* result : node.results) decide_value(node, result);
  }
}

// Kahn's algorithm; among the groups that are ready, the one earliest in the graph goes first.
std::vector<Group> Grouper::in_order() {
  const size_t count = groups_.size();
  std::vector<std::set<int>> successors(count);
  std::vector<size_t> waiting(count, 0);
  for (size_t id = 0; id < consumers_.size(); ++id) {
    if (home_[id] < 0) continue;
    for (const int reader : consumers_[id]) {
      if (reader != home_[id] && successors[static_cast<size_t>(home_[id])].insert(reader).second) {
        ++waiting[static_cast<size_t>(reader)];
      }
    }
  }
  std::set<std::pair<uint32_t, int>> ready;
  const auto key = [&](int group) {
    uint32_t last = 0;
    for (const ir::Value* root : groups_[static_cast<size_t>(group)].roots) {
      last = std::max(last, position_[root->id]);
    }
    return std::pair{last, group};
  };
  for (size_t i = 0; i < count; ++i) {
    if (waiting[i] == 0) ready.insert(key(static_cast<int>(i)));
  }
  std::vector<Group> ordered;
  while (!ready.empty()) {
    const int group = ready.begin()->second;
    ready.erase(ready.begin());
    for (const int next : successors[static_cast<size_t>(group)]) {
      if (--waiting[static_cast<size_t>(next)] == 0) ready.insert(key(next));
    }
    ordered.push_back(groups_[static_cast<size_t>(group)]);
  }
  INGOT_CHECK(ordered.size() == count, "kernels depend on each other in a circle");
  return ordered;
}

Grouping Grouper::run() {
  uses_ = ir::use_counts(model_.graph);
  const size_t count = uses_.size();
  consumers_.resize(count);
  required_.assign(count, false);
  home_.assign(count, -1);
  is_init_.assign(count, false);
  is_free_.assign(count, false);
  runs_once_.assign(count, false);
  position_.assign(count, 0);
  placement_.has_buffer.assign(count, true);
  all_but_views_ = placement_;
  for (const auto& node : model_.graph.nodes()) {
    for (const ir::Value* result : node->results) {
      all_but_views_.has_buffer[result->id] = kind_of(*node) != OpKind::kView;
    }
  }
  mark_origins();
  for (const ir::Value* output : model_.graph.outputs()) required_[output->id] = true;

  std::vector<const ir::Node*> nodes;
  for (const auto& node : model_.graph.nodes()) nodes.push_back(node);
  for (size_t i = nodes.size(); i-- > 0;) decide(*nodes[i]);
  return {in_order(), std::move(placement_)};
}

}  // namespace

bool is_template(const ir::Node& node) { return kind_of(node) == OpKind::kTemplate; }

Grouping form_groups(const ir::Model& model) { return Grouper(model).run(); }

}  // namespace ingot::schedule
