// Three-way merge of trees: text by line, JSON by key, everything else by node. Where keys do not
// help (two elements of one array changed), JSON is merged by line if the result is still JSON.
//
// Laws        merge(b, x, b) = x, merge(b, b, x) = x, merge(b, x, x) = x; whether it conflicts does
//             not depend on the order of the sides.
// Cost        reads what differs from the base, on either side.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "data/cas/dict.h"
#include "data/text/text_conflict.h"

namespace cairn {

// A path that both sides changed in ways that do not fit; nothing: it is not there.
struct MergeConflict {
  std::string path;
  std::optional<EntryValue> base;
  std::optional<EntryValue> ours;
  std::optional<EntryValue> theirs;
};

// Which side stands where the two do not fit.
enum class Settle { kTheirs, kOurs };

struct MergeResult {
  NodePtr root;  // null when there are conflicts
  // The same with one side where there are conflicts: of a text, in the lines that do not fit.
  NodePtr settled;
  std::vector<std::string> conflicts;    // paths both sides changed in ways that do not fit
  std::vector<MergeConflict> unfit;      // the same with what stands there
  std::vector<std::string> from_theirs;  // paths whose change came from their side, in part or all
  std::vector<std::string> same;         // paths where both sides made the same change
};

// Merges their changes since the base into ours. New nodes go to the stage. A merge is done whole
// or not at all: BUDGET_EXCEEDED when it takes more changes or time than the budget has.
// REQUIRES: all three are directories.
Result<MergeResult> merge(Stage& stage, const NodePtr& base, const NodePtr& ours,
                          const NodePtr& theirs, Budget& budget, Settle settle = Settle::kTheirs);

// The content of a file that both sides changed; nullopt when that does not fit. The type is the
// base's.
std::optional<Bytes> merge_contents(std::string_view type, ByteView base, ByteView ours,
                                    ByteView theirs);

// A text that both sides changed in ways that do not fit, with theirs where that is so. JSON stays
// JSON, if need be as theirs is.
// REQUIRES: all three look like text.
TextConflict settle_contents(std::string_view type, ByteView base, ByteView ours, ByteView theirs);

// Files larger than this are merged by node only.
inline constexpr std::uint64_t kMaxMergeBytes = 4 * 1024 * 1024;

}  // namespace cairn
