// The value a pointer leads to, and messages about those that lead nowhere.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "data/json/json.h"
#include "data/json/pointer.h"

namespace cairn::document {

using json::Array;
using json::Object;
using json::Pointer;
using json::Value;

// Fails with JSON_PATH_NOT_FOUND: the longest part that exists, what it is, and the nearest keys
// (detail `nearest`, where some are near) or the array's length.
Result<const Value*> resolve(const Value& document, const Pointer& pointer);

// In a message: `an array of 3 elements`, `an object with 1 key`, `a string`, `null`.
std::string described(const Value& value);
std::string described(const Array& array);
std::string described(const Object& object);

// `the document` or `'/items/3'`, marked as a subject: for messages only.
std::string placed(const Pointer& pointer);

// At most five keys that may have been meant, the nearest first.
// Costs  bounded, whatever the object: keys beyond the bound are not looked at.
std::vector<std::string> nearest_keys(const Object& object, std::string_view key);

// The words after `there is no key X in it`: the nearest keys, or the first ones.
std::string keys_hint(const Object& object, const std::vector<std::string>& nearest);

// The index that a token of a pointer names: digits without leading zeros. -1 when it is not one.
std::int64_t index_of(std::string_view token);

}  // namespace cairn::document
