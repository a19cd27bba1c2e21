#include "schedule/separate_outputs.h"

#include <map>
#include <set>

#include "ops/op_def.h"
#include "ops/op_table.h"

namespace ingot::schedule {
namespace {

ir::Value* add_copy(ir::Model& model, ir::Node* before, ir::Value* value) {
  ir::Builder builder(model.graph, ops::op_table());
  builder.set_origin(value->producer ? value->producer->loc : ir::kNoLoc, value->name + "_copy");
  builder.set_insertion_point(before);
  ir::Value* copy = builder.call("ingot.copy.default", {value});
  builder.set_insertion_point(nullptr);
  return copy;
}

// Position of the value among the graph's inputs, or -1.
int input_position(const ir::Graph& graph, const ir::Value* value) {
  for (size_t i = 0; i < graph.inputs().size(); ++i) {
    if (graph.inputs()[i] == value) return static_cast<int>(i);
  }
  return -1;
}

// Drops graph outputs that are user inputs handed back; returns which inputs the model writes.
std::set<uint32_t> mutated_inputs(const ir::Model& model) {
  std::set<uint32_t> mutated;
  for (const ir::OutputBinding& output : model.outputs) {
    if (output.role != ir::OutputRole::kUser) mutated.insert(output.index);
  }
  return mutated;
}

void hand_back_inputs(ir::Model& model) {
  const std::set<uint32_t> mutated = mutated_inputs(model);
  std::vector<ir::Value*> outputs;
  std::vector<ir::OutputBinding> bindings;
  for (size_t i = 0; i < model.outputs.size(); ++i) {
    ir::Value* value = model.graph.outputs()[i];
    const int input = input_position(model.graph, value);
    const bool is_user_input =
        input >= 0 && model.inputs[static_cast<size_t>(input)].role == ir::InputRole::kUser;
    if (model.outputs[i].role == ir::OutputRole::kUser && is_user_input &&
        !mutated.count(static_cast<uint32_t>(input))) {
      program::Output& output = model.user_outputs[model.outputs[i].index];
      output.kind = program::OutputKind::kInput;
      output.input = model.inputs[static_cast<size_t>(input)].index;
      continue;
    }
    outputs.push_back(value);
    bindings.push_back(model.outputs[i]);
  }
  model.graph.outputs() = outputs;
  model.outputs = bindings;
}

}  // namespace

void separate_outputs(ir::Model& model) {
  hand_back_inputs(model);
  std::set<const ir::Value*> taken;
  // The new contents of states and inputs first: they are written in place.
  for (size_t i = 0; i < model.outputs.size(); ++i) {
    if (model.outputs[i].role == ir::OutputRole::kUser) continue;
    ir::Value*& output = model.graph.outputs()[i];
    const bool is_other_input =
        !output->producer && output != model.graph.inputs()[model.outputs[i].index];
    if (is_other_input || taken.count(output)) output = add_copy(model, nullptr, output);
    taken.insert(output);
  }
  for (size_t i = 0; i < model.outputs.size(); ++i) {
    if (model.outputs[i].role != ir::OutputRole::kUser) continue;
    ir::Value*& output = model.graph.outputs()[i];
    if (!output->producer || !taken.insert(output).second)
      output = add_copy(model, nullptr, output);
  }
  // A scatter starts from memory it may write.
  std::vector<ir::Node*> scatters;
  for (const auto& node : model.graph.nodes()) {
    if (node->op->def && node->op->def->kind == ops::OpKind::kScatter) scatters.push_back(node);
  }
  for (ir::Node* node : scatters) {
    ir::Value*& base = std::get<ir::Value*>(node->args[0]);
    const int input = input_position(model.graph, base);
    if (input >= 0 && model.inputs[static_cast<size_t>(input)].role == ir::InputRole::kConstant) {
      base = add_copy(model, node, base);
    }
  }
}

}  // namespace ingot::schedule
