// Keys that stand where they do not belong, in a mistyped address say: they are not repeated in
// logs and answers.
#pragma once

#include <string>

namespace cairn {

// The text with `(key)` in place of everything in it that looks like an endpoint's key, or like a
// part of one.
std::string with_keys_hidden(std::string text);

}  // namespace cairn
