// Replacements as the reference server makes them: the text as it stands, else whole lines that are
// the same but for the white space around them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "base/bytes.h"
#include "base/result.h"

namespace cairn::work {

inline constexpr std::size_t kMaxCounted = 100;

struct LooseEdit {
  std::string old_text;
  std::string new_text;
  bool all = false;  // every match, not the first
};

struct LooseResult {
  Bytes text;
  // Of each edit: how often it matched (as far as it was counted, kMaxCounted), the line of the
  // match that was replaced (from 1), and whether white space was looked past.
  struct Match {
    std::size_t count = 0;
    std::size_t line = 0;
    bool loose = false;
    bool all = false;  // every match was replaced
  };
  std::vector<Match> matches;
};

// One after another, each on what the one before it made; the first match, or all. `\r\n` counts as
// `\n` in all three texts, and the result has `\n` only.
//
// Fails with  EDIT_NO_MATCH: shows the region that comes nearest; details `edit` (from 1).
//             INVALID_ARGUMENT: an empty old text.
//             FILE_TOO_LARGE: the text would have more than kMaxEditedSize.
//             BUDGET_EXCEEDED: no time is left, or it was cancelled.
Result<LooseResult> loose_edits(ByteView text, const std::vector<LooseEdit>& edits, Budget& budget);

// The text with every `\r\n` as `\n`.
Bytes without_cr(ByteView text);

// `after`, which was made from without_cr(before), with the line ends of `before`: lines that
// stayed keep theirs, new ones get the one that most have.
Bytes with_old_ends(ByteView before, ByteView after);

}  // namespace cairn::work
