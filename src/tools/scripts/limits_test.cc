#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/scripts/testing.h"

namespace cairn::script {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

std::chrono::nanoseconds now() { return WorkClock().monotonic(); }

std::string limit_of(const Result<Outcome>& outcome) {
  if (outcome) return "none: " + json::write(outcome->value);
  const auto limit = outcome.error().details.find("limit");
  return limit == outcome.error().details.end() ? outcome.error().render()
                                                : std::get<std::string>(limit->second);
}

// Scripts that take long in ways that Lua's hook does not see, or that try to survive.
constexpr std::string_view kEndless[] = {
    "while true do end",
    "for i = 1, math.huge do end",
    "::again:: goto again",
    "repeat until false",
    "local function f() return f() end f()",
    "local function f(...) return f(1, ...) end f()",
    "while true do pcall(function() while true do end end) end",
    "local function f() while true do pcall(f) end end f()",
    "while true do xpcall(function() while true do end end, function(e) while true do end end) end",
    "local t <close> = setmetatable({}, {__close = function() while true do end end}) "
    "while true do end",
    "setmetatable(_G, {__index = function() while true do end end}) return x",
    "return tostring(setmetatable({}, {__tostring = function() while true do end end}))",
    "error(setmetatable({}, {__tostring = function() while true do end end}))",
    "return ('x'):rep(100):gsub('x', function() while true do end end)",
    "table.sort({1, 2, 3}, function() while true do end end)",
    "for k in pairs(setmetatable({}, {__pairs = function() return function() return 1 end end})) "
    "do "
    "end",
    // Of C: none of these is an instruction of Lua.
    "return ('a'):rep(10000):find(('.-'):rep(20) .. 'b')",
    "return ('a'):rep(1000000):find('.-.-.-b')",
    "return ('a'):rep(4000000):find(('a'):rep(1000000) .. '.-b')",
    "return ('('):rep(1000000):find('%b()%b()')",
    "return ('a'):rep(100000):find('[' .. ('b'):rep(50000) .. ']-c')",
    "return ('a'):rep(3000000):gsub('a-b', '')",
    "return table.move({}, 1, 1 << 50, 2)",
    "return table.concat(setmetatable({}, {__index = function() return '' end}), '', 1, 1 << 50)",
    "return table.insert(setmetatable({}, {__len = function() return 1 << 50 end}), 1, 1)",
    "return table.remove(setmetatable({}, {__len = function() return 1 << 50 end}), 1)",
    "local z = ('\\0'):rep(5000000) while true do local _ = z < z end",
    "local z = ('\\0'):rep(5000000) local t = {} for i = 1, 1000 do t[i] = z end table.sort(t)",
    "local a, b = ('a'):rep(4000000), ('a'):rep(4000000) while true do local _ = a == b end",
    "local a = ('a'):rep(4000000) while true do local _ = a .. 'b' end",
    "local a = ('1'):rep(4000000) while true do local _ = tonumber(a) end",
    "while true do string.rep('', 1 << 50); ('x'):rep(1000000) end",
    "local t = {} for i = 1, 300000 do t[i] = i end for i = 1, 300000 do t[i] = nil end "
    "while true do next(t) end",
    "local m = (1 << 15) - 1 local t = {} for i = 1, 16000 do t[i * m] = i end "
    "while true do table.move(t, 1, 30000, 1, {}) end",
    "local t = {} for i = 1, 150000 do t[i] = i end while true do table.pack(table.unpack(t)) end",
    // Memory that is full of small things: each refusal is a collection.
    "local t = {} pcall(function() for i = 1, 1e9 do t[#t + 1] = {} if #t == 130000 then break end "
    "end end) while true do local s = ('x'):rep(2000000) end",
};

TEST(Limits, EndWhatWouldTakeForever) {
  const auto budget = 50ms;
  for (const auto& source : kEndless) {
    const auto begin = now();
    const auto outcome = run_script(
        source, {.instructions = std::numeric_limits<std::int64_t>::max(), .time = budget});
    const auto took = now() - begin;
    EXPECT_THAT(limit_of(outcome), testing::AnyOf("time", "memory")) << source;
    // Sanitizers are slow; what runs away takes minutes.
    EXPECT_LT(took, 2s) << source;
    RecordProperty("ms", static_cast<int>(took / 1ms));
    if (took > 150ms) {
      std::printf("%4d ms: %.*s\n", static_cast<int>(took / 1ms), static_cast<int>(source.size()),
                  source.data());
    }
  }
}

TEST(Limits, CountInstructionsAlsoWhereTimeStandsStill) {
  const ManualClock clock;
  for (const auto* source : {
           "while true do pcall(function() while true do end end) end",
           "return ('a'):rep(10000):find(('.-'):rep(20) .. 'b')",
           "return table.move({}, 1, 1 << 50, 2)",
           "local t = {} for i = 1, 1e5 do t[i] = -i end while true do table.sort(t) end",
           "while true do ('x'):rep(1e5) end",
           "while true do json.decode('[1,2,3]') end",
       }) {
    const auto outcome =
        run(source, json::Object(), {}, no_host, clock, {.instructions = 1'000'000});
    EXPECT_EQ(limit_of(outcome), "instructions") << source;
  }
}

TEST(Limits, SayWhichOneAndWhere) {
  EXPECT_EQ(outcome_of("\n\nwhile true do\nend", {.instructions = 5000}),
            "SCRIPT_LIMIT: line 3: the script was stopped after 5000 instructions; do less in one "
            "run");
  EXPECT_THAT(outcome_of("\nwhile true do end", {.time = 5ms}),
              HasSubstr("SCRIPT_LIMIT: line 2: the script was stopped after 5 ms; do less"));
  EXPECT_EQ(outcome_of("\nreturn ('x'):rep(1 << 30)"),
            "SCRIPT_LIMIT: line 2: the script needs more than 16 MiB of memory; keep less at once");
  EXPECT_EQ(outcome_of("local t = {}\nfor i = 1, 40000 do t['k' .. i] = 1 end"),
            "SCRIPT_LIMIT: line 2: a table of the script has more than 32768 keys besides 1, 2, 3, "
            "…; use several");
}

TEST(Limits, HoldOnMemoryHoweverItIsTaken) {
  for (const auto* source : {
           "local t = {} while true do t[#t + 1] = {} end",
           "local t = {} while true do t = {t} end",
           "local s = 'x' while true do s = s .. s end",
           "return ('x'):rep(1 << 62)",
           "return ('x'):rep(1 << 20, ('y'):rep(1 << 20))",
           "local t = {} for i = 1, 20 do t[i] = ('x'):rep(1000000, i) end",
           "local function f() return 1 + f() end f()",
           "local f = print while true do local g = f f = function() return g end end",
           "while true do pcall(string.rep, 'x', 1 << 30) end",
           "local t = {} while true do pcall(function() t[#t + 1] = ('x'):rep(1e6) .. #t end) end",
           "return table.concat(setmetatable({}, {__index = function() return ('x'):rep(1e5) "
           "end}), "
           "'', 1, 1e6)",
           "return ('x'):rep(1000000):gsub('x', ('y'):rep(100))",
           "return string.format('%s%s', ('x'):rep(9000000), ('y'):rep(9000000))",
           "return string.pack('c1000000000', 'x')",
           "local t = {} for i = 1, 1e9 do t[i] = i end",
           "return table.pack(table.unpack({}, 1, 199999), table.unpack({}, 1, 199999), "
           "('x'):rep(16000000))",
       }) {
    const auto begin = now();
    EXPECT_EQ(limit_of(run_script(source, {.time = 20s})), "memory") << source;
    EXPECT_LT(now() - begin, 5s) << source;
  }
}

// Garbage does not count: twenty times the limit passes through.
TEST(Limits, LetAScriptUseItsMemoryAgain) {
  EXPECT_EQ(
      outcome_of("for i = 1, 400 do local s = ('x'):rep(1000000) .. i end return 1", {.time = 20s}),
      "1");
  EXPECT_EQ(outcome_of("for i = 1, 300000 do local t = {i, {i}} end return 1", {.time = 20s}), "1");
}

TEST(Limits, AreOfTheRunAndNotOfTheServer) {
  EXPECT_EQ(limit_of(run_script("return 1", {.memory = 1000})), "memory");
  EXPECT_EQ(limit_of(run_script("return 1", {.memory = 10'000})), "memory");
  EXPECT_EQ(limit_of(run_script("for i = 1, 1e6 do end", {.instructions = 0})), "instructions");
  EXPECT_EQ(limit_of(run_script("for i = 1, 1e6 do end", {.time = 0ns})), "time");
  EXPECT_EQ(limit_of(run_script("return 1", {.time = std::chrono::nanoseconds::max()})), "none: 1");
}

// Wherever memory ends, nothing is lost and nothing breaks.
TEST(Limits, MayRefuseMemoryAnywhere) {
  const auto source =
      "local t = {} for i = 1, 50 do t[i] = {n = i, s = ('x'):rep(i)} end table.sort(t, "
      "function(a, "
      "b) return a.n > b.n end) return json.decode(json.encode(t))[1].s:gsub('x', 'yy')";
  std::size_t succeeded = 0;
  for (std::size_t memory = 500; memory < 80'000; memory += 97) {
    const auto outcome = run_script(source, {.memory = memory, .time = 20s});
    if (outcome) {
      ++succeeded;
    } else {
      EXPECT_EQ(limit_of(outcome), "memory");
    }
  }
  EXPECT_GT(succeeded, 10U);
}

TEST(Limits, StopWhenAsked) {
  std::stop_source source;
  std::jthread later([&] {
    std::this_thread::sleep_for(20ms);
    source.request_stop();
  });
  const auto outcome =
      run_script("while true do end", {.instructions = std::numeric_limits<std::int64_t>::max(),
                                       .time = 60s,
                                       .stop = source.get_token()});
  EXPECT_EQ(limit_of(outcome), "stopped");
}

TEST(Limits, CountTheTimeOfOperations) {
  ManualClock clock;
  const Host slow = [&](auto, auto, const auto&) -> Result<json::Value> {
    clock.advance(300ms);
    return json::Value(1);
  };
  const Handle handles[] = {{"a", {"b"}}};
  const auto outcome = run("local n = 0 while n < 5 do pcall(contexts.a.b) n = n + 1 end return n",
                           json::Object(), handles, slow, clock, {.time = 1s});
  EXPECT_EQ(limit_of(outcome), "time");
}

// Recursion in C is bounded by Lua at 200; a thread's stack has room for it.
TEST(Limits, LeaveRoomOnTheStackOfAThread) {
  std::jthread([] {
    for (const auto* source : {
             "local function f(s) return (s:gsub('x', f)) end return f('x')",
             "local function f() return pcall(f) end return f()",
             "local function f() return select(2, pcall(f)) end f()",
             "local t = setmetatable({}, {}) getmetatable(t).__tostring = tostring return 1",
             "local mt = {} mt.__tostring = function(t) return tostring(t) end "
             "return tostring(setmetatable({}, mt))",
             "local mt = {} mt.__index = function(t, k) return t[k] end "
             "return setmetatable({}, mt).x",
             "local function f() table.sort({1, 2}, f) end f()",
             "local function f() return xpcall(error, f) end return f()",
             "local t = {} for i = 1, 1e5 do t = setmetatable({}, {__index = t}) end return t.x",
             "local t = {} for i = 1, 1e4 do t = setmetatable({}, {__call = t}) end return t()",
             "local function f() local c <close> = setmetatable({}, {__close = f}) end f()",
             "xpcall(function() error() end, function() error() end)",
         }) {
      // Any outcome is fine that is one.
      const auto outcome = run_script(source, {.time = 500ms});
      if (!outcome) {
        EXPECT_THAT(outcome.error().name(), testing::StartsWith("SCRIPT_")) << source;
      }
    }
  }).join();
}

}  // namespace
}  // namespace cairn::script
