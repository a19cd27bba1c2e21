// Builds small exported programs for tests and fuzzers, right ones and broken ones.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/test_zip.h"

namespace ingot::pt2 {

// Builders of the JSON that torch.export writes.
namespace test_json {

inline std::string join(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : ",") + part;
  return out;
}

inline std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + '"';
}

// A size: a number, or the srepr of an expression.
inline std::string size(const std::string& text) {
  if (text.find_first_not_of("-0123456789") == text.npos) return "{\"as_int\":" + text + "}";
  return "{\"as_expr\":{\"expr_str\":" + quoted(text) + ",\"hint\":null}}";
}

// The TensorMeta of a contiguous tensor; `dtype` is the schema's number.
inline std::string meta(int dtype, const std::vector<std::string>& sizes,
                        const std::vector<std::string>& strides = {}, int64_t offset = 0) {
  std::vector<std::string> size_list, stride_list;
  for (const std::string& s : sizes) size_list.push_back(size(s));
  for (const std::string& s : strides) stride_list.push_back(size(s));
  if (strides.empty()) {
    int64_t stride = 1;
    for (size_t i = sizes.size(); i-- > 0;) {
      stride_list.insert(stride_list.begin(), size(std::to_string(stride)));
      if (sizes[i].find_first_not_of("0123456789") == std::string::npos) {
        stride *= std::stoll(sizes[i]);
      }
    }
  }
  return "{\"dtype\":" + std::to_string(dtype) + ",\"sizes\":[" + join(size_list) +
         "],\"requires_grad\":false,\"device\":{\"type\":\"cpu\",\"index\":null},\"strides\":[" +
         join(stride_list) + "],\"storage_offset\":" + size(std::to_string(offset)) +
         ",\"layout\":7}";
}

inline std::string tensor(const std::string& name) {
  return "{\"as_tensor\":{\"name\":" + quoted(name) + "}}";
}
inline std::string named(const std::string& name, const std::string& arg) {
  return "{\"name\":" + quoted(name) + ",\"arg\":" + arg + ",\"kind\":1}";
}
inline std::string call(const std::string& target, const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs,
                        const std::string& metadata = "{}") {
  return "{\"target\":" + quoted(target) + ",\"inputs\":[" + join(inputs) + "],\"outputs\":[" +
         join(outputs) + "],\"metadata\":" + metadata +
         ",\"is_hop_single_tensor_return\":null,\"name\":\"\"}";
}
inline std::string user_input(const std::string& arg) {
  return "{\"user_input\":{\"arg\":" + arg + "}}";
}
inline std::string user_output(const std::string& arg) {
  return "{\"user_output\":{\"arg\":" + arg + "}}";
}
inline std::string parameter(const std::string& name, const std::string& fqn) {
  return "{\"parameter\":{\"arg\":{\"name\":" + quoted(name) +
         "},\"parameter_name\":" + quoted(fqn) + "}}";
}
inline std::string buffer(const std::string& name, const std::string& fqn) {
  return "{\"buffer\":{\"arg\":{\"name\":" + quoted(name) + "},\"buffer_name\":" + quoted(fqn) +
         ",\"persistent\":true}}";
}

// The graph's own parts, as JSON.
struct Graph {
  std::vector<std::string> inputs;  // arguments
  std::vector<std::string> outputs;
  std::vector<std::string> nodes;
  std::vector<std::string> tensor_values;  // "name":meta
  std::vector<std::string> sym_int_values;
  std::vector<std::string> sym_bool_values;
  std::vector<std::string> sym_float_values;

  void value(const std::string& name, const std::string& meta_json) {
    tensor_values.push_back(quoted(name) + ":" + meta_json);
  }
  std::string json() const {
    return "{\"inputs\":[" + join(inputs) + "],\"outputs\":[" + join(outputs) + "],\"nodes\":[" +
           join(nodes) + "],\"tensor_values\":{" + join(tensor_values) + "},\"sym_int_values\":{" +
           join(sym_int_values) + "},\"sym_bool_values\":{" + join(sym_bool_values) +
           "},\"is_single_tensor_return\":false,\"custom_obj_values\":{},\"sym_float_values\":{" +
           join(sym_float_values) + "}}";
  }
};

}  // namespace test_json

// A program with its weights; tests change what they are about.
struct TestProgram {
  test_json::Graph graph;
  std::vector<std::string> input_specs;
  std::vector<std::string> output_specs;
  std::string in_spec;
  std::string out_spec;
  std::vector<std::string> forward_arg_names;
  std::vector<std::string> ranges;  // "s0":{"min_val":1,"max_val":8}
  std::vector<std::string> guards;
  std::string schema_version = R"({"major":8,"minor":20})";
  std::string extra_members;  // of the program, with a leading comma
  // Weights: their entries in the table, and the records.
  std::vector<std::string> weights_config;
  std::vector<std::pair<std::string, std::string>> records;

  void add_input(const std::string& name, const std::string& meta) {
    graph.inputs.push_back(test_json::tensor(name));
    graph.value(name, meta);
    input_specs.push_back(test_json::user_input(test_json::tensor(name)));
  }
  void add_weight(const std::string& name, const std::string& fqn, const std::string& meta,
                  const std::string& record) {
    graph.inputs.push_back(test_json::tensor(name));
    graph.value(name, meta);
    input_specs.push_back(test_json::parameter(name, fqn));
    weights_config.push_back(config(fqn, meta, record));
  }
  static std::string config(const std::string& fqn, const std::string& meta,
                            const std::string& record) {
    return test_json::quoted(fqn) + R"(:{"path_name":)" + test_json::quoted(record) +
           R"(,"is_param":true,"use_pickle":false,"tensor_meta":)" + meta + "}";
  }
  void add_output(const std::string& name) {
    graph.outputs.push_back(test_json::tensor(name));
    output_specs.push_back(test_json::user_output(test_json::tensor(name)));
  }

  std::string json() const {
    using namespace test_json;
    std::vector<std::string> names, guard_texts;
    for (const std::string& name : forward_arg_names) names.push_back(quoted(name));
    for (const std::string& guard : guards) guard_texts.push_back(quoted(guard));
    return R"({"graph_module":{"graph":)" + graph.json() + R"(,"signature":{"input_specs":[)" +
           join(input_specs) + R"(],"output_specs":[)" + join(output_specs) +
           R"(]},"module_call_graph":[{"fqn":"","signature":{"inputs":[],"outputs":[],"in_spec":)" +
           quoted(in_spec) + R"(,"out_spec":)" + quoted(out_spec) + R"(,"forward_arg_names":[)" +
           join(names) + R"(]}},{"fqn":"lin","signature":null}],"metadata":{},)" +
           R"("treespec_namedtuple_fields":{}},"opset_version":{"aten":10},"range_constraints":{)" +
           join(ranges) + R"(},"schema_version":)" + schema_version +
           R"(,"verifiers":["TRAINING"],"torch_version":"2.14.1","guards_code":[)" +
           join(guard_texts) + "]" + extra_members + "}";
  }

  TestZip zip() const {
    TestZip zip;
    zip.add("m/data/weights/model_weights_config.json",
            "{\"config\":{" + test_json::join(weights_config) + "}}");
    for (const auto& [name, data] : records) zip.add("m/data/weights/" + name, data);
    zip.add("m/data/constants/model_constants_config.json", "{\"config\":{}}");
    zip.add("m/models/model.json", json());
    zip.add("m/archive_format", "pt2");
    zip.add("m/archive_version", "0");
    zip.add("m/byteorder", "little");
    return zip;
  }
};

// y = x @ w + b over 4 features, batch s0 in [1, 8].
inline TestProgram linear_program() {
  using namespace test_json;
  const std::string batch = "Symbol('s0', positive=True, integer=True)";
  TestProgram program;
  program.add_weight("p_w", "lin.weight", meta(7, {"3", "4"}), "weight_0");
  program.add_weight("p_b", "lin.bias", meta(7, {"3"}), "weight_1");
  program.add_input("x", meta(7, {batch, "4"}));
  program.graph.value("linear", meta(7, {batch, "3"}));
  program.graph.nodes.push_back(call(
      "torch.ops.aten.linear.default",
      {named("input", tensor("x")), named("weight", tensor("p_w")), named("bias", tensor("p_b"))},
      {tensor("linear")},
      R"({"stack_trace":"File \"model.py\", line 7, in forward\n    return self.lin(x)\n",)"
      R"("nn_module_stack":"L__self__,,model.Net;L__self__lin,lin,torch.nn.Linear"})"));
  program.add_output("linear");
  program.ranges.push_back(R"("s0":{"min_val":1,"max_val":8})");
  program.records = {{"weight_0", std::string(48, '\1')}, {"weight_1", std::string(12, '\2')}};
  return program;
}

}  // namespace ingot::pt2
