#include "import/pytree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/diagnostics.h"

namespace ingot::pt2 {
namespace {

using testing::ElementsAre;

const std::string kLeaf = R"({"type":null,"context":null,"children_spec":[]})";

std::string node(const std::string& type, const std::string& context,
                 const std::vector<std::string>& children) {
  std::string list;
  for (const std::string& child : children) list += (list.empty() ? "" : ",") + child;
  return R"({"type":")" + type + R"(","context":")" + context + R"(","children_spec":[)" + list +
         "]}";
}

std::vector<std::string> outputs(const std::string& tree, size_t count) {
  ExportedProgram program;
  program.namedtuple_fields["my.Point"] = {"x", "y"};
  program.out_spec = "[1," + tree + "]";
  program.outputs.resize(count);
  return output_names(program);
}

TEST(Pytree, NamesTheLeavesOfContainers) {
  EXPECT_THAT(outputs(kLeaf, 1), ElementsAre("out0"));
  EXPECT_THAT(outputs(node("builtins.tuple", "null", {kLeaf, kLeaf}), 2),
              ElementsAre("out0", "out1"));
  EXPECT_THAT(outputs(node("builtins.dict", R"([\"a\",\"b\"])",
                           {kLeaf, node("builtins.list", "null", {kLeaf, kLeaf})}),
                      3),
              ElementsAre("a", "b.0", "b.1"));
  EXPECT_THAT(outputs(node("builtins.dict", "[7]", {kLeaf}), 1), ElementsAre("out0"));
  // A namedtuple's context is its bare name, its fields are elsewhere.
  EXPECT_THAT(outputs(node("collections.namedtuple", "my.Point", {kLeaf, kLeaf}), 2),
              ElementsAre("x", "y"));
  // Types registered by users: a list of keys if the context is one.
  EXPECT_THAT(outputs(node("transformers.ModelOutput", R"([\"logits\"])", {kLeaf}), 1),
              ElementsAre("logits"));
  EXPECT_THAT(outputs(node("my.Pair", "{not json", {kLeaf, kLeaf}), 2),
              ElementsAre("out0", "out1"));
  EXPECT_THAT(outputs(node("my.Pair", R"([\"one\"])", {kLeaf, kLeaf}), 2),
              ElementsAre("out0", "out1"));
  // A tree of another number of leaves is not believed.
  EXPECT_THAT(outputs(node("builtins.dict", R"([\"a\"])", {kLeaf}), 2),
              ElementsAre("out0", "out1"));
}

TEST(Pytree, NamesArgumentsAfterTheirParameters) {
  ExportedProgram program;
  const std::string args =
      node("builtins.tuple", "null",
           {kLeaf, node("builtins.dict", R"([\"mask\"])", {kLeaf}), kLeaf, kLeaf});
  const std::string kwargs = node("builtins.dict", R"([\"scale\"])", {kLeaf});
  program.in_spec = "[1," + node("builtins.tuple", "null", {args, kwargs}) + "]";
  program.forward_arg_names = {"x", "batch", "rest_0"};
  program.inputs.resize(5);
  EXPECT_THAT(input_names(program), ElementsAre("x", "batch.mask", "rest_0", "arg_3", "scale"));
  // Without a tree that fits, the graph's names.
  program.inputs.resize(3);
  program.inputs[0].arg.value = TensorArg{"x_1"};
  program.inputs[1].name = "k";
  program.inputs[1].kind = InputSpecKind::kConstant;
  EXPECT_THAT(input_names(program), ElementsAre("x_1", "k", "in2"));
}

TEST(Pytree, RefusesOtherProtocolsAndForms) {
  for (const std::string& spec : {"[2," + kLeaf + "]", std::string("[1]"), std::string("{}"),
                                  "[1," + kLeaf + ",3]", "[1," + kLeaf, std::string(5000, '[')}) {
    EXPECT_THROW(parse_pytree(spec, "in_spec", {}), CompileError) << spec.substr(0, 50);
  }
}

}  // namespace
}  // namespace ingot::pt2
