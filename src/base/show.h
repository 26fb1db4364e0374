// Texts and JSON that came from outside, made fit for a terminal (quote.h does single words).
//
// Control characters, and those that change the direction of what is around them, become visible.
#pragma once

#include <string>
#include <string_view>

namespace cairn {

// As U+FFFD. Tabs and line ends stay, nothing is cut. A byte 0xFF and the one behind it stay too:
// they are never part of a text, and mark colours.
std::string shown_lines(std::string_view text);

// As escapes: the document says the same.
std::string shown_json(std::string json);

}  // namespace cairn
