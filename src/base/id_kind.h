// The kind of id that a text looks like, for messages to whoever gave one of another kind.
#pragma once

#include <string_view>

#include "base/result.h"

namespace cairn {

// `depot id` for `dpt_…`, and so on for every kind there is; empty for what looks like none.
std::string_view kind_of_id(std::string_view text);

// INVALID_KEY: `'dpt_…' is a depot id; a node key (nod_…) is wanted`.
Failure wrong_id(std::string_view text, std::string_view wanted);

}  // namespace cairn
