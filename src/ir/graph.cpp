#include "ir/graph.h"

#include <fmt/core.h>

#include "support/diagnostics.h"

namespace ingot::ir {

namespace {

[[noreturn]] void wrong_type(const Node& node, std::string_view param, std::string_view wanted) {
  throw InternalError(
      fmt::format("argument {} of {} (%{}) is not {}", param, node.target(), node.name, wanted));
}

template <typename T>
const T& typed(const Node& node, std::string_view param, std::string_view wanted) {
  const T* value = std::get_if<T>(&node.arg(param));
  if (!value) wrong_type(node, param, wanted);
  return *value;
}

int64_t constant_of(const Node& node, std::string_view param, const sym::Expr& expr) {
  if (auto value = expr.as_const()) return *value;
  throw CompileError(Diag::kUnsupportedCase,
                     fmt::format("argument {} of {} (%{}) depends on a dynamic size: {}", param,
                                 node.target(), node.name, sym::to_string(expr)));
}

}  // namespace

std::vector<sym::Expr> to_exprs(std::span<const int64_t> values) {
  return {values.begin(), values.end()};
}

void Value::fail_dimension(int64_t dim) const {
  throw CompileError(Diag::kShapeMismatch, fmt::format("%{} has {} dimensions, so no dimension {}",
                                                       name, type.rank(), dim));
}

const Arg& Node::arg(std::string_view param) const {
  const int position = op->schema.find_param(param);
  INGOT_CHECK(position >= 0, fmt::format("{} has no parameter {}", target(), param));
  INGOT_CHECK(static_cast<size_t>(position) < args.size(),
              fmt::format("{} (%{}) lacks its argument {}", target(), name, param));
  return args[static_cast<size_t>(position)];
}

Arg Node::arg_or_none(std::string_view param) const {
  return has_param(param) ? arg(param) : Arg();
}

Value* Node::tensor(std::string_view param) const {
  Value* value = typed<Value*>(*this, param, "a tensor");
  if (!value) wrong_type(*this, param, "a tensor");
  return value;
}

Value* Node::tensor_or_null(std::string_view param) const {
  return is_none(arg(param)) ? nullptr : typed<Value*>(*this, param, "a tensor or none");
}

const std::vector<Value*>& Node::tensors(std::string_view param) const {
  return typed<std::vector<Value*>>(*this, param, "a list of tensors");
}

sym::Expr Node::integer(std::string_view param) const {
  return typed<sym::Expr>(*this, param, "an integer");
}

int64_t Node::constant(std::string_view param) const {
  return constant_of(*this, param, typed<sym::Expr>(*this, param, "an integer"));
}

const std::vector<sym::Expr>& Node::integers(std::string_view param) const {
  return typed<std::vector<sym::Expr>>(*this, param, "a list of integers");
}

std::vector<int64_t> Node::constants(std::string_view param) const {
  std::vector<int64_t> values;
  for (const sym::Expr& expr : integers(param)) values.push_back(constant_of(*this, param, expr));
  return values;
}

double Node::number(std::string_view param) const {
  const Arg& value = arg(param);
  if (const auto* expr = std::get_if<sym::Expr>(&value)) {
    return static_cast<double>(constant_of(*this, param, *expr));
  }
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? 1.0 : 0.0;
  return typed<double>(*this, param, "a number");
}

bool Node::flag(std::string_view param) const { return typed<bool>(*this, param, "a bool"); }

const std::string& Node::text(std::string_view param) const {
  return typed<std::string>(*this, param, "a string");
}

DType Node::dtype_or(std::string_view param, DType otherwise) const {
  return is_none(arg(param)) ? otherwise : typed<DType>(*this, param, "a dtype");
}

std::vector<Value*> operands(const Node& node) {
  std::vector<Value*> values;
  for (const Arg& arg : node.args) {
    if (const auto* value = std::get_if<Value*>(&arg)) {
      if (*value) values.push_back(*value);
    } else if (const auto* list = std::get_if<std::vector<Value*>>(&arg)) {
      for (Value* element : *list) {
        if (element) values.push_back(element);
      }
    }
  }
  return values;
}

Graph::~Graph() {
  for (Node* node = first_; node;) {
    Node* next = node->next_;
    delete node;
    node = next;
  }
}

Value* Graph::add_input(std::string name, TensorType type) {
  auto value = std::make_unique<Value>();
  value->id = value_count();
  value->name = std::move(name);
  value->type = std::move(type);
  inputs_.push_back(value.get());
  values_.push_back(std::move(value));
  return inputs_.back();
}

Node* Graph::add_node(const Operator* op, std::vector<Arg> args, std::vector<TensorType> types,
                      std::string name, LocId loc) {
  auto node = std::make_unique<Node>();
  node->op = op;
  node->args = std::move(args);
  node->name = std::move(name);
  node->loc = loc;
  for (size_t i = 0; i < types.size(); ++i) {
    auto value = std::make_unique<Value>();
    value->id = value_count();
    value->name = types.size() == 1 ? node->name : fmt::format("{}.{}", node->name, i);
    value->type = std::move(types[i]);
    value->producer = node.get();
    value->result = static_cast<uint32_t>(i);
    node->results.push_back(value.get());
    values_.push_back(std::move(value));
  }
  link(node.get(), insertion_point_);
  return node.release();
}

void Graph::link(Node* node, Node* before) {
  node->next_ = before;
  node->prev_ = before ? before->prev_ : last_;
  (node->prev_ ? node->prev_->next_ : first_) = node;
  (before ? before->prev_ : last_) = node;
  ++size_;
}

void Graph::unlink(Node* node) {
  if (insertion_point_ == node) insertion_point_ = node->next_;
  (node->prev_ ? node->prev_->next_ : first_) = node->next_;
  (node->next_ ? node->next_->prev_ : last_) = node->prev_;
  --size_;
}

void Graph::erase_node(Node* node) {
  for (Value* result : node->results) result->producer = nullptr;
  unlink(node);
  delete node;
}

void Graph::erase_nodes(const std::set<const Node*>& nodes) {
  for (Node* node = first_; node;) {
    Node* next = node->next_;
    if (nodes.contains(node)) erase_node(node);
    node = next;
  }
}

void Graph::move_node(Node* node, Node* before) {
  if (node == before) return;
  Node* const insertion_point = insertion_point_;
  unlink(node);
  link(node, before);
  insertion_point_ = insertion_point;
}

void Graph::replace_uses(const std::map<Value*, Value*>& replacements) {
  if (replacements.empty()) return;
  const auto replace = [&](Value*& value) {
    // A chain longer than the map goes round in a circle.
    size_t steps = 0;
    for (auto it = replacements.find(value); it != replacements.end();
         it = replacements.find(value)) {
      if (it->second == value) return;
      INGOT_CHECK(steps++ <= replacements.size(), "replacements of values form a cycle");
      value = it->second;
    }
  };
  for (Node* node : nodes()) for_each_operand(*node, replace);
  for (Value*& output : outputs_) replace(output);
}

std::vector<uint32_t> use_counts(const Graph& graph) {
  std::vector<uint32_t> counts(graph.value_count(), 0);
  for (const Node* node : graph.nodes()) {
    for (const Value* value : operands(*node)) ++counts[value->id];
  }
  for (const Value* value : graph.outputs()) ++counts[value->id];
  return counts;
}

}  // namespace ingot::ir
