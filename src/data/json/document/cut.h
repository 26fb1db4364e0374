// A value made small enough to read.
#pragma once

#include "data/json/json.h"

namespace cairn::document {

struct Cut {
  json::Value value;
  bool truncated = false;
  // Where something is missing and how much of it is there, nearest to the root first:
  // {"/items": "shows 12 of 5000 elements", "/text": "shows 900 of 70000 bytes"}. At most twenty.
  json::Object left_out{};
  // Places that are missing in left_out.
  std::size_t more_left_out = 0;
};

// The value itself if it takes at most so many bytes as JSON; otherwise one that does. Arrays lose
// their tails, objects their last members, long strings their ends (and end in `…`); what is deep
// gives way first; every place keeps its type. At least 64 bytes whatever is asked.
//
// Costs  linear in max_bytes times the depth that is shown, not in the value.
Cut cut(const json::Value& value, std::size_t max_bytes);

// The bytes that the value takes as JSON, counted up to `limit`; more than that is limit + 1.
std::size_t written_bytes(const json::Value& value, std::size_t limit);

}  // namespace cairn::document
