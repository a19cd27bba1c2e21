#include "import/import_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "import/describe.h"
#include "import/test_archive.h"
#include "ir/text.h"
#include "ir/verify.h"

namespace ingot::pt2 {
namespace {

using program::InputKind;
using program::OutputKind;
using test_json::call;
using test_json::meta;
using test_json::named;
using test_json::tensor;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kS0[] = "Symbol('s0', positive=True, integer=True)";

std::unique_ptr<ir::Model> import_valid(const TestProgram& program) {
  std::unique_ptr<ir::Model> model = import_program(program);
  ir::verify(*model);
  return model;
}

Diagnostic error_of(const TestProgram& program) { return import_error(program.zip().build()); }

void expect_error(const TestProgram& program, Diag id, const std::string& part) {
  const Diagnostic error = error_of(program);
  EXPECT_EQ(error.id, id) << error.message;
  EXPECT_THAT(to_string(error), HasSubstr(part));
}

// A program of one tensor x: f32[s0, 4] with s0 in [1, 8], without nodes.
TestProgram empty_program() {
  TestProgram program;
  program.add_input("x", meta(7, {kS0, "4"}));
  program.ranges.push_back(R"("s0":{"min_val":1,"max_val":8})");
  return program;
}

// Adds a call `name = target(inputs)` whose result is like x.
void add_call(TestProgram& program, const std::string& target, const std::string& name,
              const std::vector<std::string>& inputs) {
  program.graph.value(name, meta(7, {kS0, "4"}));
  program.graph.nodes.push_back(call(target, inputs, {tensor(name)}));
}

TEST(ImportModel, Linear) {
  const auto model = import_valid(linear_program());
  EXPECT_EQ(ir::to_string(*model),
            "symbol s0 in [1, 8]\n"
            "graph main(const %p_w \"lin.weight\": f32[3, 4], const %p_b \"lin.bias\": f32[3], "
            "%x: f32[s0, 4]) {\n"
            "  %linear: f32[s0, 3] = aten.linear.default(%x, %p_w, %p_b)\n"
            "  return %linear\n"
            "}\n");
  EXPECT_THAT(model->warnings, IsEmpty());
  EXPECT_THAT(model->guards, IsEmpty());
  EXPECT_THAT(ir::location_notes(*model, model->graph.nodes().front()->loc),
              ElementsAre("at model.py:7 in forward: return self.lin(x)",
                          "in lin (Linear), export node %linear"));
  // The weights are those of the archive, which stays mapped.
  ASSERT_EQ(model->storages.size(), 2u);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(model->storages[1].data), 12),
            std::string(12, '\2'));
}

TEST(ImportModel, FillsInDefaultsByName) {
  TestProgram program = empty_program();
  // Out of the schema's order, one argument left out.
  add_call(program, "torch.ops.aten.softmax.int", "y",
           {named("dim", R"({"as_int":-1})"), named("self", tensor("x"))});
  program.add_output("y");
  const auto model = import_valid(program);
  EXPECT_THAT(ir::to_string(*model), HasSubstr("aten.softmax.int(%x, -1, none)"));
}

TEST(ImportModel, SharesStoragesOfTiedAndOffsetWeights) {
  TestProgram program = empty_program();
  program.add_weight("p_a", "a", meta(7, {"4", "4"}), "weight_0");
  program.add_weight("p_b", "b", meta(7, {"4", "4"}, {"1", "4"}), "weight_0");
  program.add_weight("p_c", "c", meta(7, {"4"}, {"1"}, 12), "weight_0");
  program.add_weight("p_unused", "unused", meta(7, {"4"}), "weight_1");
  program.records = {{"weight_0", std::string(64, '\1')}, {"weight_1", std::string(16, '\1')}};
  add_call(
      program, "torch.ops.aten.linear.default", "l",
      {named("input", tensor("x")), named("weight", tensor("p_a")), named("bias", tensor("p_c"))});
  add_call(program, "torch.ops.aten.linear.default", "m",
           {named("input", tensor("l")), named("weight", tensor("p_b"))});
  program.add_output("m");
  const auto model = import_valid(program);
  ASSERT_EQ(model->weights.size(), 3u);
  ASSERT_EQ(model->storages.size(), 1u);
  EXPECT_THAT(model->weights[1].strides, ElementsAre(1, 4));
  EXPECT_EQ(model->weights[2].storage_offset, 12);
}

TEST(ImportModel, NamesNestedInputsAndOutputs) {
  TestProgram program;
  for (const char* name : {"ids", "batch_mask", "rest_0", "scale"}) {
    program.add_input(name, meta(7, {"4"}));
  }
  program.graph.inputs.push_back(R"({"as_int":3})");
  program.input_specs.push_back(R"({"constant_input":{"name":"k","value":{"as_int":3}}})");
  const std::string leaf = R"({"type":null,"context":null,"children_spec":[]})";
  program.in_spec =
      R"([1,{"type":"builtins.tuple","context":"null","children_spec":[)"
      R"({"type":"builtins.tuple","context":"null","children_spec":[)" +
      leaf + R"(,{"type":"builtins.dict","context":"[\"mask\"]","children_spec":[)" + leaf + "]}," +
      leaf + R"(]},{"type":"builtins.dict","context":"[\"scale\",\"k\"]","children_spec":[)" +
      leaf + "," + leaf + "]}]}]";
  program.out_spec =
      R"([1,{"type":"builtins.dict","context":"[\"logits\",\"pair\"]","children_spec":[)" + leaf +
      R"(,{"type":"builtins.tuple","context":"null","children_spec":[)" + leaf + "," + leaf +
      "]}]}]";
  program.forward_arg_names = {"ids", "batch", "rest_0"};
  for (const char* name : {"ids", "scale"}) {
    program.graph.value(std::string(name) + "_", meta(7, {"4"}));
    program.graph.nodes.push_back(call("torch.ops.aten.exp.default", {named("self", tensor(name))},
                                       {tensor(std::string(name) + "_")}));
    program.add_output(std::string(name) + "_");
  }
  program.add_output("ids_");
  const auto model = import_valid(program);
  std::vector<std::string> inputs, outputs;
  for (const auto& input : model->user_inputs) inputs.push_back(input.name);
  for (const auto& output : model->user_outputs) outputs.push_back(output.name);
  EXPECT_THAT(inputs, ElementsAre("ids", "batch.mask", "rest_0", "scale", "k"));
  EXPECT_THAT(outputs, ElementsAre("logits", "pair.0", "pair.1"));
  EXPECT_EQ(model->user_inputs[4].kind, InputKind::kBurnedIn);
  EXPECT_EQ(model->user_inputs[4].literal.int_value, 3);
}

TEST(ImportModel, OutputsThatAreLiteralsInputsAndTwice) {
  TestProgram program = empty_program();
  add_call(program, "torch.ops.aten.exp.default", "y", {named("self", tensor("x"))});
  for (const char* output :
       {R"({"as_tensor":{"name":"y"}})", R"({"as_tensor":{"name":"x"}})", R"({"as_none":true})",
        R"({"as_tensor":{"name":"y"}})", R"({"as_string":"text"})", R"({"as_float":"NaN"})",
        R"({"as_sym_int":{"as_name":"n"}})", R"({"as_bool":true})"}) {
    program.graph.outputs.push_back(output);
    program.output_specs.push_back(test_json::user_output(output));
  }
  program.graph.sym_int_values.push_back(
      "\"n\":" + test_json::size(std::string("Mul(Integer(2), ") + kS0 + ")"));
  program.graph.nodes.push_back(call("torch.ops.aten.sym_numel.default",
                                     {named("self", tensor("x"))},
                                     {R"({"as_sym_int":{"as_name":"n"}})"}));
  const auto model = import_valid(program);
  std::vector<OutputKind> kinds;
  for (const auto& output : model->user_outputs) kinds.push_back(output.kind);
  EXPECT_THAT(kinds, ElementsAre(OutputKind::kTensor, OutputKind::kInput, OutputKind::kLiteral,
                                 OutputKind::kTensor, OutputKind::kLiteral, OutputKind::kLiteral,
                                 OutputKind::kScalar, OutputKind::kLiteral));
  EXPECT_EQ(model->user_outputs[1].input, 0u);
  EXPECT_EQ(sym::to_string(model->user_outputs[6].scalar), "2*s0");
  ASSERT_EQ(model->outputs.size(), 2u);  // the two tensors, which are one value
  EXPECT_EQ(model->graph.outputs()[0], model->graph.outputs()[1]);
  EXPECT_EQ(model->outputs[1].index, 3u);
}

TEST(ImportModel, MutationsOfDecomposedPrograms) {
  TestProgram program = empty_program();
  program.graph.inputs.push_back(tensor("b_count"));
  program.graph.value("b_count", meta(7, {"4"}));
  program.input_specs.push_back(test_json::buffer("b_count", "count"));
  program.weights_config.push_back(TestProgram::config("count", meta(7, {"4"}), "weight_0"));
  program.records = {{"weight_0", std::string(16, '\0')}};
  program.graph.value("next", meta(7, {"4"}));
  program.graph.nodes.push_back(
      call("torch.ops.aten.exp.default", {named("self", tensor("b_count"))}, {tensor("next")}));
  add_call(program, "torch.ops.aten.exp.default", "y", {named("self", tensor("x"))});
  program.graph.outputs = {tensor("next"), tensor("y"), tensor("y")};
  program.output_specs = {R"({"buffer_mutation":{"arg":{"name":"next"},"buffer_name":"count"}})",
                          R"({"user_input_mutation":{"arg":{"name":"y"},"user_input_name":"x"}})",
                          test_json::user_output(tensor("y"))};
  const auto model = import_valid(program);
  ASSERT_EQ(model->outputs.size(), 3u);
  EXPECT_EQ(model->outputs[0].role, ir::OutputRole::kStateMutation);
  EXPECT_EQ(model->inputs[model->outputs[0].index].role, ir::InputRole::kState);
  EXPECT_EQ(model->outputs[1].role, ir::OutputRole::kInputMutation);
  EXPECT_TRUE(model->user_inputs[0].mutated);

  program.output_specs[0] = R"({"buffer_mutation":{"arg":{"name":"next"},"buffer_name":"other"}})";
  expect_error(program, Diag::kBadGraph, "updates 'other', which is no input");
  program.output_specs[0] = R"({"buffer_mutation":{"arg":{"name":"y"},"buffer_name":"count"}})";
  expect_error(program, Diag::kBadGraph, "'count' are of another type");
}

TEST(ImportModel, NumbersInPlaceOfTensorsKeepTheirType) {
  TestProgram program = empty_program();
  add_call(program, "torch.ops.aten.mul.Tensor", "a",
           {named("self", tensor("x")), named("other", R"({"as_int":2})")});
  add_call(program, "torch.ops.aten.mul.Tensor", "b",
           {named("self", tensor("a")), named("other", R"({"as_float":2.0})")});
  add_call(program, "torch.ops.aten.mul.Tensor", "c",
           {named("self", tensor("b")), named("other", R"({"as_bool":true})")});
  program.add_output("c");
  const auto model = import_valid(program);
  const std::string text = ir::to_string(*model);
  EXPECT_THAT(text, HasSubstr("aten.mul.Tensor(%x, 2)"));
  EXPECT_THAT(text, HasSubstr("aten.mul.Tensor(%a, 2.0)"));
  EXPECT_THAT(text, HasSubstr("aten.mul.Tensor(%b, true)"));
}

TEST(ImportModel, SizesAreExpressions) {
  TestProgram program = empty_program();
  program.graph.nodes.push_back(call("torch.ops.aten.sym_size.int",
                                     {named("self", tensor("x")), named("dim", R"({"as_int":0})")},
                                     {R"({"as_sym_int":{"as_name":"n"}})"}));
  // Not in the table of values: the importer computes it.
  program.graph.nodes.push_back(
      call("_operator.mul",
           {named("a", R"({"as_sym_int":{"as_name":"n"}})"), named("b", R"({"as_int":4})")},
           {R"({"as_sym_int":{"as_name":"m"}})"}));
  program.graph.sym_int_values.push_back("\"n\":" + test_json::size(kS0));
  program.graph.value("v", meta(7, {std::string("Mul(Integer(4), ") + kS0 + ")"}));
  program.graph.nodes.push_back(
      call("torch.ops.aten.view.default",
           {named("self", tensor("x")), named("size", R"({"as_sym_ints":[{"as_name":"m"}]})")},
           {tensor("v")}));
  program.add_output("v");
  const auto model = import_valid(program);
  EXPECT_EQ(model->graph.nodes().size(), 1u);
  EXPECT_THAT(ir::to_string(*model), HasSubstr("%v: f32[4*s0] = aten.view.default(%x, [4*s0])"));
}

TEST(ImportModel, NumbersAsInputs) {
  TestProgram program = empty_program();
  for (const char* name : {"n", "m"}) {
    const std::string arg = std::string(R"({"as_sym_int":{"as_name":")") + name + "\"}}";
    program.graph.inputs.push_back(arg);
    program.input_specs.push_back(test_json::user_input(arg));
  }
  program.graph.sym_int_values = {R"("n":)" + test_json::size("Symbol('s1', integer=True)"),
                                  R"("m":{"as_int":5})"};
  program.ranges.push_back(R"("s1":{"min_val":-4,"max_val":null})");
  program.guards = {"L['n'] <= 100"};
  add_call(program, "torch.ops.aten.exp.default", "y", {named("self", tensor("x"))});
  program.add_output("y");
  const auto model = import_valid(program);
  ASSERT_EQ(model->user_inputs.size(), 3u);
  EXPECT_EQ(model->user_inputs[1].kind, InputKind::kScalar);
  EXPECT_EQ(model->user_inputs[1].symbol, "s1");
  EXPECT_EQ(model->user_inputs[2].kind, InputKind::kBurnedIn);
  EXPECT_EQ(model->user_inputs[2].literal.int_value, 5);
  ASSERT_EQ(model->symbols.size(), 2u);
  EXPECT_EQ(model->symbols[1].range, (sym::Range{-4, INT64_MAX}));
  ASSERT_EQ(model->guards.size(), 1u);
  EXPECT_EQ(model->guards[0].text, "n <= 100");
}

TEST(ImportModel, Guards) {
  TestProgram program;
  program.add_input("x", meta(7, {"Symbol('s0')", "Symbol('s1')"}));
  program.add_input("z", meta(7, {"Mul(Integer(2), Symbol('s0'))"}));
  program.ranges = {R"("s0":{"min_val":1,"max_val":64})", R"("s1":{"min_val":0,"max_val":null})",
                    R"("2*s0":{"min_val":4,"max_val":128})", R"("u7":{"min_val":0,"max_val":3})"};
  program.guards = {"(L['x'].size()[0] % 8) == 0",
                    "L['x'].size()[0] <= 100",                          // holds anyway
                    "L['z'].size()[0] == (2*L['x'].size()[0])",         // holds anyway
                    "L['x'].size()[1] != L['flat_args'][1].size()[0]",  // strict mode's spelling
                    "L['x'].stride()[0] == 1"};
  program.graph.value("y", meta(7, {"Symbol('s0')", "Symbol('s1')"}));
  program.graph.nodes.push_back(
      call("torch.ops.aten.exp.default", {named("self", tensor("x"))}, {tensor("y")}));
  program.add_output("y");
  const auto model = import_valid(program);
  std::vector<std::string> texts;
  for (const auto& guard : model->guards) texts.push_back(guard.text);
  EXPECT_THAT(texts, ElementsAre("z.size(0) >= 4", "x.size(0) % 8 == 0", "x.size(1) != z.size(0)"));
  EXPECT_EQ(model->guards[2].condition,
            sym::ne(2 * sym::Expr::symbol("s0"), sym::Expr::symbol("s1")));
  ASSERT_EQ(model->warnings.size(), 1u);
  EXPECT_THAT(model->warnings[0], HasSubstr("L['x'].stride()[0] == 1"));
}

TEST(ImportModel, DerivedSizesDetermineTheirSymbol) {
  TestProgram program;
  program.add_input("x", meta(7, {"Add(Mul(Integer(2), Symbol('s0')), Integer(1))"}));
  program.add_input("z", meta(7, {"Add(Symbol('s0'), Symbol('s1'))"}));
  program.graph.value("y", meta(7, {"Symbol('s1')"}));
  program.graph.nodes.push_back(
      call("torch.ops.aten.exp.default", {named("self", tensor("x"))}, {tensor("y")}));
  program.add_output("y");
  EXPECT_EQ(import_valid(program)->symbols.size(), 2u);

  TestProgram unsolvable;
  unsolvable.add_input("x", meta(7, {"Mul(Symbol('s0'), Symbol('s1'))"}));
  unsolvable.add_output("x");
  expect_error(unsolvable, Diag::kUnsupportedCase, "symbol s0 cannot be told from the inputs");
}

TEST(ImportModel, AssertionsOfSizesBecomeGuards) {
  TestProgram program = empty_program();
  const std::string is_even = std::string("Equality(Mod(") + kS0 + ", Integer(2)), Integer(0))";
  program.graph.sym_bool_values.push_back("\"ok\":" + test_json::size(is_even));
  program.graph.nodes.push_back(call("_operator.eq", {named("a", R"({"as_int":0})")},
                                     {R"({"as_sym_bool":{"as_name":"ok"}})"}));
  program.graph.nodes.push_back(
      call("torch.ops.aten._assert_scalar.default",
           {named("self", R"({"as_sym_bool":{"as_name":"ok"}})"),
            named("assert_msg", R"({"as_string":"the batch must be even"})")},
           {}));
  add_call(program, "torch.ops.aten.exp.default", "y", {named("self", tensor("x"))});
  program.add_output("y");
  const auto model = import_valid(program);
  ASSERT_EQ(model->guards.size(), 1u);
  EXPECT_EQ(sym::to_string(model->guards[0].condition), "s0 % 2 == 0");
  EXPECT_EQ(model->guards[0].text, "the batch must be even");
}

// A region's graph: z = exp(a), names of its own.
std::string region_graph() {
  test_json::Graph body;
  body.inputs = {tensor("x")};
  body.outputs = {tensor("y")};
  body.value("x", meta(7, {kS0, "4"}));
  body.value("y", meta(7, {kS0, "4"}));
  body.nodes.push_back(
      call("torch.ops.aten.exp.default", {named("self", tensor("x"))}, {tensor("y")}));
  return R"({"as_graph":{"name":"g","graph":)" + body.json() + "}}";
}

TEST(ImportModel, DissolvesNoGradRegions) {
  TestProgram program = empty_program();
  add_call(program, "torch.ops.aten.exp.default", "y", {named("self", tensor("x"))});
  add_call(program, "torch.ops.higher_order.wrap_with_set_grad_enabled", "r",
           {named("", R"({"as_bool":false})"), named("", region_graph()), named("", tensor("y"))});
  // The encoding of 2.6: one list of results.
  program.graph.nodes.push_back(
      call("torch.ops.higher_order.wrap_with_set_grad_enabled",
           {named("", R"({"as_bool":false})"), named("", region_graph()), named("", tensor("r"))},
           {R"({"as_tensors":[{"name":"q"}]})"}));
  program.graph.value("q", meta(7, {kS0, "4"}));
  program.add_output("q");
  const auto model = import_valid(program);
  EXPECT_EQ(model->graph.nodes().size(), 3u);
  EXPECT_THAT(ir::to_string(*model), HasSubstr("%y.2: f32[s0, 4] = aten.exp.default(%y.1)"));
}

TEST(ImportModel, ReportsEverythingUnsupportedAtOnce) {
  TestProgram program = empty_program();
  add_call(program, "torch.ops.mylib.magic.default", "a", {named("self", tensor("x"))});
  add_call(program, "torch.ops.mylib.magic.default", "b", {named("self", tensor("a"))});
  add_call(program, "torch.ops.mylib.trick.fast", "c",
           {named("self", tensor("b")), named("n", R"({"as_complex":{"real":1,"imag":2}})")});
  add_call(program, "torch.ops.aten.exp.default", "d", {named("self", tensor("c"))});
  program.graph.nodes.push_back(call("torch.ops.aten.item.default", {named("self", tensor("d"))},
                                     {R"({"as_sym_int":{"as_name":"u"}})"}));
  // Uses of what is unknown are not reported again.
  program.graph.nodes.push_back(
      call("_operator.add",
           {named("a", R"({"as_sym_int":{"as_name":"u"}})"), named("b", R"({"as_int":1})")},
           {R"({"as_sym_int":{"as_name":"v"}})"}));
  add_call(program, "torch.ops.aten.view.default", "e",
           {named("self", tensor("d")),
            named("size", R"({"as_sym_ints":[{"as_name":"v"},{"as_int":4}]})")});
  add_call(program, "torch.ops.higher_order.mystery", "f",
           {named("", region_graph()), named("", tensor("e"))});
  program.add_output("f");
  const Diagnostic error = error_of(program);
  EXPECT_EQ(error.id, Diag::kUnsupportedOperator);
  EXPECT_EQ(error.message, "the model calls 4 operators that Ingot has no kernels for (5 calls)");
  EXPECT_THAT(error.notes,
              ElementsAre("aten.item.default: once; first export node %torch.ops.aten.item.default",
                          "higher_order.mystery.default: once; first export node %f",
                          "mylib.magic.default: 2 times; first export node %a",
                          "mylib.trick.fast: once; first export node %c"));
}

TEST(ImportModel, ReportsElementTypesWithoutKernels) {
  TestProgram program = empty_program();
  program.graph.value("y", meta(10, {kS0, "4"}));
  program.graph.nodes.push_back(
      call("torch.ops.aten.exp.default", {named("self", tensor("x"))}, {tensor("y")}));
  program.add_output("y");
  expect_error(program, Diag::kUnsupportedDtype, "complex64: 1 value, first %y");
}

TEST(ImportModel, RefusesInconsistentGraphs) {
  const auto with_call = [](const std::vector<std::string>& inputs, const std::string& output) {
    TestProgram program = empty_program();
    program.graph.value("y", meta(7, {kS0, "4"}));
    program.graph.nodes.push_back(call("torch.ops.aten.softmax.int", inputs, {output}));
    program.add_output("y");
    return program;
  };
  const std::string dim = named("dim", R"({"as_int":1})");
  expect_error(with_call({named("self", tensor("ghost")), dim}, tensor("y")), Diag::kBadGraph,
               "%ghost is used, but nothing before defines it");
  // A cycle: y needs itself.
  expect_error(with_call({named("self", tensor("y")), dim}, tensor("y")), Diag::kBadGraph,
               "%y is used, but nothing before defines it");
  expect_error(with_call({named("self", tensor("x"))}, tensor("y")), Diag::kBadGraph,
               "aten.softmax.int lacks its argument 'dim'");
  expect_error(with_call({named("self", tensor("x")), dim, dim}, tensor("y")), Diag::kBadGraph,
               "is given 'dim' twice");
  expect_error(
      with_call({named("self", tensor("x")), named("axis", R"({"as_int":1})")}, tensor("y")),
      Diag::kBadGraph, "has no parameter 'axis'");
  expect_error(
      with_call({named("self", tensor("x")), named("dim", R"({"as_string":"1"})")}, tensor("y")),
      Diag::kBadGraph, "argument 'dim' of aten.softmax.int is of a kind");
  expect_error(with_call({named("self", tensor("x")), named("dim", tensor("x"))}, tensor("y")),
               Diag::kBadGraph, "argument 'dim' of aten.softmax.int is of a kind");
  expect_error(with_call({named("self", tensor("x")), dim}, tensor("untyped")), Diag::kBadGraph,
               "of what type the tensor %untyped is");
  expect_error(with_call({named("self", tensor("x")), dim}, R"({"as_tensors":[]})"),
               Diag::kBadGraph, "has 0 results, but its schema 1");

  TestProgram dangling = empty_program();
  dangling.graph.value("z", meta(7, {"4"}));
  dangling.add_output("z");
  expect_error(dangling, Diag::kBadGraph, "%z is used, but nothing before defines it");

  TestProgram empty_range = linear_program();
  empty_range.ranges = {R"("s0":{"min_val":8,"max_val":1})"};
  expect_error(empty_range, Diag::kBadGraph, "the range of s0 is empty");
}

TEST(ImportModel, NamesTheUsersLineInErrors) {
  TestProgram program = linear_program();
  program.graph.nodes[0].replace(program.graph.nodes[0].find("\"bias\""), 6, "\"base\"");
  const Diagnostic error = error_of(program);
  EXPECT_EQ(error.id, Diag::kBadGraph);
  EXPECT_THAT(error.notes, ElementsAre("at model.py:7 in forward: return self.lin(x)",
                                       "in lin (Linear), export node %linear"));
}

TEST(ImportModel, RefusesTrainingSteps) {
  TestProgram program = empty_program();
  add_call(program, "torch.ops.aten.exp.default", "y", {named("self", tensor("x"))});
  program.add_output("y");
  program.graph.outputs.push_back(tensor("y"));
  program.output_specs.push_back(
      R"({"gradient_to_parameter":{"arg":{"name":"y"},"parameter_name":"w"}})");
  expect_error(program, Diag::kUnsupportedCase, "computes gradients");
}

TEST(ImportModel, RefusesExpressionsItCannotCompute) {
  TestProgram program = empty_program();
  program.graph.value("y", meta(7, {std::string("OpaqueUnaryFn_sqrt(") + kS0 + ")"}));
  program.graph.nodes.push_back(
      call("torch.ops.aten.exp.default", {named("self", tensor("x"))}, {tensor("y")}));
  program.add_output("y");
  expect_error(program, Diag::kUnsupportedOperator, "has a size that Ingot cannot compute");
  // Sizes that depend on data, of an operator that is itself supported.
  program = empty_program();
  program.graph.value("y", meta(7, {"Symbol('u0', integer=True)", "4"}));
  program.graph.nodes.push_back(
      call("torch.ops.aten.exp.default", {named("self", tensor("x"))}, {tensor("y")}));
  program.add_output("y");
  expect_error(program, Diag::kUnsupportedCase, "depends on the data of a tensor through u0");
}

TEST(ImportModel, MentionsOtherModelsOfTheArchive) {
  TestZip zip = linear_program().zip();
  zip.add("m/models/other.json", "{}");
  const auto model = import_bytes(zip.build());
  ASSERT_EQ(model->warnings.size(), 1u);
  EXPECT_EQ(model->warnings[0], "the archive holds 2 models: took 'model'");
}

// Damage anywhere is refused or harmless: what changes the model is noticed.
TEST(ImportModel, AnyFlippedByteIsRefusedOrHarmless) {
  const std::string good = linear_program().zip().build();
  const auto summary = [](const ir::Model& model) {
    std::string text = ir::to_string(model);
    for (const ir::Weight& weight : model.weights) {
      const ir::Storage& storage = model.storages[weight.storage];
      text += std::string(reinterpret_cast<const char*>(storage.data), storage.bytes);
    }
    return text;
  };
  const std::string expected = summary(*import_bytes(good));
  for (size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ (1 << (at % 8)));
    try {
      EXPECT_EQ(summary(*import_bytes(bad)), expected) << at;
    } catch (const CompileError&) {
    }
  }
}

}  // namespace
}  // namespace ingot::pt2
