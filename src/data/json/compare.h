// JSON values compared by what they say: 1 is 1.0, and the order of members means nothing.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <utility>

#include "data/json/json.h"

namespace cairn::json {

// Whether a number has no fraction: 1, 1.0 and 1e30 have none. False for other values.
bool is_integer(const Value& value);

// Exact, whatever the kinds. REQUIRES: numbers.
std::partial_ordering compare_numbers(const Value& a, const Value& b);

// Exact in decimal: 0.3 is a multiple of 0.1. REQUIRES: numbers, the second above 0.
bool is_multiple(const Value& value, const Value& of);

bool same(const Value& a, const Value& b);

// One spelling for all values that are the same, and a different one for all others.
void write_canonical(std::string& out, const Value& value);

// The places of two elements that are the same. Costs n log n, whatever the elements are.
std::optional<std::pair<std::size_t, std::size_t>> equal_elements(const Array& array);

}  // namespace cairn::json
