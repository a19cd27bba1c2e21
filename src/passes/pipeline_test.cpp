#include "passes/pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "ir/text.h"
#include "ops/op_def.h"
#include "ops/op_table.h"
#include "passes/testing.h"
#include "support/diagnostics.h"

namespace ingot::passes {
namespace {

using testing::HasSubstr;

constexpr std::string_view kModel = R"(graph main(%x: f32[2, 4], const %w "w": f32[3, 4]) {
  %y: f32[2, 3] = aten.linear.default(%x, %w)
  %z: f32[2, 3] = aten.add_.Scalar(%y, 1)
  %s: f32[2, 3] = aten.softmax.int(%z, -1)
  return %s
})";

TEST(Pipeline, PassesAreSortedAndDescribed) {
  std::string_view previous;
  for (const Pass& pass : all_passes()) {
    EXPECT_LT(previous, pass.name);
    EXPECT_FALSE(pass.help.empty());
    EXPECT_EQ(find_pass(pass.name), &pass);
    previous = pass.name;
  }
  EXPECT_EQ(find_pass("no-such-pass"), nullptr);
}

TEST(Pipeline, LeavesPrimitiveOperatorsAndTheSameResults) {
  const auto model = parse(kModel);
  const auto functional = parse(kModel);
  apply("functionalize", *functional);
  PassContext context(ops::op_table());
  run_pipeline(*model, context);
  for (const ir::Node* node : model->graph.nodes()) {
    EXPECT_NE(node->op->def->kind, ops::OpKind::kComposite) << node->target();
    EXPECT_FALSE(node->op->schema.is_mutating()) << node->target();
  }
  EXPECT_LE(
      largest_difference(functional->graph, model->graph, random_inputs(model->graph, {}, 7), {}),
      1e-6);
}

TEST(Pipeline, DumpsAndRecords) {
  const auto model = parse(kModel);
  PassContext context(ops::op_table());
  std::string dump;
  std::vector<PassRecord> records;
  RunOptions options;
  options.print_after = "functionalize";
  options.dump = &dump;
  options.records = &records;
  run_pipeline(*model, context, options);
  EXPECT_THAT(dump, HasSubstr("# after functionalize\ngraph main("));
  EXPECT_THAT(dump, HasSubstr("aten.softmax.int"));  // before the next pass decomposes it
  EXPECT_THAT(dump, Not(HasSubstr("add_")));
  // The dump is textual IR itself.
  EXPECT_NO_THROW(parse(dump));
  ASSERT_GE(records.size(), 10u);
  EXPECT_EQ(records[0].name, "functionalize");
  EXPECT_TRUE(records[0].changed);
  EXPECT_GE(records[0].seconds, 0);
}

TEST(Pipeline, RefusesToPrintAfterAPassThatIsNone) {
  const auto model = parse(kModel);
  PassContext context(ops::op_table());
  RunOptions options;
  options.print_after = "no-such-pass";
  EXPECT_THROW(run_pipeline(*model, context, options), CompileError);
}

TEST(Pipeline, IsDeterministicAndSettles) {
  const auto once = parse(kModel);
  const auto again = parse(kModel);
  PassContext context(ops::op_table());
  run_pipeline(*once, context);
  run_pipeline(*again, context);
  EXPECT_EQ(ir::to_string(*once), ir::to_string(*again));
  run_pipeline(*again, context);
  EXPECT_EQ(ir::to_string(*once), ir::to_string(*again));
}

TEST(RunPass, AddsContextToErrors) {
  const auto model = parse(R"(graph main(%x: f32[2, 4], %y: f32[2, 4]) {
  %z: f32[2, 4] = aten.scaled_dot_product_attention.default(%x, %y, %y, none, 0.5)
  return %z
})");
  model->locations[0] = {"net.py", 7, "forward", "f(x)", "head (Head)", "sdpa"};
  try {
    apply("decompose", *model);
    FAIL() << "no error";
  } catch (const CompileError& error) {
    EXPECT_EQ(error.diagnostic().notes,
              (std::vector<std::string>{"at net.py:7 in forward: f(x)",
                                        "in head (Head), export node %sdpa",
                                        "while running pass decompose on node %z"}));
  }
}

bool break_the_graph(ir::Model& model, PassContext&) {
  model.graph.nodes().front()->args.pop_back();
  return true;
}

TEST(RunPass, VerifiesAfterThePass) {
  const auto model = parse(kModel);
  PassContext context(ops::op_table());
  try {
    run_pass({"break-the-graph", break_the_graph, ""}, *model, context);
    FAIL() << "no error";
  } catch (const InternalError& error) {
    EXPECT_THAT(error.what(), HasSubstr("2 arguments for 3 parameters"));
    EXPECT_THAT(error.what(), HasSubstr("while running pass break-the-graph"));
  }
}

}  // namespace
}  // namespace ingot::passes
