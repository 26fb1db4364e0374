// From a pattern for one line to one for the whole text, which finds the lines worth a closer look.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "data/text/pattern_candidate_writer.h"

namespace cairn {

// The outcome of loosen().
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

// The same pattern, with an empty group before its bars where RE2 could get its alternatives wrong.
//
// RE2 makes one class of neighbours that are one character each. A letter in both cases is added to
// it letter by letter of its folding (k, U+212A, K), and before 2024 no further than to one that is
// there already: `a|[Aa]` did not find A (google/re2#467), while `1|[Kk]` finds U+212A. What ends
// in a group is left as it is.
//
// REQUIRES: RE2 accepts the pattern.
std::string keep_apart(std::string_view pattern, bool ignore_case);

// REQUIRES: RE2 accepts the pattern, and it has been through keep_apart().
Candidate loosen(std::string_view pattern, bool ignore_case, Dialect dialect);

}  // namespace cairn
