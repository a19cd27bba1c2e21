// The operator table: lookups, and schemas equal to PyTorch's.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "ops/op_table.h"
#include "support/diagnostics.h"

namespace ingot::ops {
namespace {

std::string describe(const ir::Schema& schema) {
  std::string text = schema.name + "(";
  for (const ir::Param& param : schema.params) {
    text += fmt::format("{} kind {}{}{} size {}{}, ", param.name, static_cast<int>(param.kind),
                        param.is_optional ? " optional" : "", param.has_default ? " default" : "",
                        param.fixed_size, param.is_written ? " written" : "");
  }
  text += fmt::format(") -> {}", schema.returns.size());
  return text;
}

TEST(OpTable, UnknownOperatorIsNull) {
  EXPECT_EQ(find_operator("aten.no_such_operator.default"), nullptr);
  EXPECT_EQ(find_operator(""), nullptr);
}

TEST(OpTable, InPlaceOverloadIsDerived) {
  const ir::Operator* functional = find_operator("aten.abs.default");
  const ir::Operator* in_place = find_operator("aten.abs_.default");
  ASSERT_TRUE(functional && in_place);
  EXPECT_EQ(in_place->def, functional->def);
  EXPECT_TRUE(in_place->schema.is_mutating());
  EXPECT_FALSE(functional->schema.is_mutating());
  EXPECT_EQ(in_place->schema.params[0].alias_set, in_place->schema.returns[0].alias_set);
}

TEST(OpTable, AliasHasTheSameDefinition) {
  ASSERT_TRUE(find_operator("aten.absolute.default"));
  EXPECT_EQ(find_operator("aten.absolute.default")->def, find_operator("aten.abs.default")->def);
  EXPECT_EQ(find_operator("aten.absolute_.default")->def, find_operator("aten.abs.default")->def);
}

TEST(OpTable, DefinitionsAreSortedAndComplete) {
  std::string_view last;
  for (const OpDef* def : all_ops()) {
    EXPECT_LT(last, def->name);
    last = def->name;
    EXPECT_TRUE(def->infer) << def->name;
    EXPECT_TRUE(def->cases) << def->name;
    EXPECT_EQ(def->decompose != nullptr, def->kind == OpKind::kComposite) << def->name;
    const bool by_element = def->kind == OpKind::kPointwise || def->kind == OpKind::kView ||
                            def->kind == OpKind::kIndexing || def->kind == OpKind::kReduction;
    EXPECT_EQ(def->element != nullptr, by_element) << def->name;
    EXPECT_EQ(def->reference != nullptr, def->kind != OpKind::kEffect) << def->name;
  }
}

std::string aten_schemas_path() {
  const char* shared = std::getenv("INGOT_SHARED_DATA");
  return std::string(shared ? shared : "../shared/data") + "/aten/aten_schemas.txt";
}

// Every schema of ours, derived ones included, is PyTorch's where PyTorch has the overload.
TEST(OpTable, SchemasAreThoseOfPyTorch) {
  std::ifstream file(aten_schemas_path());
  if (!file) GTEST_SKIP() << "no " << aten_schemas_path() << ": schemas not compared";
  std::map<std::string, ir::Schema> theirs;
  for (std::string line; std::getline(file, line);) {
    ir::Schema schema = ir::parse_schema(line);
    theirs.emplace(schema.name, std::move(schema));
  }
  ASSERT_GT(theirs.size(), 3000u);
  for (const OpDef* def : all_ops()) {
    for (std::string_view text : def->schemas) {
      const ir::Schema ours = ir::parse_schema(text);
      if (!ours.name.starts_with("aten.")) continue;
      EXPECT_TRUE(theirs.contains(ours.name)) << ours.name;
    }
  }
  for (const std::string& name : operator_names()) {
    const auto found = theirs.find(name);
    if (found == theirs.end()) continue;
    EXPECT_EQ(describe(find_operator(name)->schema), describe(found->second));
  }
}

}  // namespace
}  // namespace ingot::ops
