#include "import/exported_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "import/payload.h"
#include "import/test_archive.h"

namespace ingot::pt2 {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ExportedProgram parse(const std::string& json) {
  return parse_exported_program(json, "models/model.json");
}

Diagnostic error_of(const std::string& json) {
  try {
    parse(json);
  } catch (const CompileError& error) {
    return error.diagnostic();
  }
  return {Diag::kInternal, "accepted", {}};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// The linear program with one more node, whose arguments are given as (name, JSON).
const Argument& argument(const std::string& json, ExportedProgram& program) {
  TestProgram test = linear_program();
  test.graph.nodes.push_back(
      test_json::call("torch.ops.aten.test.default", {test_json::named("a", json)}, {}));
  program = parse(test.json());
  return program.graph.nodes.back().inputs.front().arg;
}

TEST(ExportedProgram, DecodesAProgram) {
  const ExportedProgram program = parse(linear_program().json());
  EXPECT_THAT(program.warnings, IsEmpty());
  EXPECT_EQ(program.torch_version, "2.14.1");
  EXPECT_EQ(program.schema_minor, 20);
  EXPECT_TRUE(program.is_training_ir());
  ASSERT_EQ(program.inputs.size(), 3u);
  EXPECT_EQ(program.inputs[0].kind, InputSpecKind::kParameter);
  EXPECT_EQ(program.inputs[0].name, "lin.weight");
  EXPECT_EQ(program.inputs[2].kind, InputSpecKind::kUserInput);
  ASSERT_EQ(program.graph.nodes.size(), 1u);
  const Node& node = program.graph.nodes[0];
  EXPECT_EQ(node.target, "torch.ops.aten.linear.default");
  EXPECT_EQ(node.inputs[1].name, "weight");
  EXPECT_THAT(node.stack_trace, HasSubstr("line 7, in forward\n"));
  const TensorMeta& meta = program.graph.tensor_values.at("linear");
  EXPECT_EQ(meta.dtype, DType::kF32);
  EXPECT_EQ(meta.sizes[0].expr, "Symbol('s0', positive=True, integer=True)");
  EXPECT_EQ(meta.sizes[1].value, 3);
  EXPECT_EQ(program.range_constraints.at("s0").max, 8);
}

TEST(ExportedProgram, DecodesEveryKindOfArgument) {
  ExportedProgram p;
  EXPECT_TRUE(argument(R"({"as_none":true})", p).get<NoneArg>());
  EXPECT_EQ(argument(R"({"as_tensor":{"name":"x"}})", p).get<TensorArg>()->name, "x");
  EXPECT_THAT(
      argument(R"({"as_tensors":[{"name":"x"},{"name":"y"}]})", p).get<TensorListArg>()->names,
      ElementsAre("x", "y"));
  EXPECT_THAT(
      argument(R"({"as_optional_tensors":[{"as_none":true},{"as_tensor":{"name":"x"}}]})", p)
          .get<TensorListArg>()
          ->names,
      ElementsAre("", "x"));
  EXPECT_TRUE(argument(R"({"as_optional_tensor":{"as_none":true}})", p).get<NoneArg>());
  EXPECT_EQ(
      argument(R"({"as_optional_tensor":{"as_tensor":{"name":"x"}}})", p).get<TensorArg>()->name,
      "x");
  EXPECT_THAT(
      argument(R"({"as_nested_tensors":[[{"name":"x"}],[]]})", p).get<NestedTensorsArg>()->names,
      ElementsAre(ElementsAre("x"), IsEmpty()));
  EXPECT_EQ(*argument(R"({"as_int":9223372036854775807})", p).get<int64_t>(), INT64_MAX);
  EXPECT_THAT(*argument(R"({"as_ints":[1,-1]})", p).get<std::vector<int64_t>>(),
              ElementsAre(1, -1));
  EXPECT_EQ(*argument(R"({"as_float":0.5})", p).get<double>(), 0.5);
  EXPECT_EQ(*argument(R"({"as_float":"-Infinity"})", p).get<double>(), -HUGE_VAL);
  EXPECT_EQ(*argument(R"({"as_float":Infinity})", p).get<double>(), HUGE_VAL);
  EXPECT_TRUE(std::isnan(*argument(R"({"as_float":NaN})", p).get<double>()));
  EXPECT_THAT(*argument(R"({"as_floats":[1,"Infinity"]})", p).get<std::vector<double>>(),
              ElementsAre(1.0, HUGE_VAL));
  EXPECT_EQ(*argument(R"({"as_string":"tanh"})", p).get<std::string>(), "tanh");
  EXPECT_THAT(*argument(R"({"as_strings":["a"]})", p).get<std::vector<std::string>>(),
              ElementsAre("a"));
  EXPECT_TRUE(*argument(R"({"as_bool":true})", p).get<bool>());
  EXPECT_THAT(*argument(R"({"as_bools":[true,false]})", p).get<std::vector<bool>>(),
              ElementsAre(true, false));
  EXPECT_EQ(argument(R"({"as_sym_int":{"as_name":"n"}})", p).get<SymIntArg>()->name, "n");
  const auto sizes = *argument(R"({"as_sym_ints":[{"as_name":"n"},{"as_int":4}]})", p)
                          .get<std::vector<SymIntArg>>();
  EXPECT_EQ(sizes[0].name, "n");
  EXPECT_EQ(sizes[1].value, 4);
  EXPECT_EQ(argument(R"({"as_sym_float":{"as_float":2}})", p).get<SymFloatArg>()->value, 2.0);
  EXPECT_EQ(argument(R"({"as_sym_floats":[{"as_name":"f"}]})", p)
                .get<std::vector<SymFloatArg>>()
                ->front()
                .name,
            "f");
  EXPECT_EQ(argument(R"({"as_sym_bool":{"as_name":"b"}})", p).get<SymBoolArg>()->name, "b");
  EXPECT_TRUE(argument(R"({"as_sym_bools":[{"as_bool":true}]})", p)
                  .get<std::vector<SymBoolArg>>()
                  ->front()
                  .value);
  EXPECT_EQ(argument(R"({"as_scalar_type":13})", p).get<DTypeArg>()->dtype, DType::kBF16);
  EXPECT_EQ(argument(R"({"as_layout":7})", p).get<HardwareArg>()->value, 7);
  EXPECT_EQ(argument(R"({"as_memory_format":2})", p).get<HardwareArg>()->kind,
            Hardware::kMemoryFormat);
  EXPECT_EQ(argument(R"({"as_device":{"type":"cuda","index":0}})", p).get<HardwareArg>()->kind,
            Hardware::kDevice);
  EXPECT_EQ(argument(R"({"as_custom_obj":{"name":"o","class_fqn":"a.B"}})", p)
                .get<CustomObjectArg>()
                ->class_name,
            "a.B");
  EXPECT_EQ(argument(R"({"as_operator":"torch.ops.a.b"})", p).get<OperatorArg>()->target,
            "torch.ops.a.b");
  EXPECT_EQ(argument(R"({"as_complex":{"real":1,"imag":-1.5}})", p).get<ComplexArg>()->imag, -1.5);
  EXPECT_THAT(*argument(R"({"as_int_lists":[[1],[]]})", p).get<std::vector<std::vector<int64_t>>>(),
              ElementsAre(ElementsAre(1), IsEmpty()));
  EXPECT_THAT(*argument(R"({"as_float_lists":[[0.5]]})", p).get<std::vector<std::vector<double>>>(),
              ElementsAre(ElementsAre(0.5)));
  const auto* map =
      argument(R"({"as_string_to_argument":{"k":{"as_int":3}}})", p).get<StringMapArg>();
  EXPECT_EQ(*map->members.at("k")->get<int64_t>(), 3);
  const auto* graph =
      argument(R"({"as_graph":{"name":"g","graph":)" + test_json::Graph().json() + "}}", p)
          .get<GraphArg>();
  EXPECT_EQ(graph->name, "g");
}

// What 2.6 leaves out: null members are not written at all.
TEST(ExportedProgram, TakesMissingForNull) {
  std::string json = linear_program().json();
  for (const char* member : {R"(,"kind":1)", R"(,"index":null)", R"(,"hint":null)",
                             R"(,"is_hop_single_tensor_return":null,"name":"")",
                             R"(,"signature":null)", R"(,"guards_code":[])"}) {
    json = replaced(json, member, "");
  }
  EXPECT_THAT(parse(json).warnings, IsEmpty());
}

TEST(ExportedProgram, WarnsOnceAboutMembersItDoesNotKnow) {
  std::string json = linear_program().json();
  json = replaced(json, R"("torch_version")", R"("future":{"a":[1,{}]},"torch_version")");
  json = replaced(json, R"("storage_offset")", R"("alignment":64,"storage_offset")");
  json = replaced(json, R"("storage_offset")", R"("alignment":64,"storage_offset")");
  const ExportedProgram program = parse(json);
  ASSERT_EQ(program.warnings.size(), 2u);
  EXPECT_THAT(program.warnings[0], HasSubstr("'alignment' of TensorMeta"));
  EXPECT_THAT(program.warnings[1], HasSubstr("'future' of ExportedProgram"));
}

TEST(ExportedProgram, RefusesOtherSchemaVersions) {
  TestProgram program = linear_program();
  program.schema_version = R"({"major":9,"minor":1})";
  Diagnostic error = error_of(program.json());
  EXPECT_EQ(error.id, Diag::kArchiveSchema);
  EXPECT_THAT(error.message, HasSubstr("schema version 9.1; Ingot reads 8.x"));
  // Even if the rest cannot be read either.
  error = error_of(R"({"graph_module":17,"schema_version":{"major":7,"minor":0}})");
  EXPECT_EQ(error.id, Diag::kArchiveSchema);
  EXPECT_EQ(error_of("{}").id, Diag::kArchiveJson);
}

TEST(ExportedProgram, RefusesWhatANewerSchemaAdded) {
  const std::string json = linear_program().json();
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {R"({"as_tensor":{"name":"x"}})", R"({"as_quantum":{"name":"x"}})"},
           {R"("dtype":7)", R"("dtype":99)"},
           {R"({"parameter":)", R"({"hologram":)"},
           {R"({"user_output":)", R"({"side_output":)"},
           {R"({"as_expr":)", R"({"as_polynomial":)"}}) {
    const Diagnostic error = error_of(replaced(json, from, to));
    EXPECT_EQ(error.id, Diag::kArchiveSchema) << to << ": " << error.message;
    EXPECT_THAT(error.message, HasSubstr("models/model.json: $."));
  }
}

TEST(ExportedProgram, RefusesMalformedPrograms) {
  const std::string json = linear_program().json();
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {R"({"as_tensor":{"name":"x"}})", R"({})"},
           {R"({"as_tensor":{"name":"x"}})", R"({"as_tensor":{"name":"x"},"as_int":1})"},
           {R"({"as_tensor":{"name":"x"}})", R"({"as_tensor":{"name":""}})"},
           {R"({"as_tensor":{"name":"x"}})", R"({"as_tensor":"x"})"},
           {R"("dtype":7)", R"("dtype":"float32")"},
           {R"("dtype":7,)", ""},
           {R"("target":"torch.ops.aten.linear.default",)", ""},
           {R"("signature":{"input_specs")", R"("autograph":{"input_specs")"},
           {R"("sizes":[{"as_int":3})", R"("sizes":[{"as_int":3.5})"},
           {R"("sizes":[{"as_int":3})", R"("sizes":[{"as_int":99999999999999999999})"},
           {R"("min_val":1)", R"("min_val":"one")"},
           {R"("schema_version")", R"("schema_version":{"major":8,"minor":1}}{"x")"}}) {
    const Diagnostic error = error_of(replaced(json, from, to));
    EXPECT_EQ(error.id, Diag::kArchiveJson) << to << ": " << error.message;
  }
  for (size_t size = 0; size < json.size(); size += 7) {
    EXPECT_EQ(error_of(json.substr(0, size)).id, Diag::kArchiveJson) << size;
  }
}

TEST(ExportedProgram, RefusesASignatureOfAnotherLength) {
  TestProgram program = linear_program();
  program.input_specs.pop_back();
  const Diagnostic error = error_of(program.json());
  EXPECT_EQ(error.id, Diag::kBadGraph);
  EXPECT_THAT(error.message, HasSubstr("3 inputs and 1 outputs, its signature 2 and 1"));
}

TEST(ExportedProgram, RefusesDeepNesting) {
  std::string graph = test_json::Graph().json();
  for (int i = 0; i < 500; ++i) {
    test_json::Graph outer;
    outer.nodes.push_back(test_json::call(
        "torch.ops.higher_order.cond",
        {test_json::named("", R"({"as_graph":{"name":"g","graph":)" + graph + "}}")}, {}));
    graph = outer.json();
  }
  ExportedProgram program;
  EXPECT_THROW(argument(R"({"as_graph":{"name":"g","graph":)" + graph + "}}", program),
               CompileError);
}

// The table of weights against its records.
class PayloadTest : public testing::Test {
 protected:
  Diagnostic error_of(const TestProgram& program) { return import_error(program.zip().build()); }
  void expect_error(const TestProgram& program, const std::string& part) {
    const Diagnostic error = error_of(program);
    EXPECT_EQ(error.id, Diag::kArchiveWeight) << error.message;
    EXPECT_THAT(error.message, HasSubstr(part));
  }
  void set_weight(TestProgram& program, const std::string& meta) {
    program.weights_config[0] = TestProgram::config("lin.weight", meta, "weight_0");
  }
};

TEST_F(PayloadTest, RefusesRecordsThatAreTooShort) {
  TestProgram program = linear_program();
  program.records[0].second.pop_back();
  expect_error(program,
               "'lin.weight' needs 12 elements of float32, but record "
               "'data/weights/weight_0' holds 11");
  program.records[0].second.clear();
  expect_error(program, "was exported with fake tensors");
  program.records.erase(program.records.begin());
  expect_error(program, "record 'data/weights/weight_0', which is missing");
}

TEST_F(PayloadTest, RefusesLayoutsOutsideTheRecord) {
  TestProgram program = linear_program();
  set_weight(program, test_json::meta(7, {"3", "4"}, {"4", "1"}, 1));
  expect_error(program, "needs 13 elements");
  set_weight(program, test_json::meta(7, {"3", "4"}, {"5", "1"}));
  expect_error(program, "needs 14 elements");
  set_weight(program, test_json::meta(7, {"3", "4"}, {"4", "9223372036854775807"}));
  expect_error(program, "do not fit 64 bits");
  set_weight(program, test_json::meta(7, {"3", "4"}, {"4", "1"}, INT64_MAX));
  expect_error(program, "do not fit 64 bits");
  set_weight(program, test_json::meta(7, {"3", "4"}, {"4"}));
  expect_error(program, "2 sizes but 1 strides");
  set_weight(program, test_json::meta(7, {"3", "-4"}, {"4", "1"}));
  expect_error(program, "not a natural number");
  set_weight(program, test_json::meta(7, {"3", "Symbol('s0')"}, {"4", "1"}));
  expect_error(program, "not a natural number");
}

TEST_F(PayloadTest, RefusesTypesThatDifferFromTheGraph) {
  TestProgram program = linear_program();
  set_weight(program, test_json::meta(6, {"3", "4"}));
  expect_error(program, "another element type or shape");
  set_weight(program, test_json::meta(7, {"4", "3"}));
  expect_error(program, "another element type or shape");
}

TEST_F(PayloadTest, NeverLoadsPickles) {
  TestProgram program = linear_program();
  program.weights_config[0] =
      R"("lin.weight":{"path_name":"weight_0","is_param":true,"use_pickle":true,)"
      R"("tensor_meta":null})";
  expect_error(program, "'lin.weight' is a Python object");
}

TEST_F(PayloadTest, RefusesWeightsWithoutAnEntry) {
  TestProgram program = linear_program();
  program.weights_config.pop_back();
  expect_error(program, "'lin.bias' is not in the archive's tables");
}

TEST_F(PayloadTest, FindsFlippedBytes) {
  const std::string good = linear_program().zip().build();
  const size_t at = good.find(std::string(48, '\1'));
  ASSERT_NE(at, std::string::npos);
  std::string bad = good;
  bad[at + 17] = '\3';
  const Diagnostic error = import_error(bad);
  EXPECT_EQ(error.id, Diag::kArchiveRecord);
  EXPECT_THAT(error.message, HasSubstr("'data/weights/weight_0' is damaged"));
}

}  // namespace
}  // namespace ingot::pt2
