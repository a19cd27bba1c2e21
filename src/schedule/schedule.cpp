#include "schedule/schedule.h"

#include <algorithm>
#include <map>
#include <set>

#include "schedule/choose_layouts.h"
#include "schedule/finish_kernel.h"
#include "schedule/grouping.h"
#include "schedule/kernel_bodies.h"
#include "schedule/memory_plan.h"
#include "schedule/separate_outputs.h"
#include "schedule/templates.h"
#include "support/diagnostics.h"

namespace ingot::schedule {
namespace {

using program::BufferKind;
using program::Step;
using program::StepKind;

BuiltKernel build(const Group& group, const Placement& placement, const sym::Ranges& ranges) {
  switch (group.kind) {
    case GroupKind::kLoop: {
      BuiltKernel built = build_loop_kernel(group, placement, ranges);
      collapse_axes(built.kernel.body);
      return built;
    }
    case GroupKind::kScatter: {
      BuiltKernel built = build_scatter_kernel(group, placement, ranges);
      collapse_axes(built.kernel.body);
      return built;
    }
    case GroupKind::kTemplate:
      return build_template_kernel(group, placement, ranges);
  }
  throw InternalError("a group of unknown kind");
}

class Scheduler {
 public:
  Scheduler(ir::Model& model, std::string_view target)
      : model_(model), ranges_(model.ranges()), grouping_(form_groups(model)) {
    choose_layouts(model, grouping_);
    plan_.target = std::string(target);
  }

  Scheduled run();

 private:
  void build_kernels();
  void share_memory();
  void share_with_scatters();
  void share_with_targets();
  bool only_reads_in_step(size_t group, const ir::Value* value) const;
  bool is_read_after(const ir::Value* value, size_t group) const;
  const ir::Value* owner(const ir::Value* value) const;
  uint32_t buffer_of(const ir::Value* value);
  program::Buffer describe_buffer(const ir::Value* value);
  uint32_t weight_of(uint32_t model_weight);
  void keep_tied_names(uint32_t model_weight);
  uint32_t kernel_index(program::Kernel kernel);
  void add_steps();
  void add_copy(std::vector<Step>& steps, const ir::Value* from, const ir::Value* to,
                ir::LocId loc);
  void place_buffers();
  void copy_tables();

  ir::Model& model_;
  sym::Ranges ranges_;
  Grouping grouping_;
  program::Plan plan_;
  Scheduled result_;
  std::vector<BuiltKernel> built_;                    // by group
  std::map<uint32_t, std::vector<size_t>> readers_;   // Value::id -> groups
  std::map<uint32_t, size_t> writer_;                 // Value::id -> group
  std::map<uint32_t, const ir::Value*> shares_with_;  // Value::id -> value whose memory it has
  std::set<uint32_t> written_in_place_;               // results of scatters without a copy
  std::map<uint32_t, uint32_t> buffers_;              // owner's Value::id -> buffer
  std::map<uint32_t, uint32_t> weights_;              // model weight -> program weight
  std::map<uint32_t, uint32_t> storages_;             // model storage -> program storage
  std::map<uint32_t, const ir::Value*> values_;       // owner's Value::id -> value
};

const ir::Value* Scheduler::owner(const ir::Value* value) const {
  for (auto it = shares_with_.find(value->id); it != shares_with_.end();
       it = shares_with_.find(value->id)) {
    value = it->second;
  }
  return value;
}

void Scheduler::build_kernels() {
  for (size_t i = 0; i < grouping_.groups.size(); ++i) {
    const Group& group = grouping_.groups[i];
    try {
      built_.push_back(build(group, grouping_.placement, ranges_));
    } catch (const Unfusable& unfusable) {
      throw InternalError("kernel of %" + group.roots[0]->name +
                          " cannot be built: " + unfusable.reason);
    }
    for (const ir::Value* root : group.roots) writer_[root->id] = i;
    for (size_t p = 0; p < built_[i].buffers.size(); ++p) {
      if (built_[i].kernel.buffers[p].access != program::Access::kWrite) {
        readers_[built_[i].buffers[p]->id].push_back(i);
      }
    }
    if (group.scatter_node) readers_[ir::operands(*group.scatter_node)[0]->id].push_back(i);
  }
}

bool Scheduler::is_read_after(const ir::Value* value, size_t group) const {
  const auto found = readers_.find(value->id);
  return found != readers_.end() && found->second.back() > group;
}

// Whether the group reads `value` only at the points it stores to (or not at all).
bool Scheduler::only_reads_in_step(size_t group, const ir::Value* value) const {
  const BuiltKernel& built = built_[group];
  size_t param = built.buffers.size();
  for (size_t p = 0; p < built.buffers.size(); ++p) {
    if (built.buffers[p] == value) param = p;
  }
  if (param == built.buffers.size()) return true;
  if (built.kernel.kind != program::KernelKind::kLoop) return false;
  const sym::Expr* stored = nullptr;
  for (const program::Inst& inst : built.kernel.body.insts) {
    if (inst.kind == program::InstKind::kReduce) return false;
    if (inst.kind != program::InstKind::kStore) continue;
    if (stored && !(*stored == inst.index)) return false;
    stored = &inst.index;
  }
  for (const program::Inst& inst : built.kernel.body.insts) {
    if (inst.kind == program::InstKind::kLoad && inst.buffer == param &&
        !(stored && inst.index == *stored)) {
      return false;
    }
  }
  return true;
}

// A scatter writes into its operand's memory when nobody reads the old contents later.
void Scheduler::share_with_scatters() {
  std::map<uint32_t, const ir::Value*> becomes;  // value -> state or input it ends up in
  std::set<const ir::Value*> user_outputs;
  for (size_t i = 0; i < model_.outputs.size(); ++i) {
    const ir::Value* value = model_.graph.outputs()[i];
    if (model_.outputs[i].role == ir::OutputRole::kUser) {
      user_outputs.insert(value);
      continue;
    }
    const ir::Value* target = model_.graph.inputs()[model_.outputs[i].index];
    while (value->producer && value->producer->op->def->kind == ops::OpKind::kScatter) {
      becomes[value->id] = target;
      value = ir::operands(*value->producer)[0];
    }
  }
  for (size_t i = 0; i < grouping_.groups.size(); ++i) {
    const Group& group = grouping_.groups[i];
    if (!group.scatter_node) continue;
    const ir::Value* base = ir::operands(*group.scatter_node)[0];
    const ir::Value* result = group.roots[0];
    bool can_share = !user_outputs.count(base) && !is_read_after(base, i);
    for (const ir::Value* value : built_[i].buffers) can_share &= value != base;
    if (!base->producer) {
      const auto target = becomes.find(result->id);
      can_share &= target != becomes.end() && target->second == base;
    } else {
      const auto writer = writer_.find(base->id);
      can_share &=
          writer != writer_.end() && grouping_.groups[writer->second].is_init == group.is_init;
    }
    if (!can_share) continue;
    shares_with_[result->id] = base;
    written_in_place_.insert(result->id);
  }
}

// The new contents of a state or input are stored straight into it when that is safe.
void Scheduler::share_with_targets() {
  for (size_t i = 0; i < model_.outputs.size(); ++i) {
    if (model_.outputs[i].role == ir::OutputRole::kUser) continue;
    const ir::Value* value = model_.graph.outputs()[i];
    const ir::Value* target = model_.graph.inputs()[model_.outputs[i].index];
    if (owner(value) == target || shares_with_.count(value->id)) continue;
    const auto writer = writer_.find(value->id);
    if (writer == writer_.end() || grouping_.groups[writer->second].is_init) continue;
    if (grouping_.groups[writer->second].kind == GroupKind::kScatter) continue;
    if (!is_row_major(grouping_.placement.order(value))) continue;
    if (!(value->type == target->type)) continue;
    if (is_read_after(target, writer->second)) continue;
    if (!only_reads_in_step(writer->second, target)) continue;
    shares_with_[value->id] = target;
  }
}

void Scheduler::share_memory() {
  share_with_scatters();
  share_with_targets();
}

uint32_t Scheduler::weight_of(uint32_t model_weight) {
  const auto found = weights_.find(model_weight);
  if (found != weights_.end()) return found->second;
  const ir::Weight& weight = model_.weights[model_weight];
  auto [storage, is_new] =
      storages_.try_emplace(weight.storage, static_cast<uint32_t>(result_.program.storages.size()));
  if (is_new) {
    program::Storage described;
    if (!result_.program.storages.empty()) {
      const program::Storage& last = result_.program.storages.back();
      described.offset = (last.offset + last.bytes + 63) / 64 * 64;
    }
    described.bytes = model_.storages[weight.storage].bytes;
    result_.program.storages.push_back(described);
    result_.storages.push_back(weight.storage);
  }
  const auto index = static_cast<uint32_t>(result_.program.weights.size());
  result_.program.weights.push_back({weight.name, weight.dtype, weight.sizes, weight.strides,
                                     weight.storage_offset, storage->second});
  weights_[model_weight] = index;
  return index;
}

// A state can be asked for by each name of its memory.
void Scheduler::keep_tied_names(uint32_t model_weight) {
  const ir::Weight& state = model_.weights[model_weight];
  for (uint32_t i = 0; i < model_.weights.size(); ++i) {
    const ir::Weight& other = model_.weights[i];
    if (other.storage == state.storage && other.storage_offset == state.storage_offset &&
        other.dtype == state.dtype && other.sizes == state.sizes &&
        other.strides == state.strides) {
      weight_of(i);
    }
  }
}

program::Buffer Scheduler::describe_buffer(const ir::Value* value) {
  program::Buffer buffer;
  buffer.name = value->name;
  buffer.dtype = value->dtype();
  buffer.elements = sym::simplify(value->type.elements(), ranges_);
  if (!value->producer) {
    const auto& inputs = model_.graph.inputs();
    const auto position =
        static_cast<size_t>(std::find(inputs.begin(), inputs.end(), value) - inputs.begin());
    const ir::InputBinding& binding = model_.inputs[position];
    switch (binding.role) {
      case ir::InputRole::kUser:
        buffer.kind = BufferKind::kInput;
        buffer.source = binding.index;
        break;
      case ir::InputRole::kState:
        buffer.kind = BufferKind::kState;
        buffer.source = weight_of(binding.index);
        keep_tied_names(binding.index);
        break;
      case ir::InputRole::kConstant:
        buffer.kind = BufferKind::kConstant;
        buffer.source = weight_of(binding.index);
        break;
    }
    return buffer;
  }
  const auto writer = writer_.find(value->id);
  INGOT_CHECK(writer != writer_.end(), "%" + value->name + " is read but never computed");
  buffer.kind =
      grouping_.groups[writer->second].is_init ? BufferKind::kDerived : BufferKind::kTemporary;
  return buffer;
}

uint32_t Scheduler::buffer_of(const ir::Value* value) {
  value = owner(value);
  const auto found = buffers_.find(value->id);
  if (found != buffers_.end()) return found->second;
  const auto index = static_cast<uint32_t>(plan_.buffers.size());
  plan_.buffers.push_back(describe_buffer(value));
  buffers_[value->id] = index;
  values_[value->id] = value;
  return index;
}

uint32_t Scheduler::kernel_index(program::Kernel kernel) {
  std::vector<program::Kernel>& kernels = result_.program.kernels;
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (program::same_kernel(kernels[i], kernel)) return static_cast<uint32_t>(i);
  }
  kernels.push_back(std::move(kernel));
  return static_cast<uint32_t>(kernels.size() - 1);
}

void Scheduler::add_copy(std::vector<Step>& steps, const ir::Value* from, const ir::Value* to,
                         ir::LocId loc) {
  Step step;
  step.kind = StepKind::kCopy;
  step.buffers = {{buffer_of(from), 0}, {buffer_of(to), 0}};
  step.bytes = to->type.elements() * size_of(to->dtype());
  step.loc = loc;
  steps.push_back(std::move(step));
}

void Scheduler::add_steps() {
  for (size_t i = 0; i < grouping_.groups.size(); ++i) {
    const Group& group = grouping_.groups[i];
    std::vector<Step>& steps = group.is_init ? plan_.init : plan_.steps;
    const ir::Node* node = group.template_node ? group.template_node : group.roots[0]->producer;
    if (group.scatter_node && !written_in_place_.count(group.roots[0]->id)) {
      add_copy(steps, ir::operands(*group.scatter_node)[0], group.roots[0], node->loc);
    }
    Step step;
    step.loc = node->loc;
    for (const ir::Value* value : built_[i].buffers) {
      step.buffers.push_back({buffer_of(value), 0});
    }
    step.scalars = close_kernel(built_[i].kernel);
    step.kernel = kernel_index(std::move(built_[i].kernel));
    steps.push_back(std::move(step));
  }
  for (size_t i = 0; i < model_.outputs.size(); ++i) {
    const ir::Value* value = model_.graph.outputs()[i];
    if (model_.outputs[i].role == ir::OutputRole::kUser) {
      program::Buffer& buffer = plan_.buffers[buffer_of(value)];
      buffer.kind = BufferKind::kOutput;
      buffer.source = model_.outputs[i].index;
      continue;
    }
    const ir::Value* target = model_.graph.inputs()[model_.outputs[i].index];
    if (owner(value) != target) add_copy(plan_.steps, value, target, ir::kNoLoc);
    const ir::InputBinding& binding = model_.inputs[model_.outputs[i].index];
    if (binding.role == ir::InputRole::kUser) {
      result_.program.inputs[binding.index].mutated = true;
    }
  }
}

void Scheduler::place_buffers() {
  std::vector<Lifetime> lifetimes(plan_.buffers.size());
  std::vector<bool> seen(plan_.buffers.size(), false);
  for (uint32_t s = 0; s < plan_.steps.size(); ++s) {
    for (const program::BufferArg& arg : plan_.steps[s].buffers) {
      if (!seen[arg.buffer]) lifetimes[arg.buffer].first = s;
      seen[arg.buffer] = true;
      lifetimes[arg.buffer].last = s;
    }
  }
  std::vector<Lifetime> temporaries;
  std::vector<size_t> positions;
  sym::Expr derived = 0;
  for (size_t b = 0; b < plan_.buffers.size(); ++b) {
    program::Buffer& buffer = plan_.buffers[b];
    const sym::Expr bytes = buffer.elements * size_of(buffer.dtype);
    if (buffer.kind == BufferKind::kDerived) {
      buffer.arena_offset = derived;
      derived = derived + sym::align_up(bytes, kBufferAlignment);
    } else if (buffer.kind == BufferKind::kTemporary) {
      lifetimes[b].bytes = bytes;
      temporaries.push_back(lifetimes[b]);
      positions.push_back(b);
    }
  }
  plan_.derived_bytes = derived;
  const MemoryPlan memory = plan_memory(temporaries, ranges_);
  for (size_t i = 0; i < positions.size(); ++i) {
    plan_.buffers[positions[i]].arena_offset = memory.offsets[i];
  }
  plan_.arena_bytes = memory.total_bytes;
}

void Scheduler::copy_tables() {
  program::Program& program = result_.program;
  program.symbols = model_.symbols;
  program.inputs = model_.user_inputs;
  program.outputs = model_.user_outputs;
  program.guards = model_.guards;
  program.locations = model_.locations;
  program.producer = "ingot 0.1.0";
}

Scheduled Scheduler::run() {
  copy_tables();
  build_kernels();
  share_memory();
  add_steps();
  place_buffers();
  result_.program.plans.push_back(std::move(plan_));
  return std::move(result_);
}

}  // namespace

Scheduled schedule_model(ir::Model& model, std::string_view target) {
  separate_outputs(model);
  return Scheduler(model, target).run();
}

}  // namespace ingot::schedule
