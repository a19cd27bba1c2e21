#include "import/describe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "import/test_archive.h"
#include "import/test_data.h"

namespace ingot::pt2 {
namespace {

// Compares with src/import/test/NAME; UPDATE_GOLDENS=1 writes the file anew.
void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = "src/import/test/" + name;
  if (std::getenv("UPDATE_GOLDENS")) std::ofstream(path) << text;
  std::ifstream file(path);
  ASSERT_TRUE(file) << path;
  std::stringstream expected;
  expected << file.rdbuf();
  EXPECT_EQ(text, expected.str()) << path;
}

// Nearly everything there is to say: ranges, numbers, constants, updates, what is not supported.
TestProgram rich_program() {
  using namespace test_json;
  TestProgram program = linear_program();
  program.graph.inputs.push_back(R"({"as_sym_int":{"as_name":"n"}})");
  program.input_specs.push_back(user_input(program.graph.inputs.back()));
  program.graph.sym_int_values.push_back(R"("n":)" + size("Symbol('s1', integer=True)"));
  program.graph.inputs.push_back(R"({"as_float":0.5})");
  program.input_specs.push_back(R"({"constant_input":{"name":"scale","value":{"as_float":0.5}}})");
  program.graph.inputs.push_back(tensor("b_count"));
  program.graph.value("b_count", meta(5, {"2"}));
  program.input_specs.push_back(buffer("b_count", "count"));
  program.weights_config.push_back(TestProgram::config("count", meta(5, {"2"}), "weight_2"));
  program.records.emplace_back("weight_2", std::string(16, '\0'));
  program.ranges.push_back(R"("s1":{"min_val":0,"max_val":null})");
  program.graph.nodes.push_back(
      call("torch.ops.mylib.magic.default", {named("self", tensor("linear"))}, {tensor("m")}));
  program.graph.value("m",
                      meta(13, {"Mul(Integer(2), Symbol('s0', positive=True, integer=True))"}));
  program.add_output("m");
  program.graph.outputs.push_back(R"({"as_none":true})");
  program.output_specs.push_back(user_output(R"({"as_none":true})"));
  program.graph.outputs.push_back(tensor("b_count"));
  program.output_specs.push_back(
      R"({"buffer_mutation":{"arg":{"name":"b_count"},"buffer_name":"count"}})");
  program.guards = {"(L['x'].size()[0] % 2) == 0"};
  program.extra_members = R"(,"future":1)";
  return program;
}

TEST(Describe, Text) {
  const TestFile file(rich_program().zip().build());
  const auto archive = Archive::open(file.path());
  const ExportedProgram program = read_exported_program(*archive, "model");
  expect_golden("describe_rich.txt", describe(*archive, program, {.list_weights = true}));
}

TEST(Describe, Json) {
  const TestFile file(rich_program().zip().build());
  const auto archive = Archive::open(file.path());
  const std::string json = describe_json(*archive, read_exported_program(*archive, "model"));
  expect_golden("describe_rich.json", json);
  EXPECT_EQ(nlohmann::json::parse(json)["weights"]["count"], 3);
}

TEST(Describe, RealProgram) {
  const auto archive = Archive::open("tests/data/mlp_dynamic.pt2");
  expect_golden("describe_mlp_dynamic.txt",
                describe(*archive, read_exported_program(*archive, "model")));
}

// Programs that cannot be imported are described all the same.
TEST(Describe, TakesWhatImportRefuses) {
  TestProgram program = linear_program();
  program.weights_config.clear();
  program.graph.tensor_values.clear();
  program.graph.nodes[0].replace(program.graph.nodes[0].find("p_w"), 3, "gho");
  program.in_spec = "";
  const TestFile file(program.zip().build());
  const auto archive = Archive::open(file.path());
  const std::string text = describe(*archive, read_exported_program(*archive, "model"));
  EXPECT_THAT(text, testing::HasSubstr("aten.linear.default"));
}

}  // namespace
}  // namespace ingot::pt2
