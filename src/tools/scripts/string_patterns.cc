// find, match, gmatch and gsub of the string library.
#include <algorithm>
#include <cstring>

#include "tools/scripts/libraries.h"
#include "tools/scripts/pattern.h"
#include "tools/scripts/run.h"

namespace cairn::script {
namespace {

std::string_view checked_text(lua_State* lua, int argument) {
  std::size_t size = 0;
  const auto* const text = luaL_checklstring(lua, argument, &size);
  return {text, size};
}

// Where to begin, from 0; a position below 0 counts from the end. May lie behind the end.
std::size_t start(lua_State* lua, int argument, std::size_t size) {
  const auto position = luaL_optinteger(lua, argument, 1);
  if (position > 0) return static_cast<std::size_t>(position) - 1;
  const auto back = std::size_t{0} - static_cast<std::size_t>(position);
  return position == 0 || back > size ? 0 : size - back;
}

// Raises what is wrong with the pattern, ends a run that is over a limit.
void require_sound(lua_State* lua, const Matcher& matcher) {
  if (matcher.stopped()) leave(lua);
  if (matcher.problem() != nullptr) luaL_error(lua, "%s", matcher.problem());
}

void push_capture(lua_State* lua, std::string_view subject, const Matcher::Capture& capture) {
  switch (capture.kind) {
    case Matcher::Capture::Kind::kOpen:
      luaL_error(lua, "the pattern does not close a capture");
      break;
    case Matcher::Capture::Kind::kPosition:
      lua_pushinteger(lua, static_cast<lua_Integer>(capture.begin) + 1);
      break;
    case Matcher::Capture::Kind::kText:
      push_text(lua, subject.substr(capture.begin, capture.size));
      break;
  }
}

int push_captures(lua_State* lua, std::string_view subject, const Matcher& matcher) {
  luaL_checkstack(lua, matcher.captures() + 1, "too many captures");
  for (int i = 0; i < matcher.captures(); ++i) push_capture(lua, subject, matcher.capture(i));
  return matcher.captures();
}

// All captures, or the whole match when there is none.
int push_match(lua_State* lua, std::string_view subject, const Matcher& matcher, std::size_t begin,
               std::size_t end) {
  if (matcher.captures() > 0) return push_captures(lua, subject, matcher);
  push_text(lua, subject.substr(begin, end - begin));
  return 1;
}

bool has_no_specials(std::string_view pattern) {
  return pattern.find_first_of("^$*+?.([%-") == pattern.npos;
}

int find_plain(lua_State* lua, std::string_view subject, std::string_view wanted,
               std::size_t from) {
  charge(lua, static_cast<std::int64_t>((subject.size() - from) / 16));
  // Linear whatever the texts are, unlike std::string_view::find.
  const void* const found =
      memmem(subject.data() + from, subject.size() - from, wanted.data(), wanted.size());
  if (found == nullptr) {
    lua_pushnil(lua);
    return 1;
  }
  const auto begin = static_cast<const char*>(found) - subject.data();
  lua_pushinteger(lua, begin + 1);
  lua_pushinteger(lua, begin + static_cast<lua_Integer>(wanted.size()));
  return 2;
}

enum class Giving { kPositions, kTexts };

int search(lua_State* lua, Giving giving) {
  const auto subject = checked_text(lua, 1);
  auto pattern = checked_text(lua, 2);
  const auto from = start(lua, 3, subject.size());
  if (from > subject.size()) {
    lua_pushnil(lua);
    return 1;
  }
  if (giving == Giving::kPositions && (lua_toboolean(lua, 4) != 0 || has_no_specials(pattern))) {
    return find_plain(lua, subject, pattern, from);
  }
  const bool anchored = pattern.starts_with('^');
  if (anchored) pattern.remove_prefix(1);
  Matcher matcher(subject, pattern, Run::of(lua).meter);
  auto begin = from;
  const auto end = anchored ? matcher.match(from) : matcher.search(from, begin);
  require_sound(lua, matcher);
  if (end == Matcher::kNone) {
    lua_pushnil(lua);
    return 1;
  }
  if (giving == Giving::kTexts) return push_match(lua, subject, matcher, begin, end);
  lua_pushinteger(lua, static_cast<lua_Integer>(begin) + 1);
  lua_pushinteger(lua, static_cast<lua_Integer>(end));
  return 2 + push_captures(lua, subject, matcher);
}

int find(lua_State* lua) { return search(lua, Giving::kPositions); }
int match(lua_State* lua) { return search(lua, Giving::kTexts); }

// Upvalues: subject, pattern, where to go on, the end of the last match.
int next_match(lua_State* lua) {
  const auto subject = text_at(lua, lua_upvalueindex(1));
  const auto pattern = text_at(lua, lua_upvalueindex(2));
  const auto last = lua_tointeger(lua, lua_upvalueindex(4));
  auto begin = static_cast<std::size_t>(lua_tointeger(lua, lua_upvalueindex(3)));
  Matcher matcher(subject, pattern, Run::of(lua).meter);
  auto end = matcher.search(begin, begin);
  // An empty match where the last one ended does not count.
  if (end != Matcher::kNone && static_cast<lua_Integer>(end) == last) {
    end = matcher.search(begin + 1, begin);
  }
  require_sound(lua, matcher);
  if (end == Matcher::kNone) return 0;
  lua_pushinteger(lua, static_cast<lua_Integer>(end));
  lua_pushvalue(lua, -1);
  lua_replace(lua, lua_upvalueindex(3));
  lua_replace(lua, lua_upvalueindex(4));
  return push_match(lua, subject, matcher, begin, end);
}

int gmatch(lua_State* lua) {
  const auto subject = checked_text(lua, 1);
  checked_text(lua, 2);
  const auto from = std::min(start(lua, 3, subject.size()), subject.size() + 1);
  lua_settop(lua, 2);
  lua_pushinteger(lua, static_cast<lua_Integer>(from));
  lua_pushinteger(lua, -1);
  lua_pushcclosure(lua, next_match, 4);
  return 1;
}

// The third argument of gsub with `%0` to `%9` filled in.
void add_template(lua_State* lua, luaL_Buffer* out, std::string_view subject,
                  const Matcher& matcher, std::size_t begin, std::size_t end) {
  const auto text = text_at(lua, 3);
  charge(lua, static_cast<std::int64_t>(text.size() / 8));
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      luaL_addchar(out, text[i]);
      continue;
    }
    const char c = ++i < text.size() ? text[i] : '\0';
    if (c == '%') {
      luaL_addchar(out, '%');
    } else if (c == '0' || (c == '1' && matcher.captures() == 0)) {
      luaL_addlstring(out, subject.data() + begin, end - begin);
    } else if (c >= '1' && c <= '9') {
      if (c - '1' >= matcher.captures()) {
        luaL_error(lua, "the replacement has %%%c, and the pattern no such capture", c);
      }
      push_capture(lua, subject, matcher.capture(c - '1'));
      luaL_addvalue(out);
    } else {
      luaL_error(lua, "invalid use of '%%' in the replacement; '%%%%' is one '%%'");
    }
  }
}

// The replacement that a table or function gives for the match; false or nil keep it.
void add_answer(lua_State* lua, luaL_Buffer* out, std::string_view subject, const Matcher& matcher,
                std::size_t begin, std::size_t end) {
  if (lua_type(lua, 3) == LUA_TTABLE) {
    if (matcher.captures() > 0) {
      push_capture(lua, subject, matcher.capture(0));
    } else {
      push_text(lua, subject.substr(begin, end - begin));
    }
    lua_gettable(lua, 3);
  } else {
    lua_pushvalue(lua, 3);
    const int arguments = push_match(lua, subject, matcher, begin, end);
    lua_call(lua, arguments, 1);
  }
  if (lua_toboolean(lua, -1) == 0) {
    lua_pop(lua, 1);
    luaL_addlstring(out, subject.data() + begin, end - begin);
  } else if (lua_isstring(lua, -1) != 0) {
    luaL_addvalue(out);
  } else {
    luaL_error(lua, "invalid replacement value (a %s)", luaL_typename(lua, -1));
  }
}

int gsub(lua_State* lua) {
  const auto subject = checked_text(lua, 1);
  auto pattern = checked_text(lua, 2);
  const int by = lua_type(lua, 3);
  luaL_argexpected(
      lua, by == LUA_TNUMBER || by == LUA_TSTRING || by == LUA_TTABLE || by == LUA_TFUNCTION, 3,
      "string/function/table");
  if (by == LUA_TNUMBER) lua_tolstring(lua, 3, nullptr);
  const auto most = luaL_optinteger(lua, 4, static_cast<lua_Integer>(subject.size()) + 1);
  const bool anchored = pattern.starts_with('^');
  if (anchored) pattern.remove_prefix(1);
  Matcher matcher(subject, pattern, Run::of(lua).meter);
  luaL_Buffer out;
  luaL_buffinit(lua, &out);
  lua_Integer count = 0;
  auto last = Matcher::kNone;
  std::size_t at = 0;
  while (count < most) {
    const auto end = matcher.match(at);
    require_sound(lua, matcher);
    if (end != Matcher::kNone && end != last) {
      ++count;
      if (by == LUA_TTABLE || by == LUA_TFUNCTION) {
        add_answer(lua, &out, subject, matcher, at, end);
      } else {
        add_template(lua, &out, subject, matcher, at, end);
      }
      at = last = end;
    } else if (at < subject.size()) {
      luaL_addchar(&out, subject[at]);
      ++at;
    } else {
      break;
    }
    if (anchored) break;
  }
  luaL_addlstring(&out, subject.data() + at, subject.size() - at);
  luaL_pushresult(&out);
  lua_pushinteger(lua, count);
  return 2;
}

constexpr luaL_Reg kFunctions[] = {
    {"find", find}, {"match", match}, {"gmatch", gmatch}, {"gsub", gsub}, {nullptr, nullptr}};

}  // namespace

void add_pattern_functions(lua_State* lua) { luaL_setfuncs(lua, kFunctions, 0); }

}  // namespace cairn::script
