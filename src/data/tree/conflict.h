// What does not fit of two changes, said so that it can be put right at once: of each path what
// became of it on either side, of a text the lines, of both sides and before.
//
//   path        the path
//   what        'both changed it', 'you changed it, and others removed it', …
//   movedTo     where others have moved it, unchanged
//   baseKey, theirsKey, yoursKey   what stands there, before and on each side
//   hunks       of texts: base, theirs, yours, and baseLine, theirsLine, yoursLine, where each
//               begins; mergedLine, where their lines stand in the tree that is settled
//   values      of JSON: the pointer of each value that does not fit, and base, theirs, yours, as
//               it is written there; without one where there is no such value
//   cut         1 when there is more than is shown
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/tree/merge.h"

namespace cairn {

// As much as fits into an answer; the first paths, and the first hunks of each. The roots are those
// of the base and of their side: a file or directory that they have moved is looked for there.
Result<std::vector<DetailRow>> describe_conflicts(const NodeReader& nodes,
                                                  std::span<const MergeConflict> conflicts,
                                                  const NodePtr& base, const NodePtr& theirs,
                                                  Budget& budget);
// The same for one file, whose side of the caller is not stored.
DetailRow describe_conflict(std::string path, ByteView base, ByteView ours, ByteView theirs);

// For a reader that is given no tree in which the rest is settled: without mergedLine.
void without_merged_lines(std::vector<DetailRow>& conflicts);

// Said for people and models: hunks in the manner of diff3.
std::string told(std::span<const DetailRow> conflicts);

}  // namespace cairn
