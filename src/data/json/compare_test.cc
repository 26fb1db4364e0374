#include "data/json/compare.h"

#include <chrono>

#include <gtest/gtest.h>

#include "base/clock.h"

namespace cairn::json {
namespace {

Value parsed(std::string_view source) {
  auto value = parse(source);
  EXPECT_TRUE(value) << source;
  return value ? *value : Value();
}

std::string canonical(std::string_view source) {
  std::string out;
  write_canonical(out, parsed(source));
  return out;
}

TEST(Compare, KnowsTheSameValueInItsSpellings) {
  struct Case {
    std::string_view a;
    std::string_view b;
    bool same;
  };
  const Case cases[] = {
      {"1", "1.0", true},
      {"0", "-0.0", true},
      {"1", "true", false},
      {"null", "false", false},
      {"10000000000000000000", "1e19", true},
      {"18446744073709551615", "1.8446744073709551615e19", false},
      {"9007199254740993", "9007199254740992.0", false},
      {"-9223372036854775808", "-9223372036854775808.0", true},
      {"1e300", "1e300", true},
      {"0.1", "0.10", true},
      {R"({"a":1,"b":[2]})", R"({"b":[2.0],"a":1.0})", true},
      {R"({"a":1})", R"({"a":1,"b":1})", false},
      {R"({"a":1})", R"({"b":1})", false},
      {"[1,2]", "[2,1]", false},
      {"[1]", "[1,1]", false},
      {R"("1")", "1", false},
      {R"("a\u0000")", R"("a")", false},
      {"[]", "{}", false},
      {R"(["a,","b"])", R"(["a",",b"])", false},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(same(parsed(c.a), parsed(c.b)), c.same) << c.a << " " << c.b;
    EXPECT_EQ(same(parsed(c.b), parsed(c.a)), c.same) << c.a << " " << c.b;
    EXPECT_EQ(canonical(c.a) == canonical(c.b), c.same) << c.a << " " << c.b;
  }
}

TEST(Compare, OrdersNumbersExactly) {
  const std::string_view ascending[] = {"-1e300",
                                        "-9223372036854775808",
                                        "-9223372036854775807",
                                        "-1.5",
                                        "0",
                                        "5e-324",
                                        "9007199254740992.0",
                                        "9007199254740993",
                                        "9223372036854775807",
                                        "9223372036854775808",
                                        "18446744073709551615",
                                        "18446744073709551616"};
  for (std::size_t i = 0; i < std::size(ascending); ++i) {
    for (std::size_t j = 0; j < std::size(ascending); ++j) {
      EXPECT_EQ(compare_numbers(parsed(ascending[i]), parsed(ascending[j])), i <=> j)
          << ascending[i] << " " << ascending[j];
    }
  }
}

TEST(Compare, FindsEqualElementsAmongManyInAnInstant) {
  Array array;
  for (int i = 0; i < 100'000; ++i) array.emplace_back(fmt::format("text number {}", i));
  const auto began = WorkClock().monotonic();
  EXPECT_EQ(equal_elements(array), std::nullopt);
  array.emplace_back("text number 77");
  EXPECT_EQ(equal_elements(array), std::pair(std::size_t{77}, std::size_t{100'000}));
  EXPECT_LT(WorkClock().monotonic() - began, std::chrono::seconds(10));
}

}  // namespace
}  // namespace cairn::json
