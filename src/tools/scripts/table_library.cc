// Of the table library, what walks tables: each element is charged, whatever the range.
#include <algorithm>
#include <climits>
#include <utility>

#include "tools/scripts/libraries.h"
#include "tools/scripts/run.h"

namespace cairn::script {
namespace {

constexpr lua_Integer kMaxResults = 200'000;

lua_Integer length(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  return luaL_len(lua, 1);
}

void copy_element(lua_State* lua, int from, lua_Integer i, int to, lua_Integer j) {
  charge(lua, 1);
  lua_geti(lua, from, i);
  lua_seti(lua, to, j);
}

int insert(lua_State* lua) {
  // A metatable may say any length; after the last integer comes the first.
  const auto end = static_cast<lua_Integer>(static_cast<lua_Unsigned>(length(lua)) + 1);
  const int arguments = lua_gettop(lua);
  if (arguments != 2 && arguments != 3) {
    return luaL_error(lua, "insert takes a table, a position if you like, and a value");
  }
  if (arguments == 2) {
    lua_seti(lua, 1, end);
    return 0;
  }
  const auto position = luaL_checkinteger(lua, 2);
  luaL_argcheck(lua, position >= 1 && position <= end, 2, "position out of bounds");
  for (auto i = end; i > position; --i) copy_element(lua, 1, i - 1, 1, i);
  lua_seti(lua, 1, position);
  return 0;
}

int remove(lua_State* lua) {
  const auto size = length(lua);
  auto position = luaL_optinteger(lua, 2, size);
  // One past the end, and 0 of an empty table, are allowed: nothing is there.
  luaL_argcheck(lua, position == size || (position >= 1 && position - 1 <= size), 2,
                "position out of bounds");
  lua_geti(lua, 1, position);
  for (; position < size; ++position) copy_element(lua, 1, position + 1, 1, position);
  lua_pushnil(lua);
  lua_seti(lua, 1, position);
  return 1;
}

int move(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  const auto first = luaL_checkinteger(lua, 2);
  const auto last = luaL_checkinteger(lua, 3);
  const auto target = luaL_checkinteger(lua, 4);
  const int to = lua_isnoneornil(lua, 5) ? 1 : 5;
  luaL_checktype(lua, to, LUA_TTABLE);
  if (last >= first) {
    luaL_argcheck(lua, first > 0 || last < LUA_MAXINTEGER + first, 3, "too many elements to move");
    const auto count = last - first + 1;
    luaL_argcheck(lua, target <= LUA_MAXINTEGER - count + 1, 4, "destination wrap around");
    const bool overlaps = target > first && target <= last && lua_rawequal(lua, 1, to) != 0;
    for (lua_Integer n = 0; n < count; ++n) {
      const auto i = overlaps ? count - 1 - n : n;
      copy_element(lua, 1, first + i, to, target + i);
    }
  }
  lua_pushvalue(lua, to);
  return 1;
}

int concat(lua_State* lua) {
  const auto size = length(lua);
  std::size_t separator_size = 0;
  const auto* const separator = luaL_optlstring(lua, 2, "", &separator_size);
  const auto first = luaL_optinteger(lua, 3, 1);
  const auto last = luaL_optinteger(lua, 4, size);
  luaL_Buffer out;
  luaL_buffinit(lua, &out);
  for (auto i = first; i <= last; ++i) {
    charge(lua, 1);
    lua_geti(lua, 1, i);
    if (lua_isstring(lua, -1) == 0) {
      return luaL_error(lua, "element %I of the table is a %s: concat takes strings and numbers",
                        static_cast<LUAI_UACINT>(i), luaL_typename(lua, -1));
    }
    luaL_addvalue(&out);
    if (i == last) break;  // of all integers, too, the last comes to an end
    luaL_addlstring(&out, separator, separator_size);
  }
  luaL_pushresult(&out);
  return 1;
}

int unpack(lua_State* lua) {
  const auto first = luaL_optinteger(lua, 2, 1);
  const auto last = lua_isnoneornil(lua, 3) ? luaL_len(lua, 1) : luaL_checkinteger(lua, 3);
  if (first > last) return 0;
  const auto count = static_cast<lua_Unsigned>(last) - static_cast<lua_Unsigned>(first);
  if (count >= kMaxResults || lua_checkstack(lua, static_cast<int>(count) + 1) == 0) {
    return luaL_error(lua, "too many results to unpack");
  }
  for (lua_Unsigned i = 0; i <= count; ++i) {
    charge(lua, 1);
    lua_geti(lua, 1, first + static_cast<lua_Integer>(i));
  }
  return static_cast<int>(count) + 1;
}

// Whether the value at the one place of the stack comes before that at the other.
bool comes_before(lua_State* lua, int a, int b) {
  if (lua_isnoneornil(lua, 2)) {
    // Strings may be long; the lengths of other things are small or nothing.
    charge(lua,
           4 + static_cast<std::int64_t>(std::min(lua_rawlen(lua, a), lua_rawlen(lua, b)) / 4));
    return lua_compare(lua, a, b, LUA_OPLT) != 0;
  }
  charge(lua, 4);
  lua_pushvalue(lua, 2);
  lua_pushvalue(lua, a);
  lua_pushvalue(lua, b);
  lua_call(lua, 2, 1);
  const bool before = lua_toboolean(lua, -1) != 0;
  lua_pop(lua, 1);
  return before;
}

// Two sorted runs of one table, [left, middle) and [middle, end), as one of the other.
void merge(lua_State* lua, int from, int to, lua_Integer left, lua_Integer middle,
           lua_Integer end) {
  auto right = middle;
  for (auto out = left, first = left; out < end; ++out) {
    charge(lua, 1);
    lua_rawgeti(lua, from, first);
    lua_rawgeti(lua, from, right);
    const int top = lua_gettop(lua);
    const bool take_right = first == middle || (right < end && comes_before(lua, top, top - 1));
    if (take_right) {
      lua_rawseti(lua, to, out);
      lua_pop(lua, 1);
      ++right;
    } else {
      lua_pop(lua, 1);
      lua_rawseti(lua, to, out);
      ++first;
    }
  }
}

// By merging: equal elements keep their order, and a function that is no order does no harm.
int sort(lua_State* lua) {
  const auto size = length(lua);
  luaL_argcheck(lua, size < INT_MAX, 1, "array too big");
  if (!lua_isnoneornil(lua, 2)) luaL_checktype(lua, 2, LUA_TFUNCTION);
  lua_settop(lua, 2);
  lua_newtable(lua);
  lua_newtable(lua);
  int from = 3;
  int to = 4;
  for (lua_Integer i = 1; i <= size; ++i) {
    charge(lua, 1);
    lua_geti(lua, 1, i);
    lua_rawseti(lua, from, i);
  }
  for (lua_Integer run = 1; run < size; run *= 2) {
    for (lua_Integer left = 1; left <= size; left += 2 * run) {
      const auto middle = std::min(left + run, size + 1);
      merge(lua, from, to, left, middle, std::min(middle + run, size + 1));
    }
    std::swap(from, to);
  }
  for (lua_Integer i = 1; i <= size; ++i) {
    charge(lua, 1);
    lua_rawgeti(lua, from, i);
    lua_seti(lua, 1, i);
  }
  return 0;
}

constexpr luaL_Reg kFunctions[] = {{"insert", insert}, {"remove", remove}, {"move", move},
                                   {"concat", concat}, {"unpack", unpack}, {"sort", sort},
                                   {nullptr, nullptr}};

}  // namespace

void open_table(lua_State* lua) {
  lua_pushcfunction(lua, luaopen_table);
  lua_call(lua, 0, 1);
  luaL_setfuncs(lua, kFunctions, 0);
}

}  // namespace cairn::script
