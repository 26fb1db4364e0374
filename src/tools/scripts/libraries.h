// The libraries a script finds. Private to the sandbox.
//
// Lua's own functions are C: no hook comes while they run. Those that may take longer than what
// they are given is large are written anew here, and charge the meter for what they do.
#pragma once

#include <lua.hpp>

namespace cairn::script {

// Each pushes one table. May raise.
void open_table(lua_State* lua);
// Also sets the metatable of strings.
void open_string(lua_State* lua);
void open_json(lua_State* lua);
void open_contexts(lua_State* lua);

// Whether it is what a failed operation raises: a table with code, message and line. Raises
// nothing.
bool is_failure(lua_State* lua, int index);

// Adds find, match, gmatch and gsub to the table at the top.
void add_pattern_functions(lua_State* lua);

// Pushes the value as tostring() gives it: without the addresses Lua would tell. Returns 1.
int push_as_text(lua_State* lua, int index);

}  // namespace cairn::script
