#include "data/json/document/items.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <set>

#include "base/quote.h"
#include "data/json/document/change.h"

namespace cairn::document {
namespace {

constexpr std::size_t kShownBytes = 60;  // of a key in a message

std::string at(std::string_view list, std::size_t i) { return fmt::format("{}[{}]", list, i); }

std::string named(std::string_view list, std::string_view key) {
  return fmt::format("{}.{}", list, shown(key, kShownBytes));
}

// `'/a' is an object with 3 keys`
template <typename Container>
std::string what_is(const Pointer& context, const Container& container) {
  return fmt::format("{} is {}", placed(context), described(container));
}

Result<void> check_count(std::string_view list, std::size_t count) {
  if (count == 0) return bad_item(Code::kInvalidArgument, list, "it is empty; send at least one");
  if (count <= kMaxBatch) return {};
  return bad_item(Code::kInvalidArgument, list,
                  fmt::format("there are {}; send at most {} in one call", count, kMaxBatch));
}

// {NAME: ..., "value": ...} and nothing else; nullptr otherwise.
const Object* entry(const Value& value, std::string_view name) {
  const auto* object = value.if_object();
  const bool fits = object != nullptr && object->size() == 2 && object->contains(name) &&
                    object->contains("value");
  return fits ? object : nullptr;
}

Failure wrong_shape(std::string_view place, const Value& item, const std::string& what,
                    std::string_view expected) {
  return bad_item(Code::kWrongJsonType, place,
                  fmt::format("{}, and this is {}; send {}", what, described(item), expected));
}

std::optional<std::int64_t> integer(const Value& value) {
  if (const auto* number = value.if_int64()) return *number;
  // One that is too large for an index is one beyond the end.
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  if (const auto* number = value.if_uint64()) {
    return static_cast<std::int64_t>(std::min<std::uint64_t>(*number, kMost));
  }
  const auto text = json::text(value);
  std::int64_t number = 0;
  const auto* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (text.empty() || read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

// An index that exists; -1 is the last.
Result<std::size_t> existing_index(const Pointer& context, const Array& array, const Value& value,
                                   std::string_view place) {
  const auto size = static_cast<std::int64_t>(array.size());
  const auto index = integer(value);
  if (!index) {
    return wrong_shape(place, value, what_is(context, array),
                       "the index of an element, such as 0, or -1 for the last");
  }
  if (*index >= -size && *index < size) {
    return static_cast<std::size_t>(*index < 0 ? *index + size : *index);
  }
  const auto range =
      size == 0 ? std::string("it is empty")
                : fmt::format("its indices are 0 to {}, or -{} to -1 from the end", size - 1, size);
  return bad_item(Code::kKeyNotFound, place,
                  fmt::format("{} is no index of {}, {}; {}", *index, placed(context),
                              described(array), range));
}

Result<void> check_exists(const Pointer& context, const Object& object, const Item& item) {
  if (json::find(object, item.key) != nullptr) return {};
  auto nearest = nearest_keys(object, item.key);
  auto failure = bad_item(Code::kKeyNotFound, item.place,
                          fmt::format("{} and has no key '{}'; {}", what_is(context, object),
                                      shown(item.key, kShownBytes), keys_hint(object, nearest)));
  if (!nearest.empty()) failure.error().details.emplace("nearest", std::move(nearest));
  return failure;
}

enum class Kind { kMembers, kElements };

Result<void> check_distinct(const std::vector<Item>& items, Kind kind) {
  std::set<std::pair<std::string_view, std::size_t>> seen;
  for (const auto& item : items) {
    if (seen.emplace(item.key, item.index).second) continue;
    const auto which = kind == Kind::kElements
                           ? fmt::format("the index {}", item.index)
                           : fmt::format("the key '{}'", shown(item.key, kShownBytes));
    return bad_item(Code::kInvalidArgument, item.place,
                    fmt::format("{} is there twice; send it once", which));
  }
  return {};
}

Result<std::vector<Item>> indexed_list(const Pointer& context, const Array& array,
                                       const Array& items) {
  std::vector<Item> out;
  for (const auto& item : items) {
    auto place = at("items", out.size());
    const auto* object = entry(item, "index");
    if (object == nullptr) {
      return wrong_shape(place, item, what_is(context, array),
                         R"({"index": an index, "value": its new value})");
    }
    const auto index = TRY(existing_index(context, array, object->at("index"), place + ".index"));
    out.push_back({.place = std::move(place), .index = index, .value = &object->at("value")});
  }
  return out;
}

Result<std::vector<Item>> indexed_object(const Pointer& context, const Array& array,
                                         const Object& items) {
  std::vector<Item> out;
  for (const auto& member : items) {
    auto place = named("items", member.key());
    const auto index = TRY(existing_index(context, array, Value(member.key()), place));
    out.push_back({.place = std::move(place), .index = index, .value = &member.value()});
  }
  return out;
}

Result<std::vector<Item>> elements_to_set(const Pointer& context, const Array& array,
                                          const Value& items) {
  if (!items.is_array() && !items.is_object()) {
    return wrong_shape("items", items, what_is(context, array),
                       R"([{"index": 0, "value": ...}, ...])");
  }
  TRY(check_count("items", size_of(items)));
  auto out = items.is_array() ? TRY(indexed_list(context, array, items.get_array()))
                              : TRY(indexed_object(context, array, items.get_object()));
  TRY(check_distinct(out, Kind::kElements));
  return out;
}

Result<Item> member_named(const Pointer& context, const Object& object, const Value& key,
                          std::string place) {
  const auto* string = key.if_string();
  if (string == nullptr) {
    return wrong_shape(place, key, what_is(context, object), "one of its keys, a string");
  }
  Item item{.place = std::move(place), .key = std::string(*string)};
  TRY(check_exists(context, object, item));
  return item;
}

}  // namespace

Failure bad_item(Code code, std::string_view place, std::string_view problem) {
  return Failure(
      Error(code, fmt::format("{}: {}", place, problem)).with("argument", std::string(place)));
}

Result<const Value*> container_at(const Value& document, const Pointer& context) {
  const auto* value = TRY(resolve(document, context));
  if (value->is_object() || value->is_array()) return value;
  return fail(Code::kWrongJsonType,
              "{}; only an object or array has children to change; name one with jsonPath, or "
              "update its parent",
              what_is(context, *value));
}

std::size_t size_of(const Value& container) {
  return container.is_object() ? container.get_object().size() : container.get_array().size();
}

std::size_t depth_of(const Value& value) {
  std::size_t deepest = 0;
  if (const auto* array = value.if_array()) {
    for (const auto& element : *array) deepest = std::max(deepest, depth_of(element));
    return deepest + 1;
  }
  if (const auto* object = value.if_object()) {
    for (const auto& member : *object) deepest = std::max(deepest, depth_of(member.value()));
    return deepest + 1;
  }
  return 0;
}

Result<std::vector<Item>> members_to_set(const Pointer& context, const Object& object,
                                         const Value& items) {
  constexpr std::string_view kExpected = R"({"key": value, ...})";
  std::vector<Item> out;
  if (const auto* members = items.if_object()) {
    TRY(check_count("items", members->size()));
    for (const auto& member : *members) {
      out.push_back({.place = named("items", member.key()),
                     .key = std::string(member.key()),
                     .value = &member.value()});
    }
    return out;
  }
  const auto* list = items.if_array();
  if (list == nullptr) return wrong_shape("items", items, what_is(context, object), kExpected);
  TRY(check_count("items", list->size()));
  for (const auto& item : *list) {
    auto place = at("items", out.size());
    const auto* pair = entry(item, "key");
    if (pair == nullptr || !pair->at("key").is_string()) {
      return wrong_shape(place, item, what_is(context, object),
                         fmt::format("{} as items", kExpected));
    }
    out.push_back({.place = std::move(place),
                   .key = std::string(json::text(pair->at("key"))),
                   .value = &pair->at("value")});
  }
  TRY(check_distinct(out, Kind::kMembers));
  return out;
}

Result<std::vector<Item>> elements_to_add(const Pointer& context, const Array& array,
                                          const Value& items) {
  const auto* list = items.if_array();
  if (list == nullptr) {
    return wrong_shape("items", items, what_is(context, array), "a list of values: [value, ...]");
  }
  TRY(check_count("items", list->size()));
  std::vector<Item> out;
  for (const auto& value : *list) {
    out.push_back({.place = at("items", out.size()), .value = &value});
  }
  return out;
}

Result<std::vector<Item>> children_to_set(const Pointer& context, const Value& container,
                                          const Value& items) {
  if (const auto* array = container.if_array()) return elements_to_set(context, *array, items);
  const auto& object = container.get_object();
  auto out = TRY(members_to_set(context, object, items));
  for (const auto& item : out) TRY(check_exists(context, object, item));
  return out;
}

Result<std::vector<Item>> children_named(const Pointer& context, const Value& container,
                                         const Value& keys) {
  const auto* list = keys.if_array();
  if (list == nullptr) {
    return wrong_shape("keys", keys, what_is(context, container),
                       container.is_object() ? "a list of its keys" : "a list of indices");
  }
  TRY(check_count("keys", list->size()));
  std::vector<Item> out;
  for (const auto& key : *list) {
    auto place = at("keys", out.size());
    if (const auto* object = container.if_object()) {
      out.push_back(TRY(member_named(context, *object, key, std::move(place))));
      continue;
    }
    const auto index = TRY(existing_index(context, container.get_array(), key, place));
    out.push_back({.place = std::move(place), .index = index});
  }
  TRY(check_distinct(out, container.is_object() ? Kind::kMembers : Kind::kElements));
  return out;
}

}  // namespace cairn::document
