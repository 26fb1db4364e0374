// The oracle is Lua's own matcher.
#include "tools/scripts/pattern.h"

#include <memory>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <lua.hpp>

#include "tools/scripts/meter.h"
#include "tools/scripts/testing.h"

namespace cairn::script {
namespace {

using testing::HasSubstr;

// The answers of our string.find and of Lua's: begin, end and captures, or nothing, or an error.
class Oracle {
 public:
  Oracle() : lua_(luaL_newstate(), lua_close) { luaL_openlibs(lua_.get()); }

  std::string find(const std::string& subject, const std::string& pattern) {
    auto* const lua = lua_.get();
    lua_settop(lua, 0);
    lua_getglobal(lua, "string");
    lua_getfield(lua, 1, "find");
    lua_pushlstring(lua, subject.data(), subject.size());
    lua_pushlstring(lua, pattern.data(), pattern.size());
    if (lua_pcall(lua, 2, LUA_MULTRET, 0) != LUA_OK) return "error";
    std::string out;
    for (int i = 2; i <= lua_gettop(lua); ++i) {
      if (i > 2) out += ' ';
      out += luaL_tolstring(lua, i, nullptr);
      lua_pop(lua, 1);
    }
    return out;
  }

 private:
  std::unique_ptr<lua_State, void (*)(lua_State*)> lua_;
};

std::string ours(const std::string& subject, const std::string& pattern) {
  const SystemClock clock;
  const auto outcome =
      run("local r = table.pack(pcall(string.find, args[1], args[2])) "
          "if not r[1] then return 'error' end "
          "for i = 2, r.n do r[i] = tostring(r[i]) end "
          "return table.concat(r, ' ', 2, r.n)",
          json::Array{subject, pattern}, {}, no_host, clock);
  return outcome ? std::string(json::text(outcome->value)) : outcome.error().render();
}

TEST(Pattern, FindsWhatLuaFinds) {
  Oracle oracle;
  const std::pair<const char*, const char*> cases[] = {{"hello world", "o w"},
                                                       {"hello world", "(o)%s*(w)"},
                                                       {"key = value", "^(%w+)%s*=%s*(%w+)$"},
                                                       {"", ""},
                                                       {"", ".*"},
                                                       {"abc", ""},
                                                       {"abc", "$"},
                                                       {"a$c", "a$c"},
                                                       {"abc", "^b"},
                                                       {"a(b(c)d)e", "%b()"},
                                                       {"((", "%b()"},
                                                       {"THE (quick) fox", "%f[%a]%a+%f[%A]"},
                                                       {"abcabc", "(abc)%1"},
                                                       {"abab", "(a)(b)%1%2"},
                                                       {"a-b", "[a-]+"},
                                                       {"]", "[]]"},
                                                       {"x]", "[^]]"},
                                                       {"a^b", "[%^b]"},
                                                       {"0x1F", "%x+"},
                                                       {"aaa", "a-$"},
                                                       {"aaab", "a-b"},
                                                       {"aaa", "a?a?a?a"},
                                                       {"abc", "()b()"},
                                                       {"abc", "(a(b)c)"},
                                                       {"abc", "((a)(b))"},
                                                       {"abc", "[a-z]+"},
                                                       {"a]c", "[%]]"},
                                                       {"abc", "%"},
                                                       {"abc", "[a"},
                                                       {"abc", "(a"},
                                                       {"abc", "a)"},
                                                       {"abc", "%1"},
                                                       {"abc", "(a%1)"},
                                                       {"abc", "%b"},
                                                       {"abc", "%f"},
                                                       {"abc", "[a%"},
                                                       {"abc", "[%a-z]"},
                                                       {"-", "[%a-z]"},
                                                       {"a.b", "%."},
                                                       {"abc", "()%1"},
                                                       {"tab\there", "%s"},
                                                       {"é", "[\xc3][\xa9]"},
                                                       {"abc", "[^"},
                                                       {"abc", "[]"},
                                                       {"abc", "a**"},
                                                       {"a*b", "a*b"},
                                                       {"ab", "^^"},
                                                       {"^ab", "^^"},
                                                       {"abc", "b-c-"},
                                                       {"x", "%f[%z]"},
                                                       {"a%b", "%%"}};
  for (const auto& [subject, pattern] : cases) {
    EXPECT_EQ(ours(subject, pattern), oracle.find(subject, pattern))
        << "'" << subject << "' by '" << pattern << "'";
  }
}

TEST(Pattern, FindsWhatLuaFindsInRandomTexts) {
  Oracle oracle;
  const auto seed = std::random_device{}();
  std::mt19937 random(seed);
  const std::string_view pieces[] = {"a",  "b",  ".",     "%a",    "%d", "[ab]", "[^a]", "*",
                                     "+",  "-",  "?",     "(",     ")",  "^",    "$",    "%1",
                                     "%b", "ab", "%f[a]", "[a-c]", "()", "%",    "[",    "]"};
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  for (int i = 0; i < 3000; ++i) {
    std::string pattern;
    for (auto n = below(8); n-- > 0;) pattern += pieces[below(std::size(pieces))];
    std::string subject;
    for (auto n = below(12); n-- > 0;) subject += "abc1("[below(5)];
    ASSERT_EQ(ours(subject, pattern), oracle.find(subject, pattern))
        << "'" << subject << "' by '" << pattern << "', seed " << seed;
  }
}

TEST(Pattern, SubstitutesAsLuaDoes) {
  struct Case {
    std::string_view call, result;
  };
  const Case cases[] = {
      {"('hello'):gsub('', '-')", R"(["-h-e-l-l-o-",6])"},
      {"('hello'):gsub('l*', 'x')", R"(["xhxexox",4])"},
      {"('hello'):gsub('l', {l = 'L'})", R"(["heLLo",2])"},
      {"('hello'):gsub('(l)(.)', '%2%1')", R"(["hello",1])"},
      {"('hello'):gsub('l', function(c) return false end)", R"(["hello",2])"},
      {"('hello'):gsub('^h', 'j')", R"(["jello",1])"},
      {"('hhh'):gsub('^h', 'j')", R"(["jhh",1])"},
      {"('abc'):gsub('%w', '%0%0')", R"(["aabbcc",3])"},
      {"('abc'):gsub('%w', '%%')", R"(["%%%",3])"},
      {"('abc'):gsub('()', '%1')", R"(["1a2b3c4",4])"},
      {"('a b'):gsub('%w', 7)", R"(["7 7",2])"},
      {"('abc'):gsub('b', '%1')", R"(["abc",1])"},
      {"('$x $y'):gsub('%$(%w+)', {x = 1})", R"(["1 $y",2])"},
      {"('abc'):gsub('b', '%2')",
       "SCRIPT_ERROR: line 1: the replacement has %2, and the pattern no such capture"},
      {"('abc'):gsub('b', '%x')",
       "SCRIPT_ERROR: line 1: invalid use of '%' in the replacement; '%%' is one '%'"},
      {"('abc'):gsub('b', function() return {} end)",
       "SCRIPT_ERROR: line 1: invalid replacement value (a table)"},
      {"('abc'):gsub('(b', '%1')", "SCRIPT_ERROR: line 1: the pattern does not close a capture"},
  };
  for (const auto& c : cases) {
    const auto source = fmt::format("return {{{}}}", c.call);
    EXPECT_EQ(outcome_of(source), c.result) << c.call;
  }
  EXPECT_EQ(outcome_of("local t = {} for a in ('abc'):gmatch('') do t[#t + 1] = a end return #t"),
            "4");
  EXPECT_EQ(outcome_of("local t = {} for a in ('one two'):gmatch('%a+', 3) do t[#t + 1] = a end "
                       "return t"),
            R"(["e","two"])");
}

TEST(Pattern, GoesBackNoFurtherThanTheMeterAllows) {
  const Limits limits{.time = std::chrono::milliseconds(50)};
  for (const auto* call : {"s:find(p)", "s:match(p)", "s:gmatch(p)()", "s:gsub(p, '')"}) {
    const auto source =
        fmt::format("local s = ('a'):rep(10000) local p = ('.-'):rep(20) .. 'b' return {}", call);
    EXPECT_THAT(outcome_of(source, limits),
                HasSubstr("SCRIPT_LIMIT: line 1: the script was stopped after 50 ms"))
        << call;
  }
}

}  // namespace
}  // namespace cairn::script
