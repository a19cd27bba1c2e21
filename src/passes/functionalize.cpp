#include "passes/functionalize.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "ops/op_def.h"
#include "passes/decompose.h"
#include "passes/functional_call.h"
#include "passes/view_chain.h"
#include "support/diagnostics.h"

namespace ingot::passes {

namespace {

using ir::Node;
using ir::Value;

// A piece of memory: a graph input or the result of an operator that is no view.
struct Memory {
  Value* contents = nullptr;  // as of now, in the type of the tensor that made it
  uint32_t version = 0;       // grows with every write
};

// What a value of the original graph is: a view (often of no steps) of a piece of memory.
struct Alias {
  uint32_t memory = 0;
  ViewChain chain;
  std::optional<Strides> strides;  // nothing: not known
  Value* contents = nullptr;       // what the view held at `version`
  uint32_t version = 0;
};

// Operators that return their argument itself though their schema does not say so.
bool is_undeclared_view(const Node& node) {
  const bool is_dropout = node.op->schema.base.ends_with("dropout");
  if (is_dropout && node.has_param("train") && node.flag("train")) return false;
  static constexpr std::string_view kBases[] = {
      "dropout",           "alpha_dropout", "feature_dropout", "feature_alpha_dropout",
      "type_as",           "atleast_1d",    "atleast_2d",      "atleast_3d",
      "broadcast_tensors", "meshgrid",      "sum_to_size"};
  return std::find(std::begin(kBases), std::end(kBases), node.op->schema.base) != std::end(kBases);
}

// Operators that return a view if the memory's layout allows it, and a copy otherwise.
bool may_copy(const Node& node) {
  static constexpr std::string_view kBases[] = {"reshape", "reshape_as", "flatten", "ravel",
                                                "contiguous"};
  return std::find(std::begin(kBases), std::end(kBases), node.op->schema.base) != std::end(kBases);
}

// Where a dimension of one element starts does not matter.
bool is_contiguous(const std::vector<sym::Expr>& sizes, const Strides& strides) {
  const Strides dense = contiguous_strides(sizes);
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (!sizes[i].is_const(1) && strides[i] != dense[i]) return false;
  }
  return true;
}

// to(…, copy=True)
bool must_copy(const Node& node) {
  if (!node.has_param("copy")) return false;
  const ir::Arg& copy = node.arg("copy");
  return std::holds_alternative<bool>(copy) && std::get<bool>(copy);
}

bool returns_views(const Node& node) {
  return node.op->schema.is_view() || is_undeclared_view(node);
}

class Functionalizer {
 public:
  Functionalizer(ir::Model& model, PassContext& context)
      : model_(model),
        graph_(model.graph),
        context_(context),
        builder_(graph_, context.operators) {}

  void run() {
    define_inputs();
    for (Node* node = graph_.nodes().front(); node;) {
      Node* const next = node->next();
      context_.visit(*node);
      builder_.set_origin(node->loc, node->name);
      builder_.set_insertion_point(node);
      visit(node);
      node = next;
    }
    builder_.set_insertion_point(nullptr);
    context_.visit_nothing();
    for (Value*& output : graph_.outputs()) output = read(output);
    add_mutation_outputs();
  }

 private:
  void define_inputs() {
    for (size_t i = 0; i < graph_.inputs().size(); ++i) {
      Value* input = graph_.inputs()[i];
      Strides strides = contiguous_strides(input->type.sizes);
      if (const ir::Weight* weight = weight_of(i)) {
        strides = ir::to_exprs(weight->strides);
        if (std::optional<size_t> twin = input_of_same_weight(i)) {
          alias_of(input) = alias_of(graph_.inputs()[*twin]);
          continue;
        }
      }
      define(input, std::move(strides));
    }
  }

  const ir::Weight* weight_of(size_t input) const {
    const ir::InputBinding& binding = model_.inputs[input];
    return binding.role == ir::InputRole::kUser ? nullptr : &model_.weights[binding.index];
  }

  // An earlier input that is the same tensor under another name.
  std::optional<size_t> input_of_same_weight(size_t input) const {
    const ir::Weight& weight = *weight_of(input);
    for (size_t i = 0; i < input; ++i) {
      const ir::Weight* other = weight_of(i);
      if (other && other->storage == weight.storage && other->dtype == weight.dtype &&
          other->storage_offset == weight.storage_offset && other->sizes == weight.sizes &&
          other->strides == weight.strides) {
        return i;
      }
    }
    return std::nullopt;
  }

  std::optional<Alias>& slot(const Value* value) {
    if (aliases_.size() <= value->id) aliases_.resize(graph_.value_count());
    return aliases_[value->id];
  }

  // A value not met before is memory of its own.
  Alias& alias_of(Value* value) {
    if (!slot(value)) define(value, contiguous_strides(value->type.sizes));
    return *slot(value);
  }

  void define(Value* value, Strides strides) {
    Alias alias;
    alias.memory = static_cast<uint32_t>(memories_.size());
    alias.strides = std::move(strides);
    alias.contents = value;
    memories_.push_back({value, 0});
    slot(value) = std::move(alias);
  }

  // The contents of a value as of now.
  Value* read(Value* value) {
    Alias& alias = alias_of(value);
    const Memory& memory = memories_[alias.memory];
    if (alias.version != memory.version) {
      Value* contents = apply_chain(builder_, alias.chain, memory.contents);
      Alias& current = alias_of(value);
      current.contents = contents;
      current.version = memories_[current.memory].version;
      return contents;
    }
    return alias.contents;
  }

  void write(Value* target, Value* contents) {
    const Alias alias = alias_of(target);
    Memory& memory = memories_[alias.memory];
    Value* const whole = write_through(builder_, alias.chain, memory.contents, contents);
    memory.contents = whole;
    ++memory.version;
    Alias& written = alias_of(target);
    written.contents = contents;
    written.version = memory.version;
  }

  void visit(Node* node) {
    if (is_writing(*node)) {
      visit_write(node);
    } else if (returns_views(*node)) {
      visit_view(node);
    } else {
      ir::for_each_operand(*node, [&](Value*& value) { value = read(value); });
      propagate_strides(*node);
    }
  }

  // An elementwise result lies in memory as its operands do, if those lie alike.
  void propagate_strides(const Node& node) {
    const ops::OpDef* def = node.op->def;
    if (!def || def->kind != ops::OpKind::kPointwise || node.results.size() != 1) return;
    for (Value* operand : ir::operands(node)) {
      if (operand->type.sizes != node.results[0]->type.sizes) continue;
      const Alias* alias = slot(operand) ? &*slot(operand) : nullptr;
      if (alias && alias->strides && is_permuted_dense(operand->type.sizes, *alias->strides)) {
        define(node.results[0], *alias->strides);
      }
      return;
    }
  }

  // Whether some order of the dimensions makes the tensor contiguous.
  static bool is_permuted_dense(const std::vector<sym::Expr>& sizes, const Strides& strides) {
    std::vector<bool> used(sizes.size(), false);
    sym::Expr expected = 1;
    for (size_t done = 0; done < sizes.size(); ++done) {
      size_t dim = sizes.size();
      while (dim-- > 0 && (used[dim] || (strides[dim] != expected && !sizes[dim].is_const(1)))) {
      }
      if (dim >= sizes.size()) return false;
      used[dim] = true;
      expected *= sizes[dim];
    }
    return true;
  }

  void visit_view(Node* node) {
    const std::vector<Value*> viewed = ir::operands(*node);
    // The view operators see what the tensors hold now; the chain from there is the view.
    ir::for_each_operand(*node, [&](Value*& value) { value = read(value); });
    const std::vector<Value*> current = ir::operands(*node);
    const std::vector<Value*> made = decompose_call(graph_, node, context_);
    for (size_t i = 0; i < made.size(); ++i) {
      define_view(*node, node->results[i], made[i], viewed, current);
    }
    const bool is_replaced = made != node->results;
    if (is_replaced) graph_.erase_node(node);
  }

  // `result` of the original graph is `made`, if possible a view of one of the tensors `viewed`.
  void define_view(const Node& node, Value* result, Value* made, const std::vector<Value*>& viewed,
                   const std::vector<Value*>& current) {
    for (size_t k = 0; k < viewed.size(); ++k) {
      std::optional<ViewChain> steps = chain_between(current[k], made);
      if (!steps) continue;
      const Alias source = alias_of(viewed[k]);
      std::optional<Strides> strides = source.strides;
      for (const ViewStep& step : *steps) {
        if (strides) strides = strides_after(step, *strides);
      }
      if (is_copy(node, source, strides)) break;
      Alias alias;
      alias.memory = source.memory;
      alias.chain = source.chain;
      alias.chain.insert(alias.chain.end(), steps->begin(), steps->end());
      alias.strides = std::move(strides);
      alias.contents = made;
      alias.version = memories_[source.memory].version;
      slot(result) = std::move(alias);
      return;
    }
    define(result, contiguous_strides(result->type.sizes));
    slot(result)->contents = made;
    memories_.back().contents = made;
  }

  // Whether an operator that may copy had to: its result would not be evenly strided in the memory
  // of its argument, or is asked to be contiguous. Where the layout is not known it is taken not
  // to.
  static bool is_copy(const Node& node, const Alias& source,
                      const std::optional<Strides>& strides) {
    if (must_copy(node)) return true;
    if (!may_copy(node) || !source.strides) return false;
    if (node.op->schema.base != "contiguous") return !strides;
    return !is_contiguous(node.results[0]->type.sizes, *source.strides);
  }

  void visit_write(Node* node) {
    const ir::Schema& schema = node->op->schema;
    const std::vector<ir::Arg> original = node->args;
    ir::for_each_operand(*node, [&](Value*& value) { value = read(value); });
    if (is_metadata_change(*node)) {
      change_metadata(node, std::get<Value*>(original[0]));
      return;
    }
    const FunctionalCall call = call_functional(builder_, context_.operators, *node);
    for (const FunctionalCall::Write& each : call.writes) {
      write(std::get<Value*>(original[each.param]), each.value);
    }
    for (size_t i = 0; i < node->results.size(); ++i) {
      Value* result = node->results[i];
      if (call.results[i]) {
        define(result, contiguous_strides(result->type.sizes));
        slot(result)->contents = call.results[i];
        memories_.back().contents = call.results[i];
      } else {
        const Alias written = alias_of(written_argument(schema, original, i));
        slot(result) = written;
      }
    }
    graph_.erase_node(node);
  }

  // The tensor that result i of a writing call is.
  static Value* written_argument(const ir::Schema& schema, const std::vector<ir::Arg>& args,
                                 size_t result) {
    for (size_t i = 0; i < schema.params.size(); ++i) {
      if (schema.params[i].is_written &&
          schema.params[i].alias_set == schema.returns[result].alias_set) {
        return std::get<Value*>(args[i]);
      }
    }
    throw InternalError(fmt::format("result {} of {} is no argument", result, schema.name));
  }

  // t_, squeeze_ and the like change the shape of a tensor, not its contents.
  bool is_metadata_change(const Node& node) const {
    const std::string twin = functional_twin(context_.operators, node.op->schema);
    if (twin.empty()) return false;
    const ir::Operator* op = context_.operators.find(twin);
    return op->schema.is_view() && op->schema.returns.size() == 1;
  }

  // From here on `target` stands for the view that the functional twin makes.
  void change_metadata(Node* node, Value* target) {
    const std::string twin = functional_twin(context_.operators, node->op->schema);
    Value* made = builder_.call(twin, node->args);
    Node* const view = made->producer;
    const Value* current = std::get<Value*>(node->args[0]);
    const std::vector<Value*> parts = decompose_call(graph_, view, context_);
    std::optional<ViewChain> steps = chain_between(current, parts.at(0));
    INGOT_CHECK(steps, fmt::format("{} is not made of views", twin));
    Alias alias = alias_of(target);
    for (ViewStep& step : *steps) {
      if (alias.strides) alias.strides = strides_after(step, *alias.strides);
      alias.chain.push_back(std::move(step));
    }
    alias.contents = parts[0];
    slot(target) = alias;
    slot(node->results.at(0)) = alias;
    if (parts[0] != made) graph_.erase_node(view);
    graph_.erase_node(node);
  }

  void add_mutation_outputs() {
    for (size_t i = 0; i < graph_.inputs().size(); ++i) {
      Value* input = graph_.inputs()[i];
      const Memory& memory = memories_[alias_of(input).memory];
      if (memory.version == 0) continue;
      ir::InputBinding& binding = model_.inputs[i];
      const auto index = static_cast<uint32_t>(i);
      if (binding.role == ir::InputRole::kUser) {
        model_.user_inputs[binding.index].mutated = true;
        model_.outputs.push_back({ir::OutputRole::kInputMutation, index});
      } else {
        check_no_overlap(i);
        binding.role = ir::InputRole::kState;
        model_.outputs.push_back({ir::OutputRole::kStateMutation, index});
      }
      graph_.outputs().push_back(memory.contents);
    }
  }

  // A buffer that is written must not share its memory with another tensor of another shape: the
  // write would have to show in both.
  void check_no_overlap(size_t input) const {
    const ir::Weight& weight = *weight_of(input);
    for (size_t i = 0; i < graph_.inputs().size(); ++i) {
      const ir::Weight* other = weight_of(i);
      if (!other || i == input || other->storage != weight.storage) continue;
      if (other->storage_offset == weight.storage_offset && other->sizes == weight.sizes &&
          other->strides == weight.strides) {
        continue;
      }
      throw CompileError(Diag::kUnsupportedCase,
                         fmt::format("the model writes the buffer {}, which shares its memory with "
                                     "{}",
                                     weight.name, other->name));
    }
  }

  ir::Model& model_;
  ir::Graph& graph_;
  PassContext& context_;
  ir::Builder builder_;
  std::vector<Memory> memories_;
  std::vector<std::optional<Alias>> aliases_;  // by Value::id
};

bool has_writes(const ir::Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(),
                     [](const Node* node) { return is_writing(*node); });
}

}  // namespace

bool functionalize(ir::Model& model, PassContext& context) {
  if (!has_writes(model.graph)) return false;
  Functionalizer(model, context).run();
  return true;
}

}  // namespace ingot::passes
