#include "ir/builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/test_operators.h"
#include "ir/verify.h"
#include "support/diagnostics.h"

namespace ingot::ir {
namespace {

using Exprs = std::vector<sym::Expr>;

class BuilderTest : public testing::Test {
 protected:
  BuilderTest() : b(model.graph, table) {
    model.locations.push_back({});
    model.user_inputs.push_back({});
    model.user_outputs.push_back({});
    model.inputs.push_back({InputRole::kUser, 0});
    x = model.graph.add_input("x", {DType::kF32, {4, 6}});
    b.set_origin(0, "origin");
  }

  void return_value(Value* value) {
    model.graph.outputs() = {value};
    model.outputs = {{OutputRole::kUser, 0}};
  }
  // The message of the InternalError that verify throws, or "" if it is content.
  std::string complaint() {
    try {
      verify(model);
    } catch (const InternalError& error) {
      return error.what();
    }
    return "";
  }

  Model model;
  TestOperatorTable table;
  Builder b;
  Value* x = nullptr;
};

const Schema& schema_of(std::string_view name) { return find_test_operator(name)->schema; }

TEST_F(BuilderTest, CompletesArguments) {
  const std::vector<Arg> args =
      complete_args(schema_of("aten.avg_pool2d.default"), {x, sym::Expr(3)});
  ASSERT_EQ(args.size(), 5u);
  EXPECT_EQ(std::get<Exprs>(args[1]), (Exprs{3, 3}));
  EXPECT_EQ(std::get<Exprs>(args[2]), Exprs{});
  EXPECT_EQ(std::get<std::vector<double>>(args[3]), (std::vector<double>{1, 1}));
  EXPECT_EQ(std::get<std::vector<bool>>(args[4]), std::vector<bool>{});
}

TEST_F(BuilderTest, ConvertsArguments) {
  const Schema& pool = schema_of("aten.avg_pool2d.default");
  const std::vector<Arg> args = complete_args(pool, {x, Exprs{2, 2}, Exprs{}, sym::Expr(2), true});
  EXPECT_EQ(std::get<std::vector<double>>(args[3]), (std::vector<double>{2, 2}));
  EXPECT_EQ(std::get<std::vector<bool>>(args[4]), (std::vector<bool>{true, true}));
  // An empty list has no type of its own; layouts and devices are dropped.
  EXPECT_TRUE(std::holds_alternative<std::vector<Value*>>(
      complete_args(schema_of("aten.cat.default"), {Exprs{}})[0]));
  const std::vector<Arg> full = complete_args(schema_of("aten.full.default"),
                                              {Exprs{2}, 1.0, DType::kI64, std::string("strided")});
  EXPECT_EQ(std::get<DType>(full[2]), DType::kI64);
  EXPECT_TRUE(is_none(full[3]));
}

TEST_F(BuilderTest, RejectsArgumentsThatDoNotFit) {
  EXPECT_THROW(complete_args(schema_of("aten.relu.default"), {}), InternalError);
  EXPECT_THROW(complete_args(schema_of("aten.relu.default"), {x, x}), InternalError);
  EXPECT_THROW(complete_args(schema_of("aten.relu.default"), {std::string("x")}), InternalError);
  EXPECT_THROW(complete_args(schema_of("aten.relu.default"), {static_cast<Value*>(nullptr)}),
               InternalError);
  // A number may stand for a 0-dimensional tensor.
  EXPECT_NO_THROW(complete_args(schema_of("aten.add.Tensor"), {x, 1.0}));
  EXPECT_THROW(complete_args(schema_of("ingot.reshape.default"), {x, sym::Expr(3)}), InternalError);
  EXPECT_THROW(b.call("aten.absent.default", {}), InternalError);
}

TEST_F(BuilderTest, NamesAndLocations) {
  Value* y = b.call("aten.relu.default", {x});
  EXPECT_EQ(y->name, "origin");
  EXPECT_EQ(y->producer->loc, 0u);
  b.set_origin(0, "");
  EXPECT_EQ(b.call("aten.relu.default", {x})->name, "relu");
  return_value(y);
  EXPECT_EQ(complaint(), "");
}

TEST_F(BuilderTest, ShorthandsThatDoNothing) {
  EXPECT_EQ(b.cast(x, DType::kF32), x);
  EXPECT_EQ(b.reshape(x, {4, 6}), x);
  EXPECT_EQ(b.permute(x, std::vector<int64_t>{0, 1}), x);
  EXPECT_EQ(b.expand(x, {4, 6}), x);
  EXPECT_EQ(b.slice(x, 0, 0, 4), x);
  EXPECT_EQ(b.slice(x, -1, -6, INT64_MAX), x);
  EXPECT_TRUE(model.graph.nodes().empty());
}

TEST_F(BuilderTest, Shorthands) {
  EXPECT_EQ(b.cast(x, DType::kF16)->producer->target(), "ingot.cast.default");
  EXPECT_EQ(b.transpose(x, 0, -1)->producer->constants("dims"), (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(b.unsqueeze(x, -1)->producer->integers("size"), (Exprs{4, 6, 1}));
  EXPECT_EQ(b.unsqueeze(x, 0)->producer->integers("size"), (Exprs{1, 4, 6}));
  EXPECT_EQ(b.sum(x, std::vector<int64_t>{1}, true)->producer->flag("keepdim"), true);
  const Node* full = b.full({2}, 3, DType::kI64)->producer;
  EXPECT_EQ(full->integer("fill_value"), sym::Expr(3));
  EXPECT_TRUE(std::holds_alternative<bool>(b.full({}, 1, DType::kBool)->producer->args[1]));
  EXPECT_TRUE(std::holds_alternative<double>(b.full({}, 1, DType::kBF16)->producer->args[1]));
}

TEST_F(BuilderTest, SliceBoundsAsInPython) {
  const auto bounds = [&](sym::Expr start, sym::Expr end) {
    const Node* node = b.slice(x, 1, start, end)->producer;
    return std::pair(node->constant("start"), node->constant("end"));
  };
  EXPECT_EQ(bounds(1, 100), std::pair(int64_t{1}, int64_t{6}));
  EXPECT_EQ(bounds(-2, INT64_MAX), std::pair(int64_t{4}, int64_t{6}));
  EXPECT_EQ(bounds(-100, -1), std::pair(int64_t{0}, int64_t{5}));
  EXPECT_EQ(bounds(5, 2), std::pair(int64_t{5}, int64_t{5}));
}

TEST_F(BuilderTest, VerifyFindsBrokenGraphs) {
  Value* y = b.call("aten.relu.default", {x});
  Value* z = b.call("aten.add.Tensor", {y, x});
  return_value(z);
  ASSERT_EQ(complaint(), "");

  Node* add = z->producer;
  add->args[0] = std::string("x");
  EXPECT_THAT(complaint(), testing::HasSubstr("argument self is of the wrong type"));
  add->args[0] = y;

  add->loc = 7;
  EXPECT_THAT(complaint(), testing::HasSubstr("has no location"));
  add->loc = 0;

  model.graph.move_node(add, y->producer);
  EXPECT_THAT(complaint(), testing::HasSubstr("operand %origin is not defined before"));
  model.graph.move_node(add, nullptr);

  add->args.pop_back();
  EXPECT_THAT(complaint(), testing::HasSubstr("2 arguments for 3 parameters"));
  add->args.push_back(sym::Expr::symbol("s9"));
  EXPECT_THAT(complaint(), testing::HasSubstr("symbol s9, which is not declared"));
  model.symbols.push_back({"s9", {}});
  EXPECT_EQ(complaint(), "");

  Graph other;
  Value* foreign = other.add_input("foreign", x->type);
  add->args[1] = foreign;
  EXPECT_THAT(complaint(), testing::HasSubstr("operand %foreign is not defined before"));
  add->args[1] = x;

  model.outputs.clear();
  EXPECT_THAT(complaint(), testing::HasSubstr("1 outputs, but 0 bindings"));
  model.outputs = {{OutputRole::kStateMutation, 0}};
  EXPECT_THAT(complaint(), testing::HasSubstr("updates an input of another role"));
  model.outputs = {{OutputRole::kInputMutation, 0}};
  EXPECT_EQ(complaint(), "");
  model.outputs = {{OutputRole::kUser, 3}};
  EXPECT_THAT(complaint(), testing::HasSubstr("bound to entry 3"));
  model.outputs = {{OutputRole::kUser, 0}};

  model.inputs = {{InputRole::kConstant, 0}};
  model.weights.push_back({"w", DType::kF32, {4, 5}, {5, 1}, 0, 0});
  model.storages.push_back({});
  EXPECT_THAT(complaint(), testing::HasSubstr("not of the type of its weight w"));
}

}  // namespace
}  // namespace ingot::ir
