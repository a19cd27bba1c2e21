// Fuzzes the decoder of programs and the importer: whatever the JSON of a model says, importing it
// must end in a model or a diagnostic.
#include "import/fuzz_archive.h"
#include "import/test_damage.h"
#include "import/test_program.h"

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

// The program damaged once per four bytes of the script, which seed the choice of each damage.
std::string damaged_program(std::string_view script) {
  static const std::string kSeed = seed_program();
  std::string json = kSeed;
  for (; script.size() >= 4; script.remove_prefix(4)) {
    uint32_t seed = 0;
    std::memcpy(&seed, script.data(), 4);
    std::mt19937 random(seed);
    json = Damager(std::move(json)).damage(random);
  }
  return json;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kMaxScript = 64;  // more damages leave nothing to import
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const bool is_json = size > 0 && data[0] == '{';
  const std::string json =
      is_json ? std::string(text) : damaged_program(text.substr(0, kMaxScript));
  ingot::TestZip zip = linear_program().zip();
  for (ingot::TestZipRecord& record : zip.records) {
    if (record.name == "m/models/model.json") record.data = json;
  }
  import_fuzzed(zip.build());
  return 0;
}
