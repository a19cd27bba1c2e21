#include "import/location.h"

#include <gtest/gtest.h>

namespace ingot::pt2 {
namespace {

program::Location locate_stack(const std::string& stack, const std::string& modules = "") {
  Node node;
  node.name = "linear";
  node.stack_trace = stack;
  node.nn_module_stack = modules;
  return locate(node);
}

TEST(Location, TakesTheInnermostFrameOutsidePyTorch) {
  const program::Location where = locate_stack(
      "  File \"train.py\", line 3, in forward\n    return self.net(x)\n"
      "  File \"/home/me/env/lib/python3.11/site-packages/transformers/models/bert/m.py\", line "
      "212, in attend\n    q = self.q_proj(h)\n"
      "  File \"/home/me/env/lib/python3.11/site-packages/torch/nn/modules/linear.py\", line 134, "
      "in forward\n    return F.linear(input, self.weight, self.bias)\n"
      "  File \"<eval_with_key>.5\", line 11, in forward\n    generated()\n");
  EXPECT_EQ(where.file, "transformers/models/bert/m.py");
  EXPECT_EQ(where.line, 212u);
  EXPECT_EQ(where.function, "attend");
  EXPECT_EQ(where.code, "q = self.q_proj(h)");
}

TEST(Location, TakesAFrameOfPyTorchIfThereIsNoOther) {
  const program::Location where =
      locate_stack("File \"torch/fx/passes/runtime_assert.py\", line 24, in insert");
  EXPECT_EQ(where.file, "torch/fx/passes/runtime_assert.py");
  EXPECT_EQ(where.code, "");
}

TEST(Location, NamesTheInnermostModule) {
  const std::string root = "L__self__,,models.Mlp";
  EXPECT_EQ(locate_stack("", root).module_path, "Mlp");
  EXPECT_EQ(
      locate_stack("", root + ";L__self__net.0,net.0,torch.nn.modules.linear.Linear").module_path,
      "net.0 (Linear)");
  EXPECT_EQ(locate_stack("", root + ";k,L['self'].net.0,torch.nn.Linear").module_path,
            "net.0 (Linear)");
  // A module's name may hold commas.
  EXPECT_EQ(locate_stack("", "k,heads.a,b,torch.nn.Linear").module_path, "heads.a,b (Linear)");
  EXPECT_EQ(locate_stack("", "_empty_nn_module_stack_from_metadata_hook,_,_").module_path, "");
}

TEST(Location, TakesMetadataOfAnyForm) {
  for (const char* text : {"", "\n\n", "File \"", "File \"x\", line ", "File \"x\", line z, in f",
                           "nonsense", ";;;", ",", ",,", "\"", "File \"x\", line 99999999999"}) {
    const program::Location where = locate_stack(text, text);
    EXPECT_EQ(where.node, "linear");
    EXPECT_EQ(where.line, 0u);
  }
}

TEST(Location, FindsANameForTheNode) {
  Node node;
  node.target = "torch.ops.aten.add.Tensor";
  EXPECT_EQ(locate(node).node, "torch.ops.aten.add.Tensor");
  node.outputs.push_back({TensorArg{"add_1"}});
  EXPECT_EQ(locate(node).node, "add_1");
}

TEST(Location, NumbersEqualOnesOnce) {
  std::vector<program::Location> locations;
  LocationTable table(locations);
  program::Location first;
  first.line = 1;
  program::Location second;
  second.line = 2;
  EXPECT_EQ(table.add(first), 0u);
  EXPECT_EQ(table.add(second), 1u);
  EXPECT_EQ(table.add(first), 0u);
  EXPECT_EQ(locations.size(), 2u);
}

}  // namespace
}  // namespace ingot::pt2
