#include "data/text/json_text.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cairn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Index = JsonText::Index;
using Kind = JsonText::Kind;

std::string error_of(ByteView source) {
  const auto text = JsonText::parse(source);
  return text ? "accepted" : text.error().message;
}

TEST(JsonText, KnowsWhereEverythingIs) {
  const std::string source = R"( {"a": [1, "x"], "b" : {"c":null}} )";
  const auto text = JsonText::parse(source);
  ASSERT_TRUE(text) << text.error().render();
  EXPECT_EQ((*text)[0].kind, Kind::kObject);
  EXPECT_EQ(text->lexeme(0), source.substr(1, source.size() - 2));
  ASSERT_THAT(text->children(0), ElementsAre(1, 4));
  EXPECT_EQ((*text)[1].name, "a");
  EXPECT_EQ(text->slice((*text)[1].key), R"("a")");
  EXPECT_EQ(text->lexeme(1), R"([1, "x"])");
  ASSERT_THAT(text->children(1), ElementsAre(2, 3));
  EXPECT_EQ(text->lexeme(3), R"("x")");
  EXPECT_EQ((*text)[3].parent, 1U);
  EXPECT_EQ((*text)[4].name, "b");
  EXPECT_EQ(text->lexeme(5), "null");
  EXPECT_EQ((*text)[5].parent, 4U);
  EXPECT_THAT(text->children(5), ElementsAre());
}

TEST(JsonText, FindsMembersByTheirDecodedName) {
  const auto text = JsonText::parse(R"({"aA": 1, "b\n": 2})");
  ASSERT_TRUE(text);
  EXPECT_EQ(text->member(0, "aA"), Index{1});
  EXPECT_EQ(text->member(0, "b\n"), Index{2});
  EXPECT_EQ(text->member(0, "b"), std::nullopt);
  EXPECT_EQ(text->member(1, "b"), std::nullopt);
}

TEST(JsonText, KeepsItsNamesWhenItMoves) {
  auto text = JsonText::parse(R"({"\u0061": 1})");
  ASSERT_TRUE(text);
  const auto moved = std::move(*text);
  EXPECT_EQ(moved[1].name, "a");
}

TEST(JsonText, DecodesStrings) {
  struct Case {
    std::string_view source;
    std::string_view value;
  };
  const Case cases[] = {
      {R"("")", ""},
      {R"("plain é")", "plain é"},
      {R"("\"\\\/\b\f\n\r\t")", "\"\\/\b\f\n\r\t"},
      {R"("\u0041\u00e9\u20AC\ud83d\uDE00")", "Aé€😀"},
      {R"("a\u0000b")", std::string_view("a\0b", 3)},
  };
  for (const auto& c : cases) {
    const auto text = JsonText::parse(c.source);
    ASSERT_TRUE(text) << c.source << text.error().render();
    EXPECT_EQ(text->string_value(0), c.value);
  }
}

TEST(JsonText, AcceptsWhatTheStandardDoes) {
  for (const auto* source :
       {"0", "-0", "1e5", "-1.5E-07", "1E+2", "true", "false", "null", "[]", "{}", " [ ] ",
        "{\t}\r\n", "[[],[{}]]", R"({"":""})", "\"\x7f\"", R"({"a":{"a":1},"b":{"a":1}})"}) {
    EXPECT_EQ(error_of(source), "accepted") << source;
  }
}

TEST(JsonText, RefusesEverythingElse) {
  struct Case {
    std::string_view source;
    std::string_view why;
  };
  const Case cases[] = {
      {"", "line 1, column 1: expected a value"},
      {"  ", "line 1, column 3: expected a value"},
      {"nul", "expected a value"},
      {"truex", "after the end"},
      {"1 2", "line 1, column 3: unexpected text after the end"},
      {"01", "after the end"},
      {"-", "expected a digit"},
      {"+1", "expected a value"},
      {"1.", "expected a digit"},
      {".5", "expected a value"},
      {"1e", "expected a digit"},
      {"NaN", "expected a value"},
      {"[1,]", "expected a value"},
      {"[1 2]", "expected ',' or ']'"},
      {"[1", "expected ',' or ']'"},
      {"{\"a\":1,}", "expected a name"},
      {"{a:1}", "expected a name"},
      {"{\"a\" 1}", "expected ':'"},
      {"{\"a\":1", "expected ',' or '}'"},
      {"{\n  \"a\": 1,\n  \"\\u0061\": 2\n}", "line 3, column 3: the name 'a' occurs twice"},
      {"\"a", "closing quote"},
      {"\"a\\", "unknown escape"},
      {"\"\\x\"", "unknown escape"},
      {"\"\\u12g4\"", "four hexadecimal digits"},
      {"\"\\u12", "four hexadecimal digits"},
      {"\"\\ud800\"", "surrogate"},
      {"\"\\ud800\\u0041\"", "surrogate"},
      {"\"\\udc00\"", "surrogate"},
      {"\"a\nb\"", "line 1, column 3: a control character"},
      {"1\n\"\xC3\"", "line 2, column 1: this line is not valid UTF-8"},
      {"\xEF\xBB\xBF{}", "expected a value"},
      {"// a\n1", "expected a value"},
      {"[\"é\" x]", "line 1, column 6"},
      {std::string_view("1\0", 2), "after the end"},
  };
  for (const auto& c : cases) EXPECT_THAT(error_of(c.source), HasSubstr(c.why)) << c.source;
}

TEST(JsonText, SaysWhereInDetails) {
  const auto text = JsonText::parse("[\n  1,\n  x]");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Code::kInvalidArgument);
  EXPECT_EQ(text.error().details.at("line"), Detail(std::int64_t{3}));
  EXPECT_EQ(text.error().details.at("column"), Detail(std::int64_t{3}));
}

TEST(JsonText, LimitsTheDepth) {
  auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(JsonText::parse(nested(512)));
  EXPECT_THAT(error_of(nested(513)), HasSubstr("column 513: nested more than 512 deep"));
  EXPECT_THAT(error_of(std::string(4 << 20, '[')), HasSubstr("nested"));
  EXPECT_FALSE(JsonText::parse("[]", 0));
  EXPECT_TRUE(JsonText::parse("1", 0));
}

TEST(CanonicalNumber, IsTheSameForEqualDecimals) {
  const std::vector<std::vector<std::string>> classes = {
      {"0", "-0", "0.0", "0e5", "-0.00e-999999999999999999999999"},
      {"1", "1.0", "1e0", "1E+0", "10e-1", "0.1e1", "0.001e3", "1.000e-0000"},
      {"-1", "-1.0", "-10e-1"},
      {"100", "1e2", "1e+02", "0.1e3", "100.00"},
      {"1.25", "125e-2", "0.125E1"},
      {"9007199254740993", "9007199254740993.0", "9007199254740.993e3"},
      {"9007199254740992"},
      {"1e100000000000000000", "10e99999999999999999", "0.1e100000000000000001"},
      {"1e99999999999999999", "10e99999999999999998", "0.1e100000000000000000"},
      {"1e-100000000000000000", "0.1e-99999999999999999", "10e-100000000000000001"},
      {"1e999999999999999999999999999999", "0.1e1000000000000000000000000000000"},
      {"1e-999999999999999999999999999999", "10e-1000000000000000000000000000000"},
      {"1e1000000000000000000000000000001", "10e1000000000000000000000000000000"},
  };
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const auto canonical = canonical_number(classes[i].front());
    for (const auto& spelling : classes[i]) EXPECT_EQ(canonical_number(spelling), canonical);
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_NE(canonical_number(classes[j].front()), canonical) << classes[i].front();
    }
  }
}

}  // namespace
}  // namespace cairn
