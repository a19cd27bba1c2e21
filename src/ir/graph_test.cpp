#include "ir/graph.h"

#include <gtest/gtest.h>

#include "ir/model.h"
#include "ir/test_operators.h"
#include "support/diagnostics.h"

namespace ingot::ir {
namespace {

const TensorType kType{DType::kF32, {4}};

Node* relu(Graph& graph, Value* x, const std::string& name) {
  return graph.add_node(find_test_operator("aten.relu.default"), {x}, {kType}, name, 0);
}

std::string order(const Graph& graph) {
  std::string names;
  for (const auto& node : graph.nodes()) names += node->name + " ";
  return names;
}

TEST(Graph, InsertsBeforeANode) {
  Graph graph;
  Value* x = graph.add_input("x", kType);
  Node* a = relu(graph, x, "a");
  Node* c = relu(graph, a->results[0], "c");
  graph.set_insertion_point(c);
  relu(graph, x, "b1");
  relu(graph, x, "b2");
  graph.set_insertion_point(nullptr);
  relu(graph, x, "d");
  EXPECT_EQ(order(graph), "a b1 b2 c d ");
  EXPECT_EQ(graph.nodes().size(), 5u);
  EXPECT_EQ((*--graph.nodes().end())->name, "d");
}

TEST(Graph, ErasesAndMoves) {
  Graph graph;
  Value* x = graph.add_input("x", kType);
  std::vector<Node*> nodes;
  for (const char* name : {"a", "b", "c", "d"}) nodes.push_back(relu(graph, x, name));
  graph.set_insertion_point(nodes[2]);
  graph.erase_nodes({nodes[0], nodes[2]});
  EXPECT_EQ(order(graph), "b d ");
  relu(graph, x, "e");  // c's successor took over as the insertion point
  EXPECT_EQ(order(graph), "b e d ");
  graph.move_node(nodes[1], nullptr);
  EXPECT_EQ(order(graph), "e d b ");
  graph.move_node(nodes[1], nodes[1]->prev());
  EXPECT_EQ(order(graph), "e b d ");
}

TEST(Graph, NodesMayBeInsertedAndErasedWhileIterating) {
  Graph graph;
  Value* x = graph.add_input("x", kType);
  for (int i = 0; i < 3; ++i) relu(graph, x, "n" + std::to_string(i));
  for (const auto& node : graph.nodes()) {
    graph.set_insertion_point(node);
    relu(graph, x, "before_" + node->name);
    if (node->prev() && node->prev()->prev()) graph.erase_node(node->prev()->prev());
  }
  EXPECT_EQ(order(graph), "before_n0 before_n1 before_n2 n2 ");
}

TEST(Graph, ReplacesChainsOfUses) {
  Graph graph;
  Value* x = graph.add_input("x", kType);
  Value* y = graph.add_input("y", kType);
  Value* z = graph.add_input("z", kType);
  Node* cat = graph.add_node(find_test_operator("aten.cat.default"),
                             {std::vector<Value*>{x, y, nullptr}, sym::Expr(0)}, {kType}, "cat", 0);
  graph.outputs() = {x};
  graph.replace_uses({{x, y}, {y, z}});
  EXPECT_EQ(operands(*cat), (std::vector<Value*>{z, z}));
  EXPECT_EQ(graph.outputs()[0], z);
  EXPECT_EQ(use_counts(graph), (std::vector<uint32_t>{0, 0, 3, 0}));
  EXPECT_THROW(graph.replace_uses({{z, y}, {y, z}}), InternalError);
}

TEST(Graph, NamesResults) {
  Graph graph;
  Value* x = graph.add_input("x", kType);
  Node* split =
      graph.add_node(find_test_operator("aten.split_with_sizes.default"),
                     {x, std::vector<sym::Expr>{1, 3}, sym::Expr(0)}, {kType, kType}, "split", 0);
  EXPECT_EQ(split->results[1]->name, "split.1");
  EXPECT_EQ(split->results[1]->producer, split);
}

TEST(Node, TypedArguments) {
  Graph graph;
  Value* x = graph.add_input("x", kType);
  Node* node = graph.add_node(find_test_operator("aten.add.Scalar"),
                              {x, sym::Expr::symbol("s0"), true}, {kType}, "add", 0);
  EXPECT_EQ(node->tensor("self"), x);
  EXPECT_EQ(node->number("alpha"), 1.0);
  EXPECT_EQ(node->integer("other"), sym::Expr::symbol("s0"));
  EXPECT_THROW(node->constant("other"), CompileError);
  EXPECT_THROW(node->number("other"), CompileError);
  EXPECT_THROW(node->integer("self"), InternalError);
  EXPECT_THROW(node->arg("absent"), InternalError);
  EXPECT_TRUE(is_none(node->arg_or_none("absent")));
  Node* linear = graph.add_node(find_test_operator("aten.linear.default"), {x, x, Arg()}, {kType},
                                "linear", 0);
  EXPECT_EQ(linear->tensor_or_null("bias"), nullptr);
  EXPECT_THROW(linear->tensor("bias"), InternalError);
}

TEST(Model, LocationNotes) {
  Model model;
  model.symbols.push_back({"s0", {1, 8}});
  model.locations.push_back({"net.py", 12, "forward", "y = f(x)", "layers.3 (Linear)", "linear_2"});
  model.locations.push_back({});
  EXPECT_EQ(location_notes(model, 0),
            (std::vector<std::string>{"at net.py:12 in forward: y = f(x)",
                                      "in layers.3 (Linear), export node %linear_2"}));
  EXPECT_TRUE(location_notes(model, 1).empty());
  EXPECT_TRUE(location_notes(model, kNoLoc).empty());
  EXPECT_EQ(model.ranges().at("s0"), (sym::Range{1, 8}));
}

}  // namespace
}  // namespace ingot::ir
