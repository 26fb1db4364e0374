#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "data/json/jmespath/jmespath.h"

namespace cairn::jmespath {
namespace {

using testing::HasSubstr;

Expression compiled(std::string_view text) {
  auto expression = Expression::compile(text);
  EXPECT_TRUE(expression) << (expression ? "" : expression.error().message);
  return std::move(expression).value();
}

std::string repeated(std::string_view part, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += part;
  return out;
}

json::Value numbers(std::int64_t count) {
  json::Array array;
  for (std::int64_t i = 0; i < count; ++i) array.emplace_back((i * 7919) % 10'007);
  return array;
}

// The limit that stopped the search.
std::optional<Budget::Limit> stopped_by(std::string_view expression, const json::Value& document,
                                        Budget::Limits limits) {
  const ManualClock clock;
  Budget for_value(clock, limits);
  Budget for_text(clock, limits);
  const auto query = compiled(expression);
  const auto value = query.search(document, for_value);
  const auto text = query.search_text(document, for_text);
  EXPECT_EQ(value.has_value(), !for_value.stopped_by()) << expression;
  EXPECT_EQ(text.has_value(), value.has_value()) << expression;
  if (!value) {
    EXPECT_EQ(value.error().code, Code::kBudgetExceeded) << expression;
  }
  return for_value.stopped_by();
}

TEST(JmespathLimits, RefusesATextThatIsTooLong) {
  EXPECT_TRUE(Expression::compile(repeated("a", kLongestExpression)));
  const auto longer = Expression::compile(repeated("a", kLongestExpression + 1));
  ASSERT_FALSE(longer);
  EXPECT_EQ(longer.error().code, Code::kInvalidQuery);
}

TEST(JmespathLimits, RefusesWhatIsNestedTooDeep) {
  struct Case {
    std::string_view open;
    std::string_view inner;
    std::string_view close;
  };
  const Case cases[] = {
      {"(", "a", ")"},     {"[", "a", "]"},   {"!", "a", ""},         {"{a: ", "a", "}"},
      {"abs(", "a", ")"},  {"[?", "a", "]"},  {"a[*].", "a", ""},     {"*.", "a", ""},
      {"", "a", "[]"},     {"", "a", "[*]"},  {"", "a", "[?b]"},      {"[a] | ", "a", ""},
      {"a.[b].", "a", ""}, {"", "a", "[:1]"}, {"", "a", ".f"},        {"map(&", "a", ",@)"},
      {"a == ", "a", ""},  {"", "@", "|[@]"}, {"", "[0]", "[*].[@]"}, {"", "a", ".{a: b}"}};
  for (const auto& c : cases) {
    for (const std::size_t times : {std::size_t{20}, std::size_t{200}, std::size_t{7000}}) {
      const auto text = repeated(c.open, times) + std::string(c.inner) + repeated(c.close, times);
      if (text.size() > kLongestExpression) continue;
      const auto expression = Expression::compile(text);
      if (times <= 20) {
        ASSERT_TRUE(expression) << text << expression.error().message;
      }
      if (!expression) continue;
      // A query that compiles can be searched, and its outcome written and dropped.
      const SystemClock clock;
      Budget budget(clock, {.entries = 1'000'000, .bytes = 10'000'000});
      const auto answer = expression->search(numbers(2), budget);
      if (answer) {
        EXPECT_TRUE(json::parse(json::write(*answer), {.max_depth = 1000})) << text;
      }
    }
  }
  const auto deep = Expression::compile(repeated("[", 30'000));
  ASSERT_FALSE(deep);
  EXPECT_THAT(deep.error().message, HasSubstr("cut the query into several"));
}

TEST(JmespathLimits, LongChainsAreNoNesting) {
  EXPECT_TRUE(Expression::compile("a" + repeated(".a", 10'000)));
  EXPECT_TRUE(Expression::compile("a" + repeated("[0]", 10'000)));
  EXPECT_TRUE(Expression::compile("a" + repeated(" || a", 10'000)));
  EXPECT_TRUE(Expression::compile("not_null(a" + repeated(",a", 10'000) + ")"));
}

TEST(JmespathLimits, CountsValues) {
  const auto document = numbers(10'000);
  EXPECT_EQ(stopped_by("[*]", document, {.entries = 100'000}), std::nullopt);
  for (const auto* expression :
       {"[*]", "[]", "[?@ > `5`]", "[:]", "sum(@)", "sort(@)", "max(@)", "map(&@, @)", "@ == [*]",
        "reverse(@)", "contains(@, `-1`)", "to_string(@)", "@", "[[[@]]]", "sort_by(@, &@)"}) {
    EXPECT_EQ(stopped_by(expression, document, {.entries = 5000}), Budget::Limit::kEntries)
        << expression;
  }
  // The smallest budgets hold as well.
  EXPECT_EQ(stopped_by("a.b", document, {.entries = 1}), Budget::Limit::kEntries);
  EXPECT_EQ(stopped_by("a.b", document, {.entries = 2}), std::nullopt);
}

TEST(JmespathLimits, CountsBytes) {
  const auto document = numbers(10'000);
  for (const auto* expression :
       {"@", "[*]", "sort(@)", "map(&[@, @], @)", "[@, @, @, @]", "to_string([@, @, @])"}) {
    EXPECT_EQ(stopped_by(expression, document, {.bytes = 40'000}), Budget::Limit::kBytes)
        << expression;
  }
}

// Each doubles what the one before made; nothing is copied until the end.
TEST(JmespathLimits, StopsWhatGrowsExponentially) {
  const auto doubled = "@" + repeated("|[@,@]", 140);
  for (const auto& expression : {doubled, doubled + "|to_string(@)", doubled + "| @ == [[0],@][1]",
                                 "[@,@]" + repeated("|[@,@][]", 60)}) {
    EXPECT_TRUE(stopped_by(expression, numbers(10), {.entries = 1'000'000, .bytes = 10'000'000}))
        << expression;
  }
}

TEST(JmespathLimits, PaysForTheBytesOfTheStringsItLooksAt) {
  const std::string text(1'000'000, 'a');
  const json::Value document{{"a", text + "b"}, {"b", text + "c"}, {"text", text}};
  const auto many = "[a,b" + repeated(",a,b", 2000) + "]";
  for (const auto& expression :
       {"sort(" + many + ")", "max(" + many + ")", many + "[?@ == `\"x\"` || length(@) == `1`]",
        many + "[?contains(@, 'aab')]", "join('', " + many + ")"}) {
    EXPECT_EQ(stopped_by(expression, document, {.entries = 300'000}), Budget::Limit::kEntries)
        << expression;
  }
}

TEST(JmespathLimits, FindsTextInLinearTime) {
  const json::Value document{{"hay", std::string(4'000'000, 'a')},
                             {"needle", std::string(2'000'000, 'a') + "b"}};
  EXPECT_EQ(stopped_by("contains(hay, needle)", document, {.entries = 1'000'000}), std::nullopt);
}

class TickingClock final : public Clock {
 public:
  Millis now() const override { return 0; }
  std::chrono::nanoseconds monotonic() const override {
    return std::chrono::milliseconds(ticks_++);
  }

 private:
  mutable std::atomic<int> ticks_ = 0;
};

TEST(JmespathLimits, StopsAtTheDeadline) {
  const TickingClock clock;
  Budget budget(clock, {.time = std::chrono::milliseconds(20)});
  const auto answer = compiled("[*].sort(@)").search(json::Array(1000, numbers(1000)), budget);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::kBudgetExceeded);
  EXPECT_EQ(budget.stopped_by(), Budget::Limit::kTime);
  EXPECT_THAT(answer.error().message, HasSubstr("narrow it with a filter"));
}

TEST(JmespathLimits, StopsWhenCancelled) {
  std::stop_source source;
  source.request_stop();
  EXPECT_EQ(stopped_by("[*]", numbers(10'000), {.stop = source.get_token()}),
            Budget::Limit::kCancelled);
}

TEST(JmespathLimits, IsCancelledFromAnotherThread) {
  std::stop_source source;
  const SystemClock clock;
  Budget budget(clock, {.stop = source.get_token()});
  // Takes years.
  const auto query = compiled("@" + repeated("|[@,@]", 140) + "| @ == [@][0]");
  std::jthread canceller([&] { source.request_stop(); });
  const auto answer = query.search(numbers(10), budget);
  ASSERT_FALSE(answer);
  EXPECT_EQ(budget.stopped_by(), Budget::Limit::kCancelled);
  EXPECT_THAT(answer.error().message, HasSubstr("cancelled"));
}

TEST(JmespathLimits, OneExpressionIsSharedByThreads) {
  const auto query = compiled("sort_by([?@ > `10`].{n: @, t: [@, 'x']}, &n)[-3:].t[0]");
  const auto document = numbers(5000);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([query, &document] {
      const SystemClock clock;
      Budget budget(clock, {});
      EXPECT_EQ(query.search_text(document, budget).value(), "[10004,10005,10006]");
    });
  }
}

}  // namespace
}  // namespace cairn::jmespath
