// How a JSON text is laid out, and how a value is laid out to fit into it; private to the splicer.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "data/json/document/scan.h"

namespace cairn::document {

// A value on its way into a text. REQUIRES: json is one value without white space around it.
struct NewValue {
  std::string json;
  bool spelled = false;  // taken from a text: its own line breaks are kept
};

// The habits of a text near a place.
struct Style {
  bool is_one_line = true;  // the whole text
  std::string newline = "\n";
  std::string unit = "  ";   // of indentation
  std::string comma = " ";   // what follows a comma in a row
  std::string colon = ": ";  // what stands between a key and its value
};

// Of the container that opens at `open`, and of those around it.
Style style_near(std::string_view text, std::span<const std::size_t> around, std::size_t open);

// The white space before a place, without blank lines.
std::string gap_before(std::string_view text, std::size_t at, const Style& style);
// The white space at the beginning of the line on which a place is; as much as is reasonable.
std::string_view line_indent(std::string_view text, std::size_t at);
// Whether a container's first child stands on a line of its own.
bool opens_lines(std::string_view text, std::size_t open);

enum class Form {
  kLines,  // one child a line
  kRow,    // everything on one line
  kKept,   // line breaks where they are
};

// The same tokens with other white space. `indent` is that of the line on which the value begins.
std::string laid_out(std::string_view json, Form form, const Style& style, std::string_view indent);

}  // namespace cairn::document
