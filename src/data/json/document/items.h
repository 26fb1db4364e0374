// The arguments of a change, read for the value they are meant for; private to change.cc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "data/json/document/find.h"

namespace cairn::document {

// One child that a call speaks of.
struct Item {
  std::string place;      // in the arguments: `items[3]`, `items.name`
  std::string key{};      // in an object
  std::size_t index = 0;  // in an array
  const Value* value = nullptr;
};

// `PLACE: PROBLEM`, with the detail `argument`.
Failure bad_item(Code code, std::string_view place, std::string_view problem);

// Fails with JSON_PATH_NOT_FOUND, WRONG_JSON_TYPE.
Result<const Value*> container_at(const Value& document, const Pointer& context);

std::size_t size_of(const Value& container);
std::size_t depth_of(const Value& value);

// All of these refuse too many items, none, and twice the same.

// {key: value, ...} or [{key, value}, ...], whether the keys exist or not.
Result<std::vector<Item>> members_to_set(const Pointer& context, const Object& object,
                                         const Value& items);
// [value, ...]
Result<std::vector<Item>> elements_to_add(const Pointer& context, const Array& array,
                                          const Value& items);
// Children that exist, and values for them.
Result<std::vector<Item>> children_to_set(const Pointer& context, const Value& container,
                                          const Value& items);
// Children that exist: [key or index, ...].
Result<std::vector<Item>> children_named(const Pointer& context, const Value& container,
                                         const Value& keys);

}  // namespace cairn::document
