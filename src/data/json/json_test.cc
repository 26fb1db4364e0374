#include "data/json/json.h"

#include <bit>
#include <chrono>
#include <cmath>
#include <limits>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "data/json/json_testing.h"

namespace cairn::json {
namespace {

using testing::HasSubstr;

Value parsed(std::string_view source) {
  auto value = parse(source);
  EXPECT_TRUE(value) << source << ": " << value.error().render();
  return value ? *value : Value();
}

std::string error_of(std::string_view source) {
  const auto value = parse(source);
  if (value) return "accepted";
  EXPECT_EQ(value.error().code, Code::kInvalidJson);
  return value.error().message;
}

std::string repeated(std::string_view part, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += part;
  return out;
}

TEST(Parse, ReadsEveryKindOfValue) {
  const auto value = parsed(R"( {"n":null, "t":true, "f":false, "i":-7, "d":1.5, "s":"x",
                                 "a":[1,[],{}], "o":{"":0}} )");
  const auto& object = value.get_object();
  EXPECT_TRUE(find(object, "n")->is_null());
  EXPECT_TRUE(find(object, "t")->get_bool());
  EXPECT_FALSE(find(object, "f")->get_bool());
  EXPECT_EQ(find(object, "i")->get_int64(), -7);
  EXPECT_EQ(find(object, "d")->get_double(), 1.5);
  EXPECT_EQ(text(*find(object, "s")), "x");
  EXPECT_EQ(find(object, "a")->get_array().size(), 3U);
  EXPECT_EQ(find(find(object, "o")->get_object(), "")->get_int64(), 0);
  EXPECT_EQ(find(object, "missing"), nullptr);
  EXPECT_EQ(text(*find(object, "i")), "");
}

TEST(Parse, WritesBackWhatItRead) {
  const std::string_view same[] = {"null",
                                   "true",
                                   "false",
                                   "0",
                                   "-1",
                                   "9223372036854775807",
                                   "-9223372036854775808",
                                   "9223372036854775808",
                                   "18446744073709551615",
                                   "0.1",
                                   "1.0",
                                   "-0.0",
                                   "100.0",
                                   "1.5e-07",
                                   "1e+300",
                                   "5e-324",
                                   "1.7976931348623157e+308",
                                   R"("")",
                                   R"("/")",
                                   R"("ü€😀")",
                                   R"("\"\\\b\f\n\r\t\u0000\u001f")",
                                   "\"\x7f\"",
                                   "[]",
                                   "{}",
                                   R"([[],{},[1,2],"x"])",
                                   R"({"z":1,"a":{"c":[null],"b":2.0}})"};
  for (const auto source : same) EXPECT_EQ(write(parsed(source)), source);
}

TEST(Parse, NormalisesSpellings) {
  struct Case {
    std::string_view source;
    std::string_view written;
  };
  const Case cases[] = {
      {" [ 1 ,\t2\r\n] ", "[1,2]"},
      {"-0", "0"},
      {"1E2", "100.0"},
      {"1.50", "1.5"},
      {"18446744073709551616", "18446744073709551616.0"},
      {"-9223372036854775809", "-9223372036854775808.0"},
      {"123456789012345678901234567890", "1.2345678901234568e+29"},
      {"1e-400", "0.0"},
      {"-1e-400", "-0.0"},
      {R"("\/")", R"("/")"},
      {R"("\u00e9\u20AC\uD83D\uDE00")", R"("é€😀")"},
      {R"({"\u0061b\n":1})", R"({"ab\n":1})"},
  };
  for (const auto& c : cases) EXPECT_EQ(write(parsed(c.source)), c.written) << c.source;
}

TEST(Parse, KeepsIntegersOf64Bits) {
  EXPECT_EQ(parsed("9223372036854775807").get_int64(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parsed("-9223372036854775808").get_int64(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(parsed("18446744073709551615").get_uint64(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_TRUE(parsed("18446744073709551616").is_double());
  EXPECT_TRUE(parsed("1.0").is_double());
  EXPECT_TRUE(std::signbit(parsed("-0.0").get_double()));
}

TEST(Parse, SaysWhatIsWrongAndWhere) {
  struct Case {
    std::string source;
    std::string_view message;
  };
  const Case cases[] = {
      {"", "line 1, column 1: the text ends too early"},
      {"  ", "line 1, column 3: the text ends too early"},
      {"[1,", "line 1, column 4: the text ends too early"},
      {R"({"a":"b)", "line 1, column 8: the text ends too early"},
      {"[1,]", "line 1, column 4: unexpected ']'"},
      {"{\"a\":1,\n \"b\" 2}", "line 2, column 6: unexpected '2'"},
      {"{\"ü\":é}", "line 1, column 6: unexpected 'é'"},
      {"{a:1}", "line 1, column 2: unexpected 'a'"},
      {"{'a':1}", "line 1, column 2: unexpected '''"},
      {"[1] [2]", "line 1, column 5: unexpected '[' after the end of the value"},
      {"nul", "the text ends too early"},
      {"nope", "line 1, column 1: unexpected 'n'"},
      {"NaN", "line 1, column 1: unexpected 'N'"},
      {"01", "unexpected '1' after the end"},
      {"1.", "the text ends too early"},
      {".5", "line 1, column 1: unexpected '.'"},
      {"+1", "line 1, column 1: unexpected '+'"},
      {"1 // one", "unexpected '/' after the end"},
      {"\xEF\xBB\xBF[]", "line 1, column 1: unexpected"},
      {"\"a\nb\"", "unexpected control character \\u000a; in a string it must be escaped"},
      {R"("\x")", "line 1, column 3: unexpected 'x'"},
      {R"("\u12G4")", "four hexadecimal digits"},
      {R"("\ud800")", "half of a surrogate pair stands alone"},
      {R"("\ud800x")", "half of a surrogate pair stands alone"},
      {R"("\ud800\n")", "half of a surrogate pair stands alone"},
      {R"("\uDBFF\u0041")", "half of a surrogate pair stands alone"},
      {R"("\udc00")", "half of a surrogate pair stands alone"},
      {R"({"\udc00":1})", "half of a surrogate pair stands alone"},
      {"\"a\xFF\"", "line 1, column 3: the text is not valid UTF-8"},
      {"\"\xC0\xAF\"", "the text is not valid UTF-8"},
      {"\"\xED\xA0\x80\"", "the text is not valid UTF-8"},
      {"\"\xF4\x90\x80\x80\"", "the text is not valid UTF-8"},
      {"\"\xE2\x82\"", "the text is not valid UTF-8"},
      {"1e400", "the number 1e400 that ends here is too large"},
      {"[-1e309]", "line 1, column 8: the number -1e309 that ends here is too large"},
      {"1" + repeated("0", 400), "is too large"},
      {"1e99999999999", "the exponent of this number is too large"},
      {R"({"a":1,"b":2,"a":3})",
       "line 1, column 19: the object that ends here has the key 'a' twice"},
      {R"([{"x":{"k":1,"\u006b":2}}])", "has the key 'k' twice"},
      {R"({"":1,"":2})", "has the key '' twice"},
  };
  for (const auto& c : cases) EXPECT_THAT(error_of(c.source), HasSubstr(c.message)) << c.source;
}

TEST(Parse, GivesThePlaceAsDetails) {
  const auto failed = parse("[1,\n\"ü\", x]");
  ASSERT_FALSE(failed);
  const auto& details = failed.error().details;
  EXPECT_EQ(std::get<std::int64_t>(details.at("line")), 2);
  EXPECT_EQ(std::get<std::int64_t>(details.at("column")), 6);
  EXPECT_EQ(std::get<std::int64_t>(details.at("offset")), 10);
}

TEST(Parse, AllowsEqualKeysInDifferentObjects) {
  EXPECT_EQ(write(parsed(R"({"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]})")),
            R"({"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]})");
}

TEST(Parse, BoundsTheNumberOfValues) {
  EXPECT_TRUE(parse(R"([1,"a",{"k":null}])", {.max_values = 5}));
  const auto refused = parse(R"([1,"a",{"k":null}])", {.max_values = 4});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kInvalidJson);
  EXPECT_THAT(refused.error().message, HasSubstr("more than 4 values"));
  EXPECT_TRUE(parse("[" + repeated("0,", 199'998) + "0]", kFromClients));
  EXPECT_FALSE(parse("[" + repeated("0,", 199'999) + "0]", kFromClients));
}

TEST(Parse, BoundsTheDepth) {
  const auto nested = [](std::size_t depth) {
    return repeated(R"([{"a":)", depth / 2) + "1" + repeated("}]", depth / 2);
  };
  EXPECT_TRUE(parse(nested(100)));
  EXPECT_THAT(error_of(nested(102)), HasSubstr("nested more than 100 deep"));
  EXPECT_TRUE(parse("[[1]]", {.max_depth = 2}));
  EXPECT_FALSE(parse("[[1]]", {.max_depth = 1}));
  EXPECT_TRUE(parse("1", {.max_depth = 0}));
  EXPECT_TRUE(parse(nested(1000), {.max_depth = 1'000'000}));
  EXPECT_FALSE(parse(nested(1002), {.max_depth = 1'000'000}));
  EXPECT_FALSE(parse(repeated("[", 1'000'000), {.max_depth = 1'000'000}));
}

TEST(Parse, ReadsALargeObjectInAnInstant) {
  std::string source = "{";
  for (int i = 0; i < 200'000; ++i) source += fmt::format("\"key{}\":{},", i, i);
  const auto began = WorkClock().monotonic();
  EXPECT_EQ(parsed(source + "\"last\":0}").get_object().size(), 200'001U);
  EXPECT_THAT(error_of(source + "\"key77\":0}"), HasSubstr("has the key 'key77' twice"));
  EXPECT_LT(WorkClock().monotonic() - began, std::chrono::seconds(10));
}

TEST(Parse, ReadsAMillionDoublesBackAsTheyWere) {
  const auto seed = a_seed();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  std::mt19937_64 random(seed);
  std::string out;
  for (int round = 0; round < 100; ++round) {
    Array array;
    while (array.size() < 10'000) {
      const auto number = std::bit_cast<double>(random());
      if (std::isfinite(number)) array.emplace_back(number);
    }
    out.clear();
    write(out, array);
    const auto again = parsed(out);
    for (std::size_t i = 0; i < array.size(); ++i) {
      const auto bits = std::bit_cast<std::uint64_t>(array[i].get_double());
      ASSERT_EQ(std::bit_cast<std::uint64_t>(again.get_array()[i].get_double()), bits) << array[i];
    }
  }
}

TEST(Parse, ReadsLongSpellingsOfADoubleExactly) {
  struct Case {
    std::string_view source;
    double value;
  };
  const Case cases[] = {
      {"0.1000000000000000055511151231257827021181583404541015625", 0.1},
      {"9007199254740993.0", 9007199254740992.0},
      {"9007199254740993.00000000000000000000000000000000000001", 9007199254740994.0},
      {"2.2250738585072011e-308", 2.2250738585072011e-308},
      {"1.7976931348623158e308", std::numeric_limits<double>::max()},
      {"0.000000000000000000000000000001e30", 1.0},
  };
  for (const auto& c : cases) EXPECT_EQ(parsed(c.source).get_double(), c.value) << c.source;
}

TEST(Parse, JoinsStringsThatComeInParts) {
  const auto part = std::string(5000, 'x') + "\\n\\u00e9";
  const auto plain = std::string(5000, 'x') + "\né";
  EXPECT_EQ(text(parsed("\"" + repeated(part, 40) + "\"")), repeated(plain, 40));
  const auto object = parsed("{\"" + repeated(part, 40) + "\":1,\"b\":{\"c\\n\":2}}");
  EXPECT_NE(find(object.get_object(), repeated(plain, 40)), nullptr);
  EXPECT_NE(find(find(object.get_object(), "b")->get_object(), "c\n"), nullptr);
}

TEST(Write, EscapesEveryByteThatNeedsItAtEveryPlace) {
  for (int byte = 0; byte < 0x80; ++byte) {
    for (std::size_t at = 0; at < 20; ++at) {
      std::string text = "\x7f\xc3\xbc and \xe2\x82\xac and so on, on";
      text.insert(text.begin() + 6 + static_cast<std::ptrdiff_t>(at), static_cast<char>(byte));
      if (!valid_utf8(text)) continue;
      const auto written = write(Value(text));
      EXPECT_EQ(json::text(parse(written).value()), text) << byte << " at " << at;
      const bool plain = byte >= 0x20 && byte != '"' && byte != '\\';
      EXPECT_EQ(written.size() == text.size() + 2, plain) << byte << " at " << at;
    }
  }
}

TEST(Write, IndentsForPeople) {
  EXPECT_EQ(write_pretty(parsed(R"({"a":[1,{"b":"x"}],"c":[],"d":{}})")),
            "{\n"
            "  \"a\": [\n"
            "    1,\n"
            "    {\n"
            "      \"b\": \"x\"\n"
            "    }\n"
            "  ],\n"
            "  \"c\": [],\n"
            "  \"d\": {}\n"
            "}");
  EXPECT_EQ(write_pretty(Value(1)), "1");
}

TEST(Write, AppendsAndSaysNullForWhatJsonCannotSay) {
  std::string out = "x=";
  write(out, Array{std::numeric_limits<double>::infinity(), std::nan(""), 1});
  EXPECT_EQ(out, "x=[null,null,1]");
}

}  // namespace
}  // namespace cairn::json
