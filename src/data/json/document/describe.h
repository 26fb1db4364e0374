// The shape of a value: which keys, which types, how many.
#pragma once

#include "data/json/json.h"

namespace cairn::document {

struct DescribeLimits {
  std::size_t max_bytes = 16 * 1024;    // of the answer, about; at least 1000
  std::size_t max_depth = 8;            // levels shown
  std::size_t max_keys = 60;            // of one object, by name
  std::size_t max_elements = 1000;      // of one array, looked at
  std::size_t max_values = 100 * 1000;  // in all, looked at
};

// {rootType, keyCount?, arrayLength?, schema, sampled, sampledElements?, notes?}
//
// `schema` is written like JSON Schema. An object: {type, properties: {key: shape}}; beyond
// max_keys also {keyCount, otherProperties: {count, …the merged shape of their values}}. An array:
// {type, length, items: the merged shape of the elements}. A merged shape has a list of types when
// they differ, `in: "3 of 10"` at a key that not every object has, minItems and maxItems instead of
// length when those differ, and `deeper: true` where levels were left out.
//
// `sampled` is true when not all elements (or members of a very large object) were looked at; those
// that were are spread evenly; `sampledElements` counts those of the root. `notes` says in words
// what was left out and how to see it.
//
// Costs  linear in max_values and max_bytes, not in the value.
json::Object describe(const json::Value& value, const DescribeLimits& limits = {});

// `object`, `array`, `string`, `integer`, `number`, `boolean`, `null`.
std::string_view type_name(const json::Value& value);

}  // namespace cairn::document
