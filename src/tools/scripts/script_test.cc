#include "tools/scripts/script.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/scripts/testing.h"

namespace cairn::script {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

// A host with one list of orders, and a record of what it was asked.
struct Orders {
  std::vector<std::string> asked;

  Host host() {
    return [this](std::string_view handle, std::string_view operation,
                  const json::Object& arguments) -> Result<json::Value> {
      asked.push_back(
          fmt::format("{}.{} {}", handle, operation, json::write(json::Value(arguments))));
      if (operation == "get") return fail(Code::kKeyNotFound, "there is no order 'o-9'");
      if (operation == "throw") throw std::runtime_error("out of paper");
      return json::parse(R"([{"id":1,"total":10},{"id":2,"total":32}])");
    };
  }

  Result<Outcome> run(std::string_view source) {
    const SystemClock clock;
    const Handle handles[] = {{"orders", {"query", "get", "throw"}}, {"notes", {"put"}}};
    return script::run(source, json::Object(), handles, host(), clock);
  }

  std::string outcome(std::string_view source) {
    const auto result = run(source);
    return result ? json::write(result->value) : result.error().render();
  }
};

TEST(Script, GivesBackWhatItReturns) {
  EXPECT_EQ(outcome_of("return 1 + 1"), "2");
  EXPECT_EQ(outcome_of("return 'a', 'b'"), R"("a")");
  EXPECT_EQ(outcome_of(""), "null");
  EXPECT_EQ(outcome_of("return args.a + args.b", {}, {{"a", 1}, {"b", 2.5}}), "3.5");
  EXPECT_EQ(outcome_of("local t = {} for i = 1, 5 do t[i] = i * i end return t"), "[1,4,9,16,25]");
}

TEST(Script, KeepsWhatItPrints) {
  const auto outcome = run_script("print('a', 1, nil, {}, null) print() print('b\\nc\\td\\1')");
  ASSERT_TRUE(outcome);
  EXPECT_THAT(outcome->log, ElementsAre("a 1 nil table null", "", "b", "c d\uFFFD"));
  const auto failed = run_script("print('so far') error('no further')");
  ASSERT_FALSE(failed);
  EXPECT_EQ(std::get<std::vector<std::string>>(failed.error().details.at("log")),
            std::vector<std::string>{"so far"});
}

TEST(Script, KeepsNoMoreOfTheLogThanAsked) {
  const auto outcome = run_script("for i = 1, 1e3 do print('line', i) end", {.log = 20});
  ASSERT_TRUE(outcome);
  EXPECT_THAT(outcome->log,
              ElementsAre("line 1", "line 2", "line 3", "… (more was printed than is kept)"));
  const auto one = run_script("print(('x'):rep(1e6))", {.log = 5});
  ASSERT_TRUE(one);
  EXPECT_EQ(one->log[0], "xxxxx…");
}

TEST(Script, CallsTheOperationsOfItsContexts) {
  Orders orders;
  EXPECT_EQ(orders.outcome(R"(
    local sum = 0
    for _, order in ipairs(contexts.orders.query{expression = "[]", limit = 2}) do
      sum = sum + order.total
    end
    contexts.orders:query{}
    contexts.orders.query()
    return {sum = sum})"),
            R"({"sum":42})");
  EXPECT_THAT(orders.asked, ElementsAre(R"(orders.query {"expression":"[]","limit":2})",
                                        "orders.query {}", "orders.query {}"));
}

TEST(Script, RefusesArgumentsOfOperationsThatAreNone) {
  Orders orders;
  EXPECT_EQ(orders.outcome("\ncontexts.orders.query('x')"),
            "SCRIPT_ERROR: line 2: query takes one table, as in "
            "contexts.orders.query{name = value}");
  EXPECT_EQ(orders.outcome("contexts.orders.query({}, 1)"),
            "SCRIPT_ERROR: line 1: query takes one table, as in "
            "contexts.orders.query{name = value}");
  EXPECT_EQ(orders.outcome("contexts.orders.query{1, 2}"),
            "SCRIPT_ERROR: line 1: contexts.orders.query: arguments is a list; give names to them");
  EXPECT_EQ(orders.outcome("contexts.orders.query{a = {b = {1, print}}}"),
            "SCRIPT_ERROR: line 1: contexts.orders.query: arguments.a.b[2] is a function, which "
            "JSON has not");
  EXPECT_EQ(orders.outcome("contexts.orders.query{a = ('x'):rep(1e5)}"),
            "SCRIPT_ERROR: line 1: contexts.orders.query: more than 60000 bytes of JSON");
  EXPECT_THAT(orders.asked, ElementsAre());
}

TEST(Script, SaysWhatItWasGrantedWhenItAsksForMore) {
  Orders orders;
  EXPECT_EQ(orders.outcome("return contexts.orders.drop{}"),
            "SCRIPT_ERROR: line 1: contexts.orders grants no 'drop'; there is: query, get, throw");
  EXPECT_EQ(orders.outcome("return contexts.users"),
            "SCRIPT_ERROR: line 1: this script has no 'users'; there is: orders, notes");
}

TEST(Script, CanCatchTheFailureOfAnOperation) {
  Orders orders;
  EXPECT_EQ(orders.outcome(R"(
    local ok, e = pcall(contexts.orders.get, {id = "o-9"})
    return {ok, e.code, e.message, tostring(e), type(e)})"),
            R"([false,"KEY_NOT_FOUND","there is no order 'o-9'",)"
            R"("KEY_NOT_FOUND: there is no order 'o-9'","table"])");
}

TEST(Script, NamesTheLineAndTheCauseOfAFailureItDoesNotCatch) {
  Orders orders;
  for (const auto* source : {"\n\ncontexts.orders.get{id = 'o-9'}",
                             "local ok, e = nil\n\nok, e = pcall(function() "
                             "contexts.orders.get{} end)\n\n\nerror(e)"}) {
    const auto failed = orders.run(source);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().render(),
              "SCRIPT_ERROR: line 3: KEY_NOT_FOUND: there is no order 'o-9'");
    EXPECT_THAT(failed.error().details,
                ElementsAre(Pair("cause", Detail("KEY_NOT_FOUND")), Pair("line", Detail(3L))));
  }
}

TEST(Script, SurvivesAHostThatThrows) {
  Orders orders;
  EXPECT_EQ(orders.outcome("pcall(contexts.orders.throw) return 1"),
            "INTERNAL: line 1: the script could not be run: a fault of the server");
}

TEST(Script, NamesTheLineOfItsError) {
  struct Case {
    std::string_view source, message;
  };
  const Case cases[] = {
      {"x = = 1", "line 1: unexpected symbol near '='"},
      {"\n\nif x then", "line 3: 'end' expected near <eof>"},
      {"local t\nlocal f = function()\n  return t.x\nend\nreturn f()",
       "line 3: attempt to index a nil value (upvalue 't')"},
      {"\nerror('bad')", "line 2: bad"},
      {"\nerror('bad', 0)", "line 2: bad"},
      {"\nerror{}", "line 2: the script raised a table value; give error() a text"},
      {"error()", "line 1: the script raised a nil value; give error() a text"},
      {"error(42)", "line 1: 42"},
      {"error(setmetatable({}, {__tostring = function() return 'told' end}))", "line 1: told"},
      {"\nassert(false, 'no')", "line 2: no"},
      {"assert(nil)", "line 1: assertion failed!"},
      {"\n\nstring.rep()", "line 3: bad argument #1 to 'rep' (string expected, got no value)"},
      {"('x'):bad()", "line 1: attempt to call a nil value (method 'bad')"},
      {"string.format('%d', 'x')",
       "line 1: bad argument #2 to 'string.format' (number expected, got string)"},
      {"return 1 < {}", "line 1: attempt to compare number with table"},
      {"error('a\\nb\\0\\255')", "line 1: a b\uFFFD\uFFFD"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(outcome_of(c.source), fmt::format("SCRIPT_ERROR: {}", c.message)) << c.source;
  }
}

TEST(Script, ChecksWithoutRunning) {
  EXPECT_TRUE(check("while true do end"));
  const auto wrong = check("local a = 1\nlocal b = \nreturn");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().render(), "SCRIPT_ERROR: line 3: unexpected symbol near 'return'");
  EXPECT_EQ(wrong.error().details.at("line"), Detail(3L));
  EXPECT_EQ(check("\x1bLua").error().render(),
            "SCRIPT_ERROR: the script is compiled Lua; give its source");
  EXPECT_TRUE(check(std::string(kMaxSource, ' ')));
  EXPECT_EQ(check(std::string(kMaxSource + 1, ' ')).error().render(),
            "SCRIPT_ERROR: the script has 65537 bytes; at most 65536 are allowed");
}

TEST(Script, RefusesHandlesOfOneName) {
  const SystemClock clock;
  const Handle twice[] = {{"a", {}}, {"b", {}}, {"a", {}}};
  EXPECT_EQ(run("", {}, twice, no_host, clock).error().render(),
            "INVALID_ARGUMENT: there are two contexts 'a'");
  const Handle operations[] = {{"a", {"x", "x"}}};
  EXPECT_EQ(run("", {}, operations, no_host, clock).error().render(),
            "INVALID_ARGUMENT: there are two operations 'x'");
}

TEST(Script, SharesNothingWithOtherRuns) {
  EXPECT_EQ(outcome_of("leak = 1 string.leak = 1 _G.x = 1 math.pi = 3 args.y = 1 return 1"), "1");
  EXPECT_EQ(outcome_of("return leak == nil and string.leak == nil and x == nil and math.pi > 3.1 "
                       "and args.y == nil"),
            "true");
}

TEST(Script, GivesTheSameRandomNumbersEachTime) {
  const auto once = outcome_of("return {math.random(1000), math.random()}");
  EXPECT_EQ(outcome_of("return {math.random(1000), math.random()}"), once);
  EXPECT_NE(outcome_of("math.randomseed(7) return {math.random(1000), math.random()}"), once);
}

TEST(Script, HasTheLibraryFunctionsOfLua) {
  struct Case {
    std::string_view source, result;
  };
  const Case cases[] = {
      {"local t = {3,1,2} table.sort(t) return t", "[1,2,3]"},
      {"local t = {3,1,2} table.sort(t, function(a, b) return a > b end) return t", "[3,2,1]"},
      {"local t = {'b2','a1','b1','a2'} table.sort(t, function(a, b) return a:sub(1,1) < "
       "b:sub(1,1) end) return t",
       R"(["a1","a2","b2","b1"])"},
      {"local t = {} table.sort(t) return t", "[]"},
      {"local t = {1,2} table.insert(t, 3) table.insert(t, 1, 0) return t", "[0,1,2,3]"},
      {"local t = {1,2,3} return {table.remove(t), table.remove(t, 1), t}", "[3,1,[2]]"},
      {"return {table.remove({}) == nil, table.remove({}, 0) == nil}", "[true,true]"},
      {"return table.concat({1, 'b', 2.5}, '-')", R"("1-b-2.5")"},
      {"return table.concat({}, ',') .. table.concat({1,2,3}, ',', 2, 3)", R"("2,3")"},
      {"return table.move({1,2,3}, 2, 3, 1)", "[2,3,3]"},
      {"return table.move({1,2,3}, 1, 3, 2)", "[1,1,2,3]"},
      {"return table.move({1,2,3}, 1, 2, 2, {9})", "[9,1,2]"},
      {"return {table.unpack({1,2,3}, 2)}", "[2,3]"},
      {"return table.pack(1, nil, 2).n", "3"},
      {"return ('ab'):rep(3, '-')", R"("ab-ab-ab")"},
      {"return ('x'):rep(0) .. ('x'):rep(-1) .. ('x'):rep(1, 'y')", R"("x")"},
      {"return ('%5.2f|%-4s|%q|%%'):format(1.234, 'a', 'q\"')", R"(" 1.23|a   |\"q\\\"\"|%")"},
      {"return ('%s %s %s %s'):format({}, print, nil, null)", R"("table function nil null")"},
      {"return tostring({}) .. tostring(print) .. tostring(1.0) .. tostring(nil)",
       R"("tablefunction1.0nil")"},
      {"return ('hello world'):gsub('o', '0', 1)", R"("hell0 world")"},
      {"local t = {} for k, v in ('a=1, b=2'):gmatch('(%w+)=(%w+)') do t[k] = v end return t",
       R"({"a":"1","b":"2"})"},
      {"return {('key = value'):match('^(%w+)%s*=%s*(%w+)$')}", R"(["key","value"])"},
      {"return {('a.b'):find('.', 1, true)}", "[2,2]"},
      {"return utf8.char(228, 8364) .. utf8.len('äß')", R"("ä€2")"},
      {"return math.maxinteger", "9223372036854775807"},
      {"local C = {} C.__index = C function C.new(n) return setmetatable({n = n}, C) end "
       "function C:get() return self.n end C.__add = function(a, b) return C.new(a.n + b.n) end "
       "return (C.new(1) + C.new(2)):get()",
       "3"},
      {"local mt = {} local t = setmetatable({}, mt) return getmetatable(t) == mt", "true"},
      {"local t = setmetatable({}, {__metatable = 'no'}) return {getmetatable(t), "
       "pcall(setmetatable, t, {})}",
       R"(["no",false,"cannot change a protected metatable"])"},
      {"local t = setmetatable({}, {}) setmetatable(t, nil) return getmetatable(t) == nil", "true"},
      {"return json.encode{a = {1, null}, b = object{}}", R"("{\"a\":[1,null],\"b\":{}}")"},
      {"return json.decode('{\"a\":[],\"b\":{}}')", R"({"a":[],"b":{}})"},
      {"local ok, e = pcall(json.decode, '{') return ok", "false"},
  };
  for (const auto& c : cases) EXPECT_EQ(outcome_of(c.source), c.result) << c.source;
}

TEST(Script, RunsOnManyThreadsAtOnce) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([i] {
      for (int n = 0; n < 20; ++n) {
        const auto source = fmt::format(
            "mine = (mine or 0) + {} local t = {{}} for i = 1, 200 do t[i] = "
            "('x'):rep(i):gsub('x', "
            "'y') end return mine",
            i);
        EXPECT_EQ(outcome_of(source), std::to_string(i));
        EXPECT_THAT(outcome_of("while true do end", {.instructions = 10'000}),
                    HasSubstr("SCRIPT_LIMIT"));
      }
    });
  }
}

}  // namespace
}  // namespace cairn::script
