#include "import/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "support/diagnostics.h"

namespace ingot::pt2 {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The text as a tree of nlohmann's, read with the reader under test.
nlohmann::json read_tree(JsonReader& in) {
  switch (in.peek()) {
    case JsonReader::Kind::kNull:
      in.null();
      return nullptr;
    case JsonReader::Kind::kBool:
      return in.boolean();
    case JsonReader::Kind::kNumber:
      return in.real();
    case JsonReader::Kind::kString:
      return in.string();
    case JsonReader::Kind::kArray: {
      nlohmann::json list = nlohmann::json::array();
      in.array([&] { list.push_back(read_tree(in)); });
      return list;
    }
    case JsonReader::Kind::kObject: {
      nlohmann::json map = nlohmann::json::object();
      in.object([&](std::string_view key) {
        const std::string name(key);
        map[name] = read_tree(in);
      });
      return map;
    }
  }
  return nullptr;
}

nlohmann::json parse(std::string_view text) {
  JsonReader in(text, "text");
  nlohmann::json tree = read_tree(in);
  in.finish();
  return tree;
}

std::string error_of(std::string_view text) {
  try {
    parse(text);
  } catch (const CompileError& error) {
    EXPECT_EQ(error.diagnostic().id, Diag::kArchiveJson);
    return error.diagnostic().message;
  }
  return "accepted";
}

// Every number as a double, as read_tree gives it.
nlohmann::json with_doubles(const nlohmann::json& tree) {
  if (tree.is_number()) return tree.get<double>();
  nlohmann::json copy = tree;
  if (tree.is_structured()) {
    for (auto& element : copy) element = with_doubles(element);
  }
  return copy;
}

TEST(Json, AgreesWithAnotherParser) {
  for (const char* text :
       {R"({"a": [1, -2.5, 1e-05, 1E+300, 0, -0.0], "b": {"c": null, "": true}, "d": []})",
        R"(["\"\\\/\b\f\n\r\t", "A\u00e9\u20ac\ud83d\ude00", "naïve", "" , {} ])",
        R"(  [ [ [ ] , { "x" : [ false ] } ] , "y" ] )", "3", "\"x\"", "null",
        R"({"\u0061b": 1, "a": 2, "a": 3})",
        "[0.1, 123456789012345678901234567890, 1e999, 1e-999, 2.2250738585072014e-308]"}) {
    SCOPED_TRACE(text);
    // nlohmann refuses numbers beyond the range of doubles; Python does not.
    const std::string other = std::string(text).find("1e999") == std::string::npos
                                  ? std::string(text)
                                  : std::string("[0.1, 1.2345678901234568e29]");
    const nlohmann::json expected = with_doubles(nlohmann::json::parse(other));
    nlohmann::json tree = parse(text);
    if (tree.is_array() && tree.size() == 5 && tree[0] == 0.1) {
      EXPECT_EQ(tree[2], HUGE_VAL);
      EXPECT_EQ(tree[3], 0.0);
      EXPECT_EQ(tree[4], 2.2250738585072014e-308);
      tree.erase(tree.begin() + 2, tree.end());
    }
    EXPECT_EQ(tree, expected);
  }
}

// Random damage: both parsers must agree on what is JSON at all.
TEST(Json, RefusesWhatAnotherParserRefuses) {
  const std::string text =
      R"({"a": [1, -2.5e+3, true, null, "x\n\u0041y"], "b": {"c": [], "d": {}}, "e": 0.25})";
  const std::string alphabet = "{}[]\",:0123456789.eE+-tfn\\ ua";
  std::mt19937 random(7);
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = text;
    for (unsigned i = 0; i <= random() % 2; ++i) {
      damaged[random() % damaged.size()] = alphabet[random() % alphabet.size()];
    }
    const bool expected = nlohmann::json::accept(damaged);
    const std::string error = error_of(damaged);
    EXPECT_EQ(error == "accepted", expected) << damaged << "\n" << error;
    accepted += expected ? 1 : 0;
    JsonReader skipping(damaged, "text");
    bool skipped = true;
    try {
      skipping.skip();
      skipping.finish();
    } catch (const CompileError&) {
      skipped = false;
    }
    EXPECT_EQ(skipped, expected) << damaged;
  }
  EXPECT_GT(accepted, 1000);
}

TEST(Json, KeepsIntegersExact) {
  JsonReader in("[9223372036854775807, -9223372036854775808, 0]", "text");
  std::vector<int64_t> values;
  in.array([&] { values.push_back(in.integer()); });
  EXPECT_THAT(values, ElementsAre(INT64_MAX, INT64_MIN, 0));
  for (const char* text : {"9223372036854775808", "1.0", "1e3", "\"1\"", "true", "", "-", "01"}) {
    JsonReader bad(text, "text");
    EXPECT_THROW(bad.integer(), CompileError) << text;
  }
}

TEST(Json, TakesBothSpellingsOfInfinityAndNan) {
  JsonReader in(R"([NaN, Infinity, -Infinity, "NaN", "Infinity", "-Infinity", 1])", "text");
  std::vector<double> values;
  in.array([&] { values.push_back(in.real()); });
  ASSERT_EQ(values.size(), 7u);
  EXPECT_TRUE(std::isnan(values[0]) && std::isnan(values[3]));
  EXPECT_EQ(values[1], HUGE_VAL);
  EXPECT_EQ(values[2], -HUGE_VAL);
  EXPECT_EQ(values[4], HUGE_VAL);
  EXPECT_EQ(values[5], -HUGE_VAL);
  for (const char* text : {"\"nan\"", "\"1\"", "nan", "Inf", "-NaN", "+1", ".5", "1."}) {
    JsonReader bad(text, "text");
    EXPECT_THROW(
        {
          bad.real();
          bad.finish();
        },
        CompileError)
        << text;
  }
  JsonReader limits(R"([Infinity, -Infinity, "Infinity", -3])", "text");
  std::vector<std::optional<int64_t>> read;
  limits.array([&] { read.push_back(limits.integer_or_infinity()); });
  EXPECT_THAT(read, ElementsAre(std::nullopt, std::nullopt, std::nullopt, -3));
}

TEST(Json, ReplacesHalvesOfSurrogatePairs) {
  EXPECT_EQ(parse(R"("a\ud83db")"),
            "a\xef\xbf\xbd"
            "b");
  EXPECT_EQ(parse(R"("\ude00")"), "\xef\xbf\xbd");
  EXPECT_EQ(parse(R"("\ud83d\u0041")"),
            "\xef\xbf\xbd"
            "A");
}

TEST(Json, LimitsNesting) {
  const std::string deep(100000, '[');
  EXPECT_THAT(error_of(deep), HasSubstr("nested deeper than 200 levels"));
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
  EXPECT_THAT(error_of(objects), HasSubstr("nested deeper"));
  JsonReader skipping(deep, "text");
  EXPECT_THROW(skipping.skip(), CompileError);
  const std::string allowed = std::string(200, '[') + std::string(200, ']');
  EXPECT_EQ(error_of(allowed), "accepted");
}

TEST(Json, SaysWhereAnErrorIs) {
  EXPECT_EQ(error_of(R"({"graph": {"nodes": [{}, {"tar\"get": ?}]}})"),
            "text: $.graph.nodes[1].tar\"get: expected a number (at byte 38)");
  EXPECT_THAT(error_of("[1, 2"), HasSubstr("text: $[1]: the text ends too early"));
  EXPECT_THAT(error_of("[1] 2"), HasSubstr("text follows the value"));
  EXPECT_THAT(error_of("\"abc"), HasSubstr("ends inside a string"));
  EXPECT_THAT(error_of("\"abc\\"), HasSubstr("ends inside a string"));
  EXPECT_THAT(error_of("\"a\nb\""), HasSubstr("control character"));
  EXPECT_THAT(error_of(R"("\q")"), HasSubstr("unknown escape"));
  EXPECT_THAT(error_of(R"("\u12x4")"), HasSubstr("malformed \\u escape"));
}

}  // namespace
}  // namespace ingot::pt2
