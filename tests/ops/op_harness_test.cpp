// Every operator x case x dtype, static and with dynamic sizes, against its reference.
#include <gtest/gtest.h>

#include "op_sample.h"
#include "support/diagnostics.h"

namespace ingot::ops {
namespace {

class OpHarness : public testing::TestWithParam<const OpDef*> {
 protected:
  void check(const Case& test_case, DType dtype, bool dynamic) {
    SCOPED_TRACE(test_case.schema + " " + test_case.name + (dynamic ? " dynamic " : " ") +
                 std::string(to_string(dtype)));
    try {
      const auto sample = make_sample(test_case, dtype, dynamic);
      const std::vector<HostTensor> results =
          evaluate(sample->graph, sample->inputs, sample->symbols);
      if (GetParam()->kind == OpKind::kEffect) return;
      const std::vector<RefTensor> expected = sample->expected();
      ASSERT_EQ(results.size(), expected.size());
      for (size_t i = 0; i < results.size(); ++i) {
        EXPECT_EQ(compare(results[i], expected[i]), "") << "result " << i;
      }
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
};

TEST_P(OpHarness, MatchesReference) {
  for (const Case& test_case : GetParam()->cases()) {
    for (DType dtype : test_case.dtypes) {
      check(test_case, dtype, false);
      if (test_case.dynamic) check(test_case, dtype, true);
    }
  }
}

// Each overload has a case, and the operator one with dynamic sizes.
TEST_P(OpHarness, CasesCoverTheOverloads) {
  const std::vector<Case> cases = GetParam()->cases();
  bool any_dynamic = false;
  for (const Case& test_case : cases) {
    any_dynamic = any_dynamic || test_case.dynamic;
    EXPECT_FALSE(test_case.dtypes.empty()) << test_case.schema;
  }
  EXPECT_TRUE(any_dynamic);
  for (std::string_view schema : GetParam()->schemas) {
    const std::string name = ir::parse_schema(schema).name;
    EXPECT_TRUE(std::any_of(cases.begin(), cases.end(),
                            [&](const Case& test_case) { return test_case.schema == name; }))
        << "no case of " << name;
  }
}

std::vector<const OpDef*> harness_ops() {
  const auto ops = all_ops();
  return {ops.begin(), ops.end()};
}

INSTANTIATE_TEST_SUITE_P(Ops, OpHarness, testing::ValuesIn(harness_ops()),
                         [](const auto& op) { return std::string(op.param->name); });

}  // namespace
}  // namespace ingot::ops
