// The differences between two trees, with moves: what is gone from one place and stands at another
// with the same key was moved.
#pragma once

#include "data/tree/diff.h"

namespace cairn {

// All changes in path order, every file of an added or removed directory by itself; a moved
// directory is one change. Where something went is known at the end only, so that it is all or
// nothing: nullopt when there are more changes than the budget has entries, or no time is left.
//
// Content that is in several places is paired in path order. What is empty is never moved.
// REQUIRES: both are directories.
Result<std::optional<std::vector<Change>>> diff_with_moves(const NodeReader& nodes,
                                                           const NodePtr& before,
                                                           const NodePtr& after, Budget& budget);

}  // namespace cairn
