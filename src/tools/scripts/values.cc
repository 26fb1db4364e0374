#include "tools/scripts/values.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/ascii.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "tools/scripts/run.h"

namespace cairn::script {
namespace {

// Their addresses are keys of the registry; that of the first is also the value `null`.
constexpr char kNull = 'n';
constexpr char kList = 'l';
constexpr char kObject = 'o';

int null_to_text(lua_State* lua) {
  lua_pushliteral(lua, "null");
  return 1;
}

// A metatable that getmetatable() does not give away.
void push_closed_metatable(lua_State* lua, const char* name) {
  lua_createtable(lua, 0, 3);
  lua_pushstring(lua, name);
  lua_setfield(lua, -2, "__name");
  lua_pushboolean(lua, 0);
  lua_setfield(lua, -2, "__metatable");
}

void push_array(lua_State* lua, const json::Array& array, int depth);
void push_object(lua_State* lua, const json::Object& object, int depth);

void push_at(lua_State* lua, const json::Value& value, int depth) {
  charge(lua, 1);
  if (depth > kMaxDepth) luaL_error(lua, "the value is nested more than %d deep", kMaxDepth);
  luaL_checkstack(lua, 4, "the value is nested too deep");
  switch (value.kind()) {
    case json::Kind::null:
      return push_null(lua);
    case json::Kind::bool_:
      return lua_pushboolean(lua, value.get_bool() ? 1 : 0);
    case json::Kind::int64:
      return lua_pushinteger(lua, value.get_int64());
    case json::Kind::uint64:
      return lua_pushnumber(lua, static_cast<double>(value.get_uint64()));
    case json::Kind::double_:
      return lua_pushnumber(lua, value.get_double());
    case json::Kind::string:
      return push_text(lua, json::text(value));
    case json::Kind::array:
      return push_array(lua, value.get_array(), depth);
    case json::Kind::object:
      return push_object(lua, value.get_object(), depth);
  }
}

void push_array(lua_State* lua, const json::Array& array, int depth) {
  // A power of two: the meter takes some other sizes for those of wide tables.
  lua_createtable(lua, static_cast<int>(std::bit_floor(array.size())), 0);
  lua_Integer i = 0;
  for (const auto& element : array) {
    push_at(lua, element, depth + 1);
    lua_rawseti(lua, -2, ++i);
  }
  set_mark(lua, Mark::kList);
}

void push_object(lua_State* lua, const json::Object& object, int depth) {
  lua_createtable(lua, 0, static_cast<int>(object.size()));
  for (const auto& member : object) {
    push_text(lua, {member.key().data(), member.key().size()});
    push_at(lua, member.value(), depth + 1);
    lua_rawset(lua, -3);
  }
  set_mark(lua, Mark::kObject);
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 60 && !is_digit(text[0]) &&
         std::ranges::all_of(text, [](char c) { return is_alphanumeric(c) || c == '_'; });
}

// The way from the root to a value, on the stack of the function that walks there.
struct Place {
  const Place* parent = nullptr;
  std::string_view name{};
  lua_Integer index = 0;
  const void* table = nullptr;
  int depth = 0;

  Place member(std::string_view key) const { return {this, key, 0, nullptr, depth + 1}; }
  Place element(lua_Integer i) const { return {this, {}, i, nullptr, depth + 1}; }

  std::string render() const {
    if (parent == nullptr) return std::string(name);
    const auto before = parent->render();
    if (index != 0) return fmt::format("{}[{}]", before, index);
    if (is_name(name)) return fmt::format("{}.{}", before, name);
    return fmt::format("{}[\"{}\"]", before, shown(name, 60));
  }
};

template <typename... Args>
Failure wrong(const Place& place, fmt::format_string<Args...> format, Args&&... args) {
  const auto where = place.render();
  // Of a long way the beginning and the end.
  const auto brief =
      where.size() <= 200 ? where : where.substr(0, 80) + "…" + where.substr(where.size() - 80);
  return fail(Code::kScriptError, "{} {}", shown(brief, 200),
              fmt::format(format, std::forward<Args>(args)...));
}

// The kinds of keys that a table has.
struct Keys {
  lua_Integer count = 0;
  lua_Integer largest = 0;
  bool integers = false;
  bool strings = false;
  const char* other = nullptr;  // a type that no key of JSON has, or `number` for 1.5 and -1
};

// Reads Lua values with calls that raise nothing.
class Reader {
 public:
  Reader(lua_State* lua, std::size_t max_bytes)
      : lua_(lua), meter_(Run::of(lua).meter), max_bytes_(max_bytes) {}

  Result<json::Value> read(int index, Place& place) {
    if (!meter_.charge(1)) return stopped();
    const int type = lua_type(lua_, index);
    switch (type) {
      case LUA_TNIL:
        return spent(4, json::Value(nullptr));
      case LUA_TBOOLEAN:
        return spent(5, json::Value(lua_toboolean(lua_, index) != 0));
      case LUA_TNUMBER:
        return number(index, place);
      case LUA_TSTRING:
        return string(index, place);
      case LUA_TTABLE:
        return table(lua_absindex(lua_, index), place);
      case LUA_TLIGHTUSERDATA:
        return spent(4, json::Value(nullptr));  // there is but one
      default:
        return wrong(place, "is a {}, which JSON has not", lua_typename(lua_, type));
    }
  }

 private:
  Failure stopped() const { return fail(Code::kScriptLimit, "the script was stopped"); }

  Result<void> spend(std::size_t bytes) {
    bytes_ += bytes;
    if (bytes_ <= max_bytes_) return {};
    return Failure(fail(Code::kScriptLimit, "more than {} bytes of JSON", max_bytes_)
                       .error()
                       .with("limit", "output"));
  }

  Result<json::Value> spent(std::size_t bytes, json::Value value) {
    TRY(spend(bytes));
    return value;
  }

  Result<json::Value> number(int index, const Place& place) {
    if (lua_isinteger(lua_, index) != 0) {
      const std::int64_t integer = lua_tointegerx(lua_, index, nullptr);
      return spent(fmt::formatted_size("{}", integer), json::Value(integer));
    }
    const double number = lua_tonumberx(lua_, index, nullptr);
    if (!std::isfinite(number)) {
      return wrong(place, "is {}, which JSON has not",
                   std::isnan(number) ? "not a number (0/0)" : "infinite");
    }
    json::Value value(number);
    const auto bytes = json::write(value).size();
    return spent(bytes, std::move(value));
  }

  Result<std::string_view> utf8(std::string_view text, const Place& place) {
    // JSON is never shorter than the text; so none is looked at that is too long anyway.
    if (text.size() > max_bytes_ - bytes_) TRY(spend(text.size()));
    if (!valid_utf8(text)) return wrong(place, "is not valid UTF-8");
    TRY(spend(json_bytes(text) + 2));
    return text;
  }

  Result<json::Value> string(int index, const Place& place) {
    return json::Value(TRY(utf8(text_at(lua_, index), place)));
  }

  Result<json::Value> table(int index, Place& place) {
    place.table = lua_topointer(lua_, index);
    for (const auto* above = place.parent; above != nullptr; above = above->parent) {
      if (above->table == place.table) return wrong(place, "is {} itself", above->render());
    }
    if (place.depth >= kMaxDepth) return wrong(place, "is nested more than {} deep", kMaxDepth);
    if (lua_checkstack(lua_, 4) == 0) return stopped();
    TRY(spend(2));
    const auto mark = mark_of(lua_, index);
    const auto keys = TRY(keys_of(index));
    if (keys.other != nullptr) {
      return wrong(place, "has a key that is a {}; keys are strings, or 1, 2, 3, …", keys.other);
    }
    if (keys.integers && keys.strings) {
      return wrong(place, "has both numbers and strings as keys; make it a list or an object");
    }
    const bool is_list = mark == Mark::kList || (mark == Mark::kNone && !keys.strings);
    return is_list ? list(index, keys, place) : object(index, keys, place);
  }

  Result<Keys> keys_of(int index) {
    Keys keys;
    lua_pushnil(lua_);
    while (lua_next(lua_, index) != 0) {
      lua_pop(lua_, 1);
      if (!meter_.charge(1)) return stopped();
      // Each takes at least its comma.
      if (static_cast<std::size_t>(++keys.count) > max_bytes_) TRY(spend(max_bytes_ + 1));
      note_key(keys);
    }
    return keys;
  }

  void note_key(Keys& keys) const {
    const int type = lua_type(lua_, -1);
    const auto integer = lua_isinteger(lua_, -1) != 0 ? lua_tointegerx(lua_, -1, nullptr) : 0;
    if (type == LUA_TSTRING) {
      keys.strings = true;
    } else if (integer > 0) {
      keys.integers = true;
      keys.largest = std::max(keys.largest, integer);
    } else {
      keys.other = type == LUA_TLIGHTUSERDATA ? "null" : lua_typename(lua_, type);
    }
  }

  Result<json::Value> list(int index, const Keys& keys, const Place& place) {
    if (keys.strings) return wrong(place, "is a list, but has strings as keys");
    if (keys.largest != keys.count) {
      return wrong(place, "has {} elements but one at {}; fill the holes with null", keys.count,
                   keys.largest);
    }
    json::Array array;
    for (lua_Integer i = 1; i <= keys.count; ++i) {
      if (i > 1) TRY(spend(1));
      auto at = place.element(i);
      lua_rawgeti(lua_, index, i);
      array.push_back(TRY(read(-1, at)));
      lua_pop(lua_, 1);
    }
    return json::Value(std::move(array));
  }

  Result<json::Value> object(int index, const Keys& keys, const Place& place) {
    if (keys.integers) return wrong(place, "is an object, but has numbers as keys");
    std::vector<std::pair<std::string_view, json::Value>> members;
    lua_pushnil(lua_);
    while (lua_next(lua_, index) != 0) {
      auto at = place.member(text_at(lua_, -2));
      const auto key = TRY(utf8(at.name, at));
      TRY(spend(members.empty() ? 1 : 2));
      members.emplace_back(key, TRY(read(-1, at)));
      lua_pop(lua_, 1);
    }
    std::ranges::sort(members, {}, [](const auto& member) { return member.first; });
    json::Object object;
    object.reserve(members.size());
    for (auto& [key, value] : members) object.emplace(key, std::move(value));
    return json::Value(std::move(object));
  }

  lua_State* const lua_;
  Meter& meter_;
  const std::size_t max_bytes_;
  std::size_t bytes_ = 0;
};

const void* key_of(Mark mark) { return mark == Mark::kList ? &kList : &kObject; }

}  // namespace

void open_values(lua_State* lua) {
  push_closed_metatable(lua, "list");
  lua_rawsetp(lua, LUA_REGISTRYINDEX, &kList);
  push_closed_metatable(lua, "object");
  lua_rawsetp(lua, LUA_REGISTRYINDEX, &kObject);
  push_null(lua);
  push_closed_metatable(lua, "null");
  lua_pushcfunction(lua, null_to_text);
  lua_setfield(lua, -2, "__tostring");
  lua_setmetatable(lua, -2);  // of all light userdata: there is no other
  lua_pop(lua, 1);
}

void push_null(lua_State* lua) { lua_pushlightuserdata(lua, const_cast<char*>(&kNull)); }

void push_value(lua_State* lua, const json::Value& value) { push_at(lua, value, 0); }

void set_mark(lua_State* lua, Mark mark) {
  lua_rawgetp(lua, LUA_REGISTRYINDEX, key_of(mark));
  lua_setmetatable(lua, -2);
}

Mark mark_of(lua_State* lua, int index) {
  auto found = Mark::kNone;
  if (lua_getmetatable(lua, index) == 0) return found;
  for (const auto mark : {Mark::kList, Mark::kObject}) {
    lua_rawgetp(lua, LUA_REGISTRYINDEX, key_of(mark));
    if (lua_rawequal(lua, -1, -2) != 0) found = mark;
    lua_pop(lua, 1);
  }
  lua_pop(lua, 1);
  return found;
}

Result<json::Value> to_json(lua_State* lua, int index, std::string_view root,
                            std::size_t max_bytes) {
  const int top = lua_gettop(lua);
  Place place{.name = root};
  auto value = Reader(lua, max_bytes).read(index, place);
  lua_settop(lua, top);
  return value;
}

}  // namespace cairn::script
