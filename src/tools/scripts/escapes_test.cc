// Ways out of the sandbox, tried one by one, each with what it gets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/scripts/testing.h"

namespace cairn::script {
namespace {

using testing::HasSubstr;

struct Escape {
  std::string_view name;
  std::string source;
  std::string_view outcome;  // a part of it, or with `=` before it the whole
};

std::string nested(std::string_view before, int count, std::string_view middle,
                   std::string_view after) {
  std::string out;
  for (int i = 0; i < count; ++i) out += before;
  out += middle;
  for (int i = 0; i < count; ++i) out += after;
  return out;
}

std::string numbered(std::string_view before, int count, std::string_view after) {
  std::string out;
  for (int i = 1; i <= count; ++i) out += fmt::format("{}{}{}", before, i, after);
  return out;
}

void expect(const std::vector<Escape>& escapes) {
  for (const auto& escape : escapes) {
    const auto outcome = outcome_of(escape.source, {.instructions = 5'000'000, .time = kNoHurry});
    if (escape.outcome.starts_with('=')) {
      EXPECT_EQ(outcome, escape.outcome.substr(1)) << escape.name;
    } else {
      EXPECT_THAT(outcome, HasSubstr(std::string(escape.outcome))) << escape.name;
    }
  }
}

TEST(Escapes, ToTheSystem) {
  expect({
      {"os.exit", "os.exit(1)", "line 1: attempt to index a nil value (global 'os')"},
      {"os.execute", "return os.execute('true')", "global 'os'"},
      {"os.getenv", "return _G['os'].getenv('HOME')", "attempt to index a nil value (field 'os')"},
      {"io.open", "return io.open('/etc/passwd'):read('a')", "global 'io'"},
      {"io.popen", "return io.popen('id')", "global 'io'"},
      {"require", "return require('os')", "attempt to call a nil value (global 'require')"},
      {"package", "return package.loaded.os", "global 'package'"},
      {"package.loadlib", "return package.loadlib('libc.so.6', '*')", "global 'package'"},
      {"dofile", "return dofile('/etc/passwd')", "global 'dofile'"},
      {"loadfile", "return loadfile('/etc/passwd')", "global 'loadfile'"},
      {"debug.getregistry", "return debug.getregistry()", "global 'debug'"},
      {"debug.sethook", "debug.sethook() while true do end", "global 'debug'"},
      {"collectgarbage", "collectgarbage('stop')", "global 'collectgarbage'"},
      {"warn", "warn('@on')", "global 'warn'"},
      {"coroutine", "return coroutine.wrap(function() while true do end end)()",
       "global 'coroutine'"},
      {"a name split", "return _G['o' .. 's'] == nil", "=true"},
      {"_ENV", "return _ENV == _G and _ENV.io == nil and _ENV._G.debug == nil", "=true"},
      {"_ENV of one's own", "local _ENV = {} return io", "=null"},
      {"a method of a string", "return ('x').dump == nil and ('x').execute == nil", "=true"},
  });
}

// Whatever is not in this list must not be there.
TEST(Escapes, ThereAreNoOtherGlobals) {
  EXPECT_EQ(
      outcome_of("local names = {} for k, v in pairs(_G) do names[#names + 1] = k end "
                 "table.sort(names) return table.concat(names, ' ')"),
      "\"_G _VERSION args array assert contexts error getmetatable ipairs json math next null "
      "object pairs pcall print rawequal rawget rawlen rawset select setmetatable string table "
      "tonumber tostring type utf8 xpcall\"");
  EXPECT_EQ(outcome_of("local names = {} for k, v in pairs(string) do names[#names + 1] = k end "
                       "table.sort(names) return table.concat(names, ' ')"),
            "\"byte char find format gmatch gsub len lower match pack packsize rep reverse sub "
            "unpack upper\"");
}

TEST(Escapes, ThroughBytecode) {
  expect({
      {"string.dump", "return string.dump(function() end)", "field 'dump'"},
      {"load", "return load('return 1')()", "global 'load'"},
      {"load of bytecode", "return load('\\27Lua')", "global 'load'"},
      {"loadstring", "return loadstring('return 1')", "global 'loadstring'"},
      {"the source is bytecode", "\x1bLua\x54", "the script is compiled Lua; give its source"},
      {"bytecode after a comment", "#\n\x1bLua\x54", "SCRIPT_ERROR: line 1: unexpected symbol"},
  });
}

TEST(Escapes, ThroughMetatables) {
  expect({
      {"the metatable of strings", "getmetatable('').__index = nil",
       "attempt to index a boolean value"},
      {"that of strings is closed", "return getmetatable('')", "=false"},
      {"setmetatable on a string", "setmetatable('', {})", "table expected, got string"},
      {"rawset on a string", "rawset('', 'x', 1)", "table expected, got string"},
      {"that of null", "return getmetatable(null)", "=false"},
      {"that of lists from outside", "return getmetatable(json.decode('[]'))", "=false"},
      {"that of contexts", "return getmetatable(contexts)", "=false"},
      {"that of contexts, changed", "setmetatable(contexts, {})",
       "cannot change a protected metatable"},
      {"a mark of its own",
       "local t = setmetatable(json.decode('[]'), {}) return getmetatable(t) ~= nil", "=true"},
      {"the globals' own", "setmetatable(_G, {__index = function(_, k) return k end}) return os",
       "=\"os\""},
      {"__gc", "setmetatable({}, {__gc = function() while true do end end})",
       "line 1: __gc is not available"},
      {"__gc set later",
       "local mt = {} for i = 1, 1000 do setmetatable({}, mt) end "
       "mt.__gc = function() while true do end end "
       "for i = 1, 1e5 do local t = {} end return 1",
       "=1"},
      {"__gc through the metatable's metatable",
       "local mt = setmetatable({}, {__index = {__gc = function() while true do end end}}) "
       "for i = 1, 1e4 do setmetatable({}, mt) end return 1",
       "=1"},
      {"__mode", "setmetatable({}, {__mode = 'k'})", "__mode is not available"},
      {"__mode set later",
       "local mt = {} local t = setmetatable({}, mt) mt.__mode = 'k' t[{}] = 1 "
       "for i = 1, 3e5 do local x = {} end return next(t) ~= nil",
       "=true"},
      {"the copy of a metatable is not to be had",
       "local mt = {} local t = setmetatable({}, mt) return rawequal(getmetatable(t), mt)",
       "=true"},
      {"__metatable that is a function",
       "return type(getmetatable(setmetatable({}, {__metatable = "
       "print})))",
       "=\"function\""},
      {"__name that is no text", "return tostring(setmetatable({}, {__name = {}}))", "=\"table\""},
      {"__tostring that gives no text",
       "return tostring(setmetatable({}, {__tostring = function() return {} end}))",
       "'__tostring' must return a string"},
      {"__index loop",
       "local a, b = {}, {} setmetatable(a, {__index = b}) "
       "setmetatable(b, {__index = a}) return a.x",
       "'__index' chain too long; possible loop"},
      {"__newindex loop", "local a = {} setmetatable(a, {__newindex = a}) a.x = 1",
       "'__newindex' chain too long; possible loop"},
      {"__eq that fails",
       "local mt = {__eq = function() error('no') end} "
       "return setmetatable({}, mt) == setmetatable({}, mt)",
       "line 1: no"},
      {"__len that lies",
       "return table.unpack(setmetatable({}, {__len = function() return 1 << 62 "
       "end}))",
       "too many results to unpack"},
      {"__len that is no number",
       "return table.unpack(setmetatable({}, {__len = function() return 'x' end}))",
       "object length is not an integer"},
      {"__close that fails",
       "do local c <close> = setmetatable({}, {__close = function() "
       "error('closing') end}) end",
       "line 1: closing"},
      {"__call chain of itself", "local t = {} setmetatable(t, {__call = t}) return t()",
       "__call must be a function"},
  });
}

TEST(Escapes, ThroughErrors) {
  expect({
      {"error(nil)", "error(nil)", "the script raised a nil value"},
      {"an error that fails as text",
       "error(setmetatable({}, {__tostring = function() error('again') end}))",
       "=SCRIPT_ERROR: line 1: the script's error cannot be shown as text"},
      {"an error in the error's handler", "return xpcall(error, function() error('x') end)",
       "=false"},
      {"a handler that is itself", "return xpcall(error, xpcall)", "=false"},
      {"an error that pretends a line", "error('script:99: fake', 0)",
       "=SCRIPT_ERROR: line 99: fake"},
      {"an error with controls", "error('\\27[31m\\0')", "\uFFFD[31m\uFFFD"},
      {"a long error", "error(('x'):rep(1000000))", "xxx…"},
      {"recursion in pcall", "local function f() return pcall(f) end return f()", "=true"},
      {"recursion in gsub", "local function f(s) return (s:gsub('x', f)) end return f('x')",
       "C stack overflow"},
      {"recursion in tostring",
       "local mt = {} mt.__tostring = function(t) return tostring(t) end "
       "return tostring(setmetatable({}, mt))",
       "C stack overflow"},
      {"recursion without end", "local function f() return 1 + f() end return f()",
       "the script needs more than 16 MiB of memory"},
  });
}

TEST(Escapes, ThroughLibraryFunctions) {
  expect({
      {"addresses of tables", "return tostring({}) .. tostring(print) .. ('%s'):format({})",
       "=\"tablefunctiontable\""},
      {"addresses by %p", "return ('%p'):format({})", "'%p' is not available"},
      {"addresses by %5p", "return ('%%%5p'):format({})", "'%p' is not available"},
      {"addresses in messages", "return {} .. {}", "attempt to concatenate a table value"},
      {"addresses as seeds", "return math.randomseed()", "number expected, got no value"},
      {"a wide format", "return ('%99999d'):format(1)", "invalid conversion"},
      {"a wide format of text", "return #('%99s'):format('x')", "=99"},
      {"a precise format", "return #('%.99f'):format(1e308)", "=409"},
      {"a format without its argument", "return ('%d %d'):format(1)",
       "bad argument #3 to 'string.format' (no value)"},
      {"a format of a table as number", "return ('%d'):format({})", "number expected, got table"},
      {"%q of a table", "return ('%q'):format({})", "value has no literal form"},
      {"string.rep of nothing", "return ('').rep('', 1 << 60)", "=\"\""},
      {"string.rep with a wrapped size", "return ('ab'):rep(1 << 63)", "=\"\""},
      {"string.rep, just too much", "return ('ab'):rep((1 << 63) - 1)", "16 MiB"},
      {"table.concat of all integers",
       "return table.concat({}, '', math.maxinteger, math.maxinteger)",
       "element 9223372036854775807 of the table is a nil"},
      {"table.move of all integers", "table.move({}, math.mininteger, math.maxinteger, 1)",
       "too many elements to move"},
      {"table.move beyond them", "table.move({}, 1, 10, math.maxinteger)",
       "destination wrap around"},
      {"table.unpack of all integers", "table.unpack({}, math.mininteger, math.maxinteger)",
       "too many results to unpack"},
      {"table.unpack of very many", "table.unpack({}, 1, 1e7)", "too many results to unpack"},
      {"table.insert nowhere", "table.insert({}, 5, 1)", "position out of bounds"},
      {"table.insert with a size at the end",
       "table.insert(setmetatable({}, {__len = function() return math.maxinteger end}), 1) "
       "return 1",
       "=1"},
      {"table.remove nowhere", "table.remove({}, 5)", "position out of bounds"},
      {"table.sort by no order",
       "local t = {} for i = 1, 1000 do t[i] = i end "
       "table.sort(t, function() return true end) return #t",
       "=1000"},
      {"table.sort that changes the table",
       "local t = {3, 2, 1} table.sort(t, function(a, b) t[1] = nil t[9] = 1 return a < b end) "
       "return t[3]",
       "=3"},
      {"table.sort of mixed", "table.sort({1, 'x'})", "attempt to compare string with number"},
      {"table.sort of a lying length",
       "table.sort(setmetatable({}, {__len = function() return 1 << 40 end}))", "array too big"},
      {"next of no key", "return next({}, 'x')", "invalid key to 'next'"},
      {"next of a table that changes",
       "local t = {a = 1, b = 2} for k in pairs(t) do t[k] = nil t[k .. 'x'] = nil end "
       "return next(t) == nil",
       "=true"},
      {"utf8.char of too much", "return utf8.char(1 << 40)", "value out of range"},
      {"utf8.codepoint of too many", "return utf8.codepoint(('x'):rep(3000000), 1, -1)",
       "stack overflow"},
      {"string.byte of too many", "return string.byte(('x'):rep(3000000), 1, -1)",
       "stack overflow"},
      {"a number of a million digits", "return tonumber(('9'):rep(1000000)) == math.huge", "=true"},
      {"a number of a million digits in base 36", "return math.type(tonumber(('z'):rep(1e6), 36))",
       "=\"integer\""},
      {"select of very much", "return select(1 << 40, 1)", "=null"},
      {"select of below", "return select(-5, 1)", "index out of range"},
      {"string.pack of very wide", "return string.pack('i17', 1)", "out of limits"},
      {"string.unpack beyond", "return string.unpack('i8', 'x')", "data string too short"},
      {"string.packsize of very much", "return string.packsize(('c214748364'):rep(11))",
       "too large"},
      {"a pattern too deep", "return ('a'):rep(300):find(('a?'):rep(300))", "too complex"},
      {"a pattern of too many captures", "return ('x'):find(('()'):rep(33))", "too many captures"},
      {"json.decode of depth", "return json.decode(('['):rep(200) .. (']'):rep(200))", "SCRIPT_"},
      {"json.decode of size", "return json.decode(('x'):rep(2000000))", "longer than 1 MiB"},
      {"json.decode of many values", "return json.decode('[' .. ('0,'):rep(300000) .. '0]')",
       "SCRIPT_"},
      {"json.encode of itself", "local t = {} t[1] = t return json.encode(t)",
       "value[1] is value itself"},
      {"keys that collide",
       "local m = (1 << 17) - 1 local t = {} for i = 1, 70000 do t[i * m] = i end",
       "more than 32768 keys"},
      {"a pattern without end", "return ('a'):rep(10000):find(('.-'):rep(20) .. 'b')",
       "the script was stopped after"},
  });
}

TEST(Escapes, ThroughTheParser) {
  expect({
      {"a long line", "local s = #'" + std::string(60'000, 'x') + "' return s", "=60000"},
      {"too long a source", "return '" + std::string(1 << 20, 'x') + "'", "at most 65536"},
      {"parentheses", "return " + nested("(", 10'000, "1", ")"), "overflow"},
      {"tables", "return " + nested("{", 10'000, "1", "}"), "overflow"},
      {"functions", nested("return function() ", 2'000, "", " end"), "overflow"},
      {"blocks", nested("do ", 5'000, "", " end"), "overflow"},
      {"operators", "return " + nested("- ", 1'000, "1", ""), "overflow"},
      {"powers", "return " + nested("2^", 5'000, "1", ""), "overflow"},
      {"concatenations", "return " + nested("'a'..", 5'000, "'b'", ""), "SCRIPT_ERROR"},
      {"locals", numbered("local a", 250, " = 1 "), "too many local variables"},
      {"upvalues",
       numbered("local a", 150, " = 1 ") + "return function() " + numbered("local b", 150, " ") +
           "return function() return " + numbered("a", 150, " + ") + numbered("b", 150, " + ") +
           "1 end end",
       "too many upvalues"},
      {"labels twice", "::a:: ::a::", "label 'a' already defined"},
      {"goto nowhere", "goto nowhere", "no visible label 'nowhere'"},
      {"many gotos", numbered("goto l", 4'000, " "), "no visible label"},
      {"many conditions", "return " + nested("x or ", 9'000, "1", ""), "=1"},
      {"many elseifs", "if x then " + numbered("elseif x == ", 3'000, " then ") + "end", "=null"},
      {"many constants", "return #{" + numbered("'k", 6'000, "',") + "}", "=6000"},
      {"many arguments", "return select('#', " + numbered("", 300, ",") + "1)",
       "function or expression needs too many registers"},
      {"an unfinished string", "return 'x", "unfinished string"},
      {"an unfinished comment", "--[==[ x", "unfinished long comment"},
      {"a bad escape", "return '\\400'", "decimal escape too large"},
      {"a constant _ENV", "local _ENV <const> = {} function x() return y end", "=null"},
      {"a zero byte", std::string("return 1 \0 2", 12), "SCRIPT_ERROR: line 1"},
      {"not UTF-8", "return \xff\xfe", "SCRIPT_ERROR: line 1"},
  });
}

}  // namespace
}  // namespace cairn::script
