// The globals of a script. Private to the sandbox, but what it says here is for users.
//
// As in Lua 5.4: assert, error, getmetatable, ipairs, next, pairs, pcall, rawequal, rawget, rawlen,
// rawset, select, tonumber, type, xpcall; the libraries string, table, math and utf8. Added: args,
// contexts, null, array, object, json.encode, json.decode.
//
// What differs:
//   tostring, %s    say `table` or `function`, without an address; %p is refused
//   print           writes into the log of the run, with spaces between
//   setmetatable    takes the metamethods that the metatable has at that time; one set later does
//                   not count. No __gc and no __mode: finalizers and weak tables would run, or make
//                   the collector run, where nothing can stop them. __call is a function.
//   table.sort      is stable, and never complains of an invalid order
//   math.random     gives the same numbers in each run until math.randomseed(n) says otherwise
//   no              collectgarbage, coroutine, debug, dofile, io, load, loadfile, os, package,
//                   require, string.dump, warn
#pragma once

#include <lua.hpp>

namespace cairn::script {

// Makes the globals. REQUIRES: the Run is in the state's extra space. May raise.
void open_environment(lua_State* lua);

}  // namespace cairn::script
