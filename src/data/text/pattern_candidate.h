// From a pattern for one line to one for the whole text, which finds the lines worth a closer look.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "data/text/pattern_candidate_writer.h"

namespace cairn {

// What loosen() made of a pattern.
//
// Invariant   whenever RE2 finds the pattern in a line on its own, `expression` finds something in
//             the whole text that begins in that line, and ends in it or with its terminator
//             (needs_last_line: not if the line has none). It may find more.
struct Candidate {
  // Nothing if the pattern uses something this has no translation for.
  std::optional<std::string> expression;
  bool needs_last_line = false;
  // The pattern, if it is no more than a text to find as it stands.
  std::optional<std::string> literal;
  // It asks for a newline outside a character class, so that no line can match that part.
  bool wants_newline = false;
};

// REQUIRES: RE2 accepts the pattern.
Candidate loosen(std::string_view pattern, bool ignore_case, Dialect dialect);

}  // namespace cairn
