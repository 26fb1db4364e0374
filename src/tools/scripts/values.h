// JSON values in Lua. Private to the sandbox; script.h says what becomes what.
#pragma once

#include <string_view>

#include <lua.hpp>

#include "base/result.h"
#include "data/json/json.h"

namespace cairn::script {

inline constexpr int kMaxDepth = 100;

enum class Mark { kNone, kList, kObject };

// Makes `null` and the marks of lists and objects known to the state. May raise.
void open_values(lua_State* lua);

void push_null(lua_State* lua);
// May raise; charges a step for each value.
void push_value(lua_State* lua, const json::Value& value);

// Marks the table at the top. May raise.
void set_mark(lua_State* lua, Mark mark);
Mark mark_of(lua_State* lua, int index);

// The Lua value at the index, as JSON of at most so many bytes. Looks at what tables hold, not at
// what their metatables say. Charges a step for each value. Raises nothing.
//
// Fails with  SCRIPT_ERROR: what is at which place, as `result.items[3]` when the root is `result`.
//             SCRIPT_LIMIT when there are too many bytes, or the meter stopped.
Result<json::Value> to_json(lua_State* lua, int index, std::string_view root,
                            std::size_t max_bytes);

}  // namespace cairn::script
