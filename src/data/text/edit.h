// Exact replacements in a text, as agents ask for them.
//
// Each replacement works on the result of the one before it and must match exactly once, or say
// `all`: then every match counts, left to right, without overlap. All are made, or none.
//
// Line endings of the text are kept. Exact bytes are looked for first; when they do not occur and
// the text has CRLF lines, `\n` and `\r\n` count as the same. A `\n` of the new text is written as
// `\r\n` where the replaced bytes, or for want of line ends in them the whole text, mostly use it.
// Every byte outside a match stays as it is.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/result.h"

namespace cairn {

struct Replacement {
  std::string old_text;
  std::string new_text;
  bool all = false;
};

struct EditResult {
  Bytes text;
  std::vector<std::size_t> counts;  // replacements made, one entry per edit
};

// Fails with  EDIT_NO_MATCH: the message shows the region that comes nearest; `nearestLine` is its
//             first line, when there is one.
//             EDIT_AMBIGUOUS: the message says on which lines the matches begin.
//             INVALID_ARGUMENT: an empty old text, or a new text equal to it.
//             FILE_TOO_LARGE: a result over kMaxEditedSize.
//             All carry `edit`, counted from 1; the first two also `matches`. Line numbers are
//             those of the text the failing edit was applied to.
// Costs       time linear in the text and the edit, for each edit, also when it fails; messages
//             are under about 900 bytes.
Result<EditResult> apply_edits(ByteView text, std::span<const Replacement> edits);

}  // namespace cairn
