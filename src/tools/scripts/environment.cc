#include "tools/scripts/environment.h"

#include "tools/scripts/libraries.h"
#include "tools/scripts/run.h"
#include "tools/scripts/values.h"

namespace cairn::script {
namespace {

constexpr char kScriptsKey = 's';  // its address: where a metatable keeps the script's own
constexpr std::size_t kMaxJsonText = 1 << 20;

constexpr const char* kFromLua[] = {
    "assert", "error",  "getmetatable", "ipairs", "next",     "pairs", "pcall",  "rawequal",
    "rawget", "rawlen", "rawset",       "select", "tonumber", "type",  "xpcall", "_VERSION"};

constexpr const char* kMetamethods[] = {
    "__index", "__newindex", "__call", "__tostring", "__name",   "__pairs", "__close",
    "__len",   "__eq",       "__lt",   "__le",       "__concat", "__unm",   "__add",
    "__sub",   "__mul",      "__div",  "__mod",      "__pow",    "__idiv",  "__band",
    "__bor",   "__bxor",     "__shl",  "__shr",      "__bnot"};

int to_text(lua_State* lua) {
  luaL_checkany(lua, 1);
  return push_as_text(lua, 1);
}

void keep_line(Run& run, std::string_view line) noexcept {
  try {
    run.log.add(line);
  } catch (...) {
    run.meter.stop(Stop::kInternal);
  }
}

int print(lua_State* lua) {
  const int count = lua_gettop(lua);
  luaL_Buffer line;
  luaL_buffinit(lua, &line);
  for (int i = 1; i <= count; ++i) {
    charge(lua, 1);
    if (i > 1) luaL_addchar(&line, ' ');
    push_as_text(lua, i);
    luaL_addvalue(&line);
  }
  luaL_pushresult(&line);
  keep_line(Run::of(lua), text_at(lua, -1));
  charge(lua, 1);
  return 0;
}

int mark(lua_State* lua, Mark as) {
  if (lua_isnoneornil(lua, 1)) {
    lua_settop(lua, 0);
    lua_newtable(lua);
  }
  luaL_checktype(lua, 1, LUA_TTABLE);
  lua_settop(lua, 1);
  set_mark(lua, as);
  return 1;
}

int array(lua_State* lua) { return mark(lua, Mark::kList); }
int object(lua_State* lua) { return mark(lua, Mark::kObject); }

// Pushes a field of the table at the index, past its metatable.
int raw_field(lua_State* lua, int table, const char* name) {
  lua_pushstring(lua, name);
  return lua_rawget(lua, table);
}

void refuse_field(lua_State* lua, const char* name) {
  if (raw_field(lua, 2, name) != LUA_TNIL) luaL_error(lua, "%s is not available", name);
  lua_pop(lua, 1);
}

// Lua follows __call from table to table, and takes the square of their number of steps for it.
void require_function(lua_State* lua, const char* name) {
  const int type = raw_field(lua, 2, name);
  if (type != LUA_TNIL && type != LUA_TFUNCTION) luaL_error(lua, "%s must be a function", name);
  lua_pop(lua, 1);
}

// Whether the metatable made last, at the top, says the same as the script's, at 2.
bool is_current(lua_State* lua) {
  const int made = lua_gettop(lua);
  lua_rawgetp(lua, made, &kScriptsKey);
  bool same = lua_rawequal(lua, -1, 2) != 0;
  lua_pop(lua, 1);
  for (const auto* name : kMetamethods) {
    if (!same) return false;
    raw_field(lua, made, name);
    raw_field(lua, 2, name);
    same = lua_rawequal(lua, -1, -2) != 0;
    lua_pop(lua, 2);
  }
  raw_field(lua, made, "__metatable");
  if (raw_field(lua, 2, "__metatable") == LUA_TNIL) {
    lua_pop(lua, 1);
    lua_pushvalue(lua, 2);
  }
  same = same && lua_rawequal(lua, -1, -2) != 0;
  lua_pop(lua, 2);
  return same;
}

// Pushes the metatable that Lua is to see for the script's own, at 2. Lua looks for __mode whenever
// it collects; in a table of which the script has no hold it never finds one. getmetatable() gives
// the script's own, since __metatable says so.
void push_copy(lua_State* lua) {
  lua_createtable(lua, 0, 4);
  const int made = lua_gettop(lua);
  for (const auto* name : kMetamethods) {
    lua_pushstring(lua, name);
    if (raw_field(lua, 2, name) == LUA_TNIL) {
      lua_pop(lua, 2);
    } else {
      lua_rawset(lua, made);
    }
  }
  lua_pushliteral(lua, "__metatable");
  if (raw_field(lua, 2, "__metatable") == LUA_TNIL) {
    lua_pop(lua, 1);
    lua_pushvalue(lua, 2);
  }
  lua_rawset(lua, made);
  lua_pushvalue(lua, 2);
  lua_rawsetp(lua, made, &kScriptsKey);
}

// A metatable in the way that says __metatable for itself; ours do for the script's.
bool is_closed(lua_State* lua) {
  if (lua_getmetatable(lua, 1) == 0) return false;
  const int now = lua_gettop(lua);
  lua_rawgetp(lua, now, &kScriptsKey);
  const int protection = raw_field(lua, now, "__metatable");
  const bool ours = lua_rawequal(lua, -1, -2) != 0;
  lua_settop(lua, now - 1);
  return protection != LUA_TNIL && !ours;
}

// Upvalue: the metatable made last; most scripts have one for all their objects.
int set_metatable(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  const int type = lua_type(lua, 2);
  luaL_argexpected(lua, type == LUA_TNIL || type == LUA_TTABLE, 2, "nil or table");
  lua_settop(lua, 2);
  if (mark_of(lua, 1) == Mark::kNone && is_closed(lua)) {
    return luaL_error(lua, "cannot change a protected metatable");
  }
  charge(lua, 100);  // for all the names that are looked up
  if (type == LUA_TTABLE) {
    refuse_field(lua, "__gc");
    refuse_field(lua, "__mode");
    require_function(lua, "__call");
    lua_pushvalue(lua, lua_upvalueindex(1));
    if (!lua_istable(lua, -1) || !is_current(lua)) {
      push_copy(lua);
      lua_copy(lua, -1, lua_upvalueindex(1));
    }
  }
  lua_setmetatable(lua, 1);
  lua_settop(lua, 1);
  return 1;
}

int random_seed(lua_State* lua) {
  luaL_checkinteger(lua, 1);
  lua_settop(lua, 1);
  lua_pushvalue(lua, lua_upvalueindex(1));
  lua_insert(lua, 1);
  lua_call(lua, 1, 0);
  return 0;
}

enum class Made { kText, kValue, kProblem, kStopped };

Made encode_into(Run& run, lua_State* lua) noexcept {
  try {
    auto value = to_json(lua, 1, "value", run.limits.output);
    if (run.meter.stopped() != Stop::kNone) return Made::kStopped;
    run.text = value ? json::write(*value) : std::move(value.error().message);
    return value ? Made::kText : Made::kProblem;
  } catch (...) {
    run.meter.stop(Stop::kInternal);
    return Made::kStopped;
  }
}

Made decode_into(Run& run, std::string_view text) noexcept {
  try {
    auto value = json::parse(text, json::kFromClients);
    if (value) {
      run.value = std::move(*value);
      return Made::kValue;
    }
    run.text = std::move(value.error().message);
    return Made::kProblem;
  } catch (...) {
    run.meter.stop(Stop::kInternal);
    return Made::kStopped;
  }
}

int give(lua_State* lua, Made made) {
  const auto& run = Run::of(lua);
  switch (made) {
    case Made::kText:
      push_text(lua, run.text);
      return 1;
    case Made::kValue:
      push_value(lua, run.value);
      return 1;
    case Made::kProblem:
      return luaL_error(lua, "%s", run.text.c_str());
    case Made::kStopped:
      break;
  }
  leave(lua);
}

int encode(lua_State* lua) {
  luaL_checkany(lua, 1);
  return give(lua, encode_into(Run::of(lua), lua));
}

int decode(lua_State* lua) {
  luaL_checkstring(lua, 1);
  const auto text = text_at(lua, 1);
  if (text.size() > kMaxJsonText) return luaL_error(lua, "the text is longer than 1 MiB");
  charge(lua, static_cast<std::int64_t>(text.size() / 4) + 1);
  const auto made = decode_into(Run::of(lua), text);
  charge(lua, 1);
  return give(lua, made);
}

// Opens Lua's own library and leaves its table at the top.
void open_lua(lua_State* lua, lua_CFunction library) {
  lua_pushcfunction(lua, library);
  lua_call(lua, 0, 1);
}

void open_math(lua_State* lua) {
  open_lua(lua, luaopen_math);
  lua_getfield(lua, -1, "randomseed");
  lua_pushcclosure(lua, random_seed, 1);
  lua_pushvalue(lua, -1);
  lua_setfield(lua, -3, "randomseed");
  lua_pushinteger(lua, 1);
  lua_call(lua, 1, 0);
}

// Those of Lua's base library that are harmless, in a table of their own.
void push_globals(lua_State* lua) {
  lua_newtable(lua);
  const int globals = lua_gettop(lua);
  open_lua(lua, luaopen_base);
  for (const auto* name : kFromLua) {
    lua_getfield(lua, -1, name);
    lua_setfield(lua, globals, name);
  }
  lua_pop(lua, 1);
  lua_pushvalue(lua, globals);
  lua_setfield(lua, globals, "_G");
}

constexpr luaL_Reg kOwn[] = {{"tostring", to_text},
                             {"print", print},
                             {"array", array},
                             {"object", object},
                             {nullptr, nullptr}};

constexpr luaL_Reg kJson[] = {{"encode", encode}, {"decode", decode}, {nullptr, nullptr}};

}  // namespace

int push_as_text(lua_State* lua, int index) {
  index = lua_absindex(lua, index);
  if (luaL_callmeta(lua, index, "__tostring") != 0) {
    if (lua_isstring(lua, -1) == 0) luaL_error(lua, "'__tostring' must return a string");
    return 1;
  }
  switch (lua_type(lua, index)) {
    case LUA_TNIL:
    case LUA_TBOOLEAN:
    case LUA_TNUMBER:
    case LUA_TSTRING:
      luaL_tolstring(lua, index, nullptr);
      return 1;
    default:
      lua_pushstring(lua, luaL_typename(lua, index));
      return 1;
  }
}

void open_json(lua_State* lua) { luaL_newlib(lua, kJson); }

void open_environment(lua_State* lua) {
  open_values(lua);
  push_globals(lua);
  const int globals = lua_gettop(lua);
  luaL_setfuncs(lua, kOwn, 0);
  lua_pushnil(lua);
  lua_pushcclosure(lua, set_metatable, 1);
  lua_setfield(lua, globals, "setmetatable");
  push_null(lua);
  lua_setfield(lua, globals, "null");
  open_string(lua);
  lua_setfield(lua, globals, "string");
  open_table(lua);
  lua_setfield(lua, globals, "table");
  open_math(lua);
  lua_setfield(lua, globals, "math");
  open_lua(lua, luaopen_utf8);
  lua_setfield(lua, globals, "utf8");
  open_json(lua);
  lua_setfield(lua, globals, "json");
  open_contexts(lua);
  lua_setfield(lua, globals, "contexts");
  // Lua's base library went into the table that is the globals until now.
  lua_rawseti(lua, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
}

}  // namespace cairn::script
