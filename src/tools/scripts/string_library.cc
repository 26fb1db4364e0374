// The string library: Lua's own, without dump, and what could run away written anew.
#include <algorithm>
#include <cstring>

#include "tools/scripts/libraries.h"
#include "tools/scripts/run.h"

namespace cairn::script {
namespace {

int rep(lua_State* lua) {
  std::size_t size = 0;
  const auto* const text = luaL_checklstring(lua, 1, &size);
  const auto times = luaL_checkinteger(lua, 2);
  std::size_t separator_size = 0;
  const auto* const separator = luaL_optlstring(lua, 3, "", &separator_size);
  const auto unit = size + separator_size;
  if (times <= 0 || unit == 0) {
    lua_pushliteral(lua, "");
    return 1;
  }
  auto& run = Run::of(lua);
  if (static_cast<lua_Unsigned>(times) > run.limits.memory / unit + 1) {
    run.meter.stop(Stop::kMemory);
    leave(lua);
  }
  const auto total = static_cast<std::size_t>(times) * unit - separator_size;
  charge(lua, static_cast<std::int64_t>(total / 64));
  luaL_Buffer out;
  auto* const to = luaL_buffinitsize(lua, &out, std::max(total, unit));
  std::memcpy(to, text, size);
  std::memcpy(to + size, separator, separator_size);
  for (auto filled = unit; filled < total; filled *= 2) {
    std::memcpy(to + filled, to, std::min(filled, total - filled));
  }
  luaL_pushresultsize(&out, total);
  return 1;
}

// Lua's own format, the first upvalue, would spell the addresses of tables and functions.
void replace_addresses(lua_State* lua) {
  const auto text = text_at(lua, 1);
  int argument = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') continue;
    i = text.find_first_not_of("-+ #0123456789.", i + 1);
    if (i == text.npos) return;
    if (text[i] == '%') continue;
    ++argument;
    if (text[i] == 'p') luaL_error(lua, "'%%p' is not available: scripts see no addresses");
    if (text[i] != 's' || argument > lua_gettop(lua) || lua_isstring(lua, argument) != 0) continue;
    push_as_text(lua, argument);
    lua_replace(lua, argument);
  }
}

int format(lua_State* lua) {
  luaL_checkstring(lua, 1);
  replace_addresses(lua);
  lua_pushvalue(lua, lua_upvalueindex(1));
  lua_insert(lua, 1);
  if (lua_pcall(lua, lua_gettop(lua) - 1, 1, 0) == LUA_OK) return 1;
  // It was called from here and knows no line.
  luaL_where(lua, 1);
  lua_insert(lua, -2);
  lua_concat(lua, 2);
  return lua_error(lua);
}

// By what name messages about Lua's own format speak of it.
void name_format(lua_State* lua) {
  luaL_getsubtable(lua, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  luaL_getsubtable(lua, -1, "string");
  lua_pushvalue(lua, -3);
  lua_setfield(lua, -2, "format");
  lua_pop(lua, 2);
}

}  // namespace

void open_string(lua_State* lua) {
  lua_pushcfunction(lua, luaopen_string);
  lua_call(lua, 0, 1);
  lua_pushnil(lua);
  lua_setfield(lua, -2, "dump");
  lua_pushcfunction(lua, rep);
  lua_setfield(lua, -2, "rep");
  lua_getfield(lua, -1, "format");
  name_format(lua);
  lua_pushcclosure(lua, format, 1);
  lua_setfield(lua, -2, "format");
  add_pattern_functions(lua);
  // The metatable of strings stays closed.
  lua_pushliteral(lua, "");
  lua_getmetatable(lua, -1);
  lua_pushboolean(lua, 0);
  lua_setfield(lua, -2, "__metatable");
  lua_pop(lua, 2);
}

}  // namespace cairn::script
