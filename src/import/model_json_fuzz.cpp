// Fuzzes the decoder of programs and the importer: whatever the JSON of a model says, importing it
// must end in a model or a diagnostic.
#include "import/fuzz_archive.h"
#include "import/test_damage.h"
#include "import/test_program.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

using namespace ingot::pt2;

// A program with most of what programs have: sizes that are computed, numbers, a region, a list.
std::string seed_program() {
  using namespace test_json;
  TestProgram program = linear_program();
  program.guards = {"(L['x'].size()[0] % 2) == 0"};
  program.graph.sym_int_values.push_back(R"("n":)" +
                                         size("Symbol('s0', positive=True, integer=True)"));
  program.graph.nodes.push_back(call("torch.ops.aten.sym_size.int",
                                     {named("self", tensor("x")), named("dim", R"({"as_int":0})")},
                                     {R"({"as_sym_int":{"as_name":"n"}})"}));
  program.graph.nodes.push_back(
      call("_operator.mul",
           {named("a", R"({"as_sym_int":{"as_name":"n"}})"), named("b", R"({"as_int":3})")},
           {R"({"as_sym_int":{"as_name":"m"}})"}));
  program.graph.value("v", meta(7, {"Mul(Integer(3), Symbol('s0', positive=True, integer=True))"}));
  program.graph.nodes.push_back(
      call("torch.ops.aten.view.default",
           {named("self", tensor("linear")), named("size", R"({"as_sym_ints":[{"as_name":"m"}]})")},
           {tensor("v")}));
  test_json::Graph body;
  body.inputs = {tensor("x")};
  body.outputs = {tensor("y")};
  body.value("x", program.graph.tensor_values.back().substr(4));
  body.value("y", program.graph.tensor_values.back().substr(4));
  body.nodes.push_back(call("torch.ops.aten.mul.Tensor",
                            {named("self", tensor("x")), named("other", R"({"as_float":0.5})")},
                            {tensor("y")}));
  program.graph.nodes.push_back(
      call("torch.ops.higher_order.wrap_with_set_grad_enabled",
           {named("", R"({"as_bool":false})"),
            named("", R"({"as_graph":{"name":"g","graph":)" + body.json() + "}}"),
            named("", tensor("v"))},
           {tensor("w")}));
  program.add_output("w");
  return program.json();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ingot::TestZip zip = linear_program().zip();
  for (ingot::TestZipRecord& record : zip.records) {
    if (record.name == "m/models/model.json") {
      record.data.assign(reinterpret_cast<const char*>(data), size);
    }
  }
  import_fuzzed(zip.build());
  return 0;
}

// Mostly damages that keep the text JSON, so that the importer behind the decoder is reached.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  std::mt19937 random(seed);
  if (random() % 8 == 0) return LLVMFuzzerMutate(data, size, max_size);
  static const std::string kSeed = seed_program();
  const std::string text =
      size < 100 ? kSeed : std::string(reinterpret_cast<const char*>(data), size);
  const std::string damaged = Damager(text).damage(random);
  if (damaged.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, damaged.data(), damaged.size());
  return damaged.size();
}
