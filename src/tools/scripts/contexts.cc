// contexts.<name>.<operation>{...}: how a script reaches what it was given.
#include "tools/scripts/libraries.h"
#include "tools/scripts/run.h"
#include "tools/scripts/values.h"

namespace cairn::script {
namespace {

constexpr char kFailureKey = 'f';  // its address is a key of the registry
// The steps that an operation is charged besides its time.
constexpr std::int64_t kSteps = 1000;

int failure_to_text(lua_State* lua) {
  lua_getfield(lua, 1, "code");
  lua_pushliteral(lua, ": ");
  lua_getfield(lua, 1, "message");
  lua_concat(lua, 3);
  return 1;
}

void open_failures(lua_State* lua) {
  lua_createtable(lua, 0, 2);
  lua_pushcfunction(lua, failure_to_text);
  lua_setfield(lua, -2, "__tostring");
  lua_pushboolean(lua, 0);
  lua_setfield(lua, -2, "__metatable");
  lua_rawsetp(lua, LUA_REGISTRYINDEX, &kFailureKey);
}

void push_failure(lua_State* lua, const Error& error) {
  lua_createtable(lua, 0, 3);
  push_text(lua, error.name());
  lua_setfield(lua, -2, "code");
  push_text(lua, error.message);
  lua_setfield(lua, -2, "message");
  lua_pushinteger(lua, current_line(lua));
  lua_setfield(lua, -2, "line");
  lua_rawgetp(lua, LUA_REGISTRYINDEX, &kFailureKey);
  lua_setmetatable(lua, -2);
}

enum class Answer { kValue, kFailure, kWrongArguments, kStopped };

struct Operation {
  const std::string& handle;
  const std::string& name;
};

Answer ask(Run& run, const Operation& operation, json::Object arguments) {
  auto result = (*run.host)(operation.handle, operation.name, std::move(arguments));
  if (result) {
    run.value = std::move(*result);
    return Answer::kValue;
  }
  run.error = std::move(result.error());
  return Answer::kFailure;
}

// The table at that index, or nothing, as arguments. What comes of it is left in the Run.
Answer perform(lua_State* lua, const Operation& operation, int index) noexcept {
  auto& run = Run::of(lua);
  try {
    if (lua_isnoneornil(lua, index)) return ask(run, operation, {});
    auto arguments = to_json(lua, index, "arguments", run.limits.output);
    if (run.meter.stopped() != Stop::kNone) return Answer::kStopped;
    // An empty table of the script's is a list by itself.
    if (arguments && arguments->is_array() && arguments->get_array().empty()) {
      arguments = json::Object();
    }
    if (arguments && arguments->is_object()) {
      return ask(run, operation, arguments->get_object());
    }
    run.error = arguments ? Error(Code::kScriptError, "arguments is a list; give names to them")
                          : std::move(arguments.error());
    return Answer::kWrongArguments;
  } catch (...) {
    run.meter.stop(Stop::kInternal);
    return Answer::kStopped;
  }
}

// Upvalues: the handle's place, the operation's place, the handle's table.
int call(lua_State* lua) {
  auto& run = Run::of(lua);
  const auto& handle =
      run.handles[static_cast<std::size_t>(lua_tointeger(lua, lua_upvalueindex(1)))];
  const auto& name =
      handle.operations[static_cast<std::size_t>(lua_tointeger(lua, lua_upvalueindex(2)))];
  // contexts.orders:get{} passes the handle too.
  const int index = lua_rawequal(lua, 1, lua_upvalueindex(3)) != 0 ? 2 : 1;
  if (lua_gettop(lua) > index || !(lua_isnoneornil(lua, index) || lua_istable(lua, index))) {
    return luaL_error(lua, "%s takes one table, as in contexts.%s.%s{name = value}", name.c_str(),
                      handle.name.c_str(), name.c_str());
  }
  if (!run.meter.look()) leave(lua);
  const auto answer = perform(lua, {handle.name, name}, index);
  if (!run.meter.charge(kSteps) || !run.meter.look()) leave(lua);
  switch (answer) {
    case Answer::kValue:
      push_value(lua, run.value);
      return 1;
    case Answer::kFailure:
      push_failure(lua, *run.error);
      return lua_error(lua);
    case Answer::kWrongArguments:
      return luaL_error(lua, "contexts.%s.%s: %s", handle.name.c_str(), name.c_str(),
                        run.error->message.c_str());
    case Answer::kStopped:
      break;
  }
  leave(lua);
}

// Called for an unknown name. Upvalues: what has the names, in words, and the names.
int refuse_name(lua_State* lua) {
  const auto* const name = lua_type(lua, 2) == LUA_TSTRING ? lua_tostring(lua, 2) : "?";
  return luaL_error(lua, "%s no '%s'; there is: %s", lua_tostring(lua, lua_upvalueindex(1)), name,
                    lua_tostring(lua, lua_upvalueindex(2)));
}

// Closes the table at the top: `subject` and the names speak in the error for any other name.
void refuse_others(lua_State* lua, const char* subject, int names) {
  lua_createtable(lua, 0, 2);
  lua_pushstring(lua, subject);
  lua_pushvalue(lua, names);
  lua_pushcclosure(lua, refuse_name, 2);
  lua_setfield(lua, -2, "__index");
  lua_pushboolean(lua, 0);
  lua_setfield(lua, -2, "__metatable");
  lua_setmetatable(lua, -2);
}

// Adds a name to the list in words at the top.
void add_name(lua_State* lua, const std::string& name) {
  const bool first = lua_rawlen(lua, -1) == 0;
  lua_pushfstring(lua, "%s%s", first ? "" : ", ", name.c_str());
  lua_concat(lua, 2);
}

void push_handle(lua_State* lua, std::size_t place) {
  const auto& handle = Run::of(lua).handles[place];
  lua_newtable(lua);
  const int table = lua_gettop(lua);
  lua_pushliteral(lua, "");
  for (std::size_t i = 0; i < handle.operations.size(); ++i) {
    lua_pushinteger(lua, static_cast<lua_Integer>(place));
    lua_pushinteger(lua, static_cast<lua_Integer>(i));
    lua_pushvalue(lua, table);
    lua_pushcclosure(lua, call, 3);
    lua_setfield(lua, table, handle.operations[i].c_str());
    add_name(lua, handle.operations[i]);
  }
  const int names = lua_gettop(lua);
  const auto* const subject = lua_pushfstring(lua, "contexts.%s grants", handle.name.c_str());
  lua_pushvalue(lua, table);
  refuse_others(lua, subject, names);
  lua_settop(lua, table);
}

}  // namespace

void open_contexts(lua_State* lua) {
  open_failures(lua);
  const auto handles = Run::of(lua).handles;
  lua_newtable(lua);
  const int table = lua_gettop(lua);
  lua_pushliteral(lua, "");
  for (std::size_t i = 0; i < handles.size(); ++i) {
    push_handle(lua, i);
    lua_setfield(lua, table, handles[i].name.c_str());
    add_name(lua, handles[i].name);
  }
  const int names = lua_gettop(lua);
  lua_pushvalue(lua, table);
  refuse_others(lua, "this script has", names);
  lua_settop(lua, table);
}

bool is_failure(lua_State* lua, int index) {
  if (lua_type(lua, index) != LUA_TTABLE || lua_getmetatable(lua, index) == 0) return false;
  lua_rawgetp(lua, LUA_REGISTRYINDEX, &kFailureKey);
  const bool is = lua_rawequal(lua, -1, -2) != 0;
  lua_pop(lua, 2);
  return is;
}

}  // namespace cairn::script
