#include "ir/schema.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "ir/builder.h"
#include "support/diagnostics.h"

namespace ingot::ir {
namespace {

TEST(Schema, NamesTypesAndDefaults) {
  const Schema schema = parse_schema(
      "aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, "
      "SymInt[2] padding=[0, 1], float eps=1.0000000000000001e-05, Scalar alpha=1, *, "
      "ScalarType? dtype=None, str mode=\"a\\\"b\", bool flag=True) -> Tensor");
  EXPECT_EQ(schema.name, "aten.conv2d.default");
  EXPECT_EQ(schema.base, "conv2d");
  EXPECT_EQ(schema.overload, "default");
  ASSERT_EQ(schema.params.size(), 10u);
  EXPECT_EQ(schema.find_param("bias"), 2);
  EXPECT_EQ(schema.find_param("absent"), -1);
  EXPECT_TRUE(schema.params[2].is_optional);
  EXPECT_TRUE(is_none(schema.params[2].default_value));
  EXPECT_EQ(schema.params[3].fixed_size, 2);
  EXPECT_EQ(std::get<std::vector<sym::Expr>>(schema.params[3].default_value),
            to_exprs(std::vector<int64_t>{1, 1}));
  EXPECT_EQ(std::get<std::vector<sym::Expr>>(schema.params[4].default_value),
            to_exprs(std::vector<int64_t>{0, 1}));
  EXPECT_EQ(std::get<double>(schema.params[5].default_value), 1e-5);
  EXPECT_EQ(std::get<sym::Expr>(schema.params[6].default_value), sym::Expr(1));
  EXPECT_EQ(schema.params[7].kind, ArgKind::kDType);
  EXPECT_EQ(std::get<std::string>(schema.params[8].default_value), "a\"b");
  EXPECT_EQ(std::get<bool>(schema.params[9].default_value), true);
  EXPECT_FALSE(schema.is_mutating());
  EXPECT_FALSE(schema.is_view());
}

TEST(Schema, Aliases) {
  const Schema in_place = parse_schema(
      "aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)");
  EXPECT_TRUE(in_place.is_mutating());
  EXPECT_FALSE(in_place.is_view());
  EXPECT_EQ(in_place.params[0].alias_set, "a");
  EXPECT_EQ(in_place.overload, "Tensor");

  const Schema view = parse_schema("aten::chunk(Tensor(a -> *) self, int chunks) -> Tensor(a)[]");
  EXPECT_TRUE(view.is_view());
  EXPECT_EQ(view.returns[0].kind, ArgKind::kTensorList);
  EXPECT_EQ(view.returns[0].alias_set, "a");

  const Schema lists = parse_schema(
      "aten::_foreach_add_.Scalar(Tensor(a!)[] self, Tensor?[] others, Scalar s) -> ()");
  EXPECT_TRUE(lists.is_mutating());
  EXPECT_EQ(lists.params[0].kind, ArgKind::kTensorList);
  EXPECT_EQ(lists.params[1].kind, ArgKind::kTensorList);
  EXPECT_FALSE(lists.params[1].is_optional);
  EXPECT_TRUE(lists.returns.empty());
}

TEST(Schema, NamedReturns) {
  const Schema schema =
      parse_schema("aten::max.dim(Tensor self, int dim) -> (Tensor values, Tensor indices)");
  ASSERT_EQ(schema.returns.size(), 2u);
  EXPECT_EQ(schema.returns[1].name, "indices");
}

TEST(Schema, RejectsWhatIsNoSchema) {
  for (const char* text :
       {"", "relu(Tensor self) -> Tensor", "aten::relu", "aten::relu(Tensor self", "aten::relu()",
        "aten::relu(Tensor) -> Tensor", "aten::relu(Tensor self) -> Tensor junk junk",
        "aten::relu(int[99999999999999] a) -> Tensor", "aten::relu(int a=1x) -> Tensor",
        "aten::relu(str a=\"x) -> Tensor", "aten::relu(int[] a=[1) -> Tensor"}) {
    EXPECT_THROW(parse_schema(text), InternalError) << text;
  }
}

std::filesystem::path shared_data() {
  if (const char* folder = std::getenv("INGOT_SHARED_DATA")) return folder;
  return "../shared/data";
}

// Every schema of PyTorch parses, under a name of its own, and its defaults fit its parameters.
TEST(Schema, AllOfPyTorch) {
  size_t count = 0;
  for (const char* name : {"aten/aten_schemas.txt", "aten/prims.txt"}) {
    std::ifstream file(shared_data() / name);
    if (!file) GTEST_SKIP() << "no " << shared_data() / name;
    std::set<std::string> names;
    for (std::string line; std::getline(file, line);) {
      if (line.empty()) continue;
      ++count;
      ASSERT_NO_THROW({
        const Schema schema = parse_schema(line);
        EXPECT_TRUE(names.insert(schema.name).second) << line;
        for (const Param& param : schema.params) {
          if (param.has_default && param.kind != ArgKind::kOther) {
            EXPECT_TRUE(fits(param, param.default_value)) << line << ": " << param.name;
          }
        }
      }) << line;
    }
  }
  EXPECT_GT(count, 3000u);
}

}  // namespace
}  // namespace ingot::ir
