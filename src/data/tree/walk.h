// Walking everything below a directory, depth first, in path order. Reads directories only.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/budget.h"
#include "data/tree/view.h"

namespace cairn {

enum class Walk {
  kContinue,  // go on; into the entry if it is a directory
  kSkip,      // do not enter this directory
  kStop,      // end the walk
};

// `path` is relative to where the walk began and holds until the visitor returns.
using WalkVisitor = std::function<Result<Walk>(std::string_view path, const Entry& entry)>;

// Whether a directory is deeper than a path can name: raw nodes, and copies of copies, make trees
// of any depth, and whatever goes down one would run out of stack. What searches, lists or compares
// leaves such a directory closed and says so; what changes fails (check_depth).
bool too_deep(std::string_view path);
// INVALID_PATH for one.
Result<void> check_depth(std::string_view path);

// Visits every entry below `dir` (not the directory itself). Ends without an error when the
// budget's entries or time run out: budget.stopped_by() says so. How many directories with
// something in them it did not enter, because they are too deep.
//
// With `after` it goes on behind that path, whether or not anything has it: nothing up to it is
// visited, and of the directories on the way to it only what comes behind. What it names itself is
// entered, should it be a directory.
Result<std::uint64_t> walk(const NodeReader& nodes, const NodePtr& dir, Budget& budget,
                           const WalkVisitor& visit, std::string_view after = {});

// Where to go on behind a directory and everything in it.
std::string behind_all_of(std::string_view directory);

}  // namespace cairn
