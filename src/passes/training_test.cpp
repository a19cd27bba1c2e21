// What a model does in training alone is refused, never passed over.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/text.h"
#include "ops/op_table.h"
#include "passes/pipeline.h"
#include "support/diagnostics.h"

namespace ingot::passes {
namespace {

// The error of the whole pipeline, or "".
std::string error_of(const std::string& call) {
  const auto model = ir::parse_model(
      "graph main(%x: f32[2, 3]) {\n  %y: f32[2, 3] = " + call + "\n  return %y\n}\n",
      ops::find_operator);
  PassContext context(ops::op_table());
  try {
    run_pipeline(*model, context);
  } catch (const CompileError& error) {
    return error.what();
  }
  return "";
}

TEST(Training, DropoutIsRefused) {
  for (const char* name : {"dropout", "dropout_", "feature_dropout", "alpha_dropout"}) {
    const std::string call = "aten." + std::string(name) + ".default(%x, ";
    EXPECT_THAT(error_of(call + "0.5, true)"), ::testing::HasSubstr("training mode")) << name;
    EXPECT_EQ(error_of(call + "0.5, false)"), "") << name;
    EXPECT_EQ(error_of(call + "0.0, true)"), "") << name;
  }
}

}  // namespace
}  // namespace ingot::passes
