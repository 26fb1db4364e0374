// Walking everything below a directory, depth first, in path order. Reads directories only.
#pragma once

#include <functional>

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

// INVALID_PATH for a directory deeper than a path can name: copies of copies make trees of any
// depth, and whatever goes down one would run out of stack.
Result<void> check_depth(std::string_view path);

// Visits every entry below `dir` (not the directory itself). Ends without an error when the
// budget's entries or time run out: budget.stopped_by() says so.
Result<void> walk(const NodeReader& nodes, const NodePtr& dir, Budget& budget,
                  const WalkVisitor& visit);

}  // namespace cairn
