// The differences between two trees, reading only what they do not share.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "data/cas/dict.h"

namespace cairn {

enum class Directories {
  kWhole,     // an added or removed directory is one change
  kExpanded,  // every file below it is one, and every empty directory
};

struct Change {
  std::string path;
  std::optional<EntryValue> before;  // nothing: added
  std::optional<EntryValue> after;   // nothing: removed
  // Where it was before, when it was moved as it is (moves.h).
  std::string from = {};

  bool operator==(const Change&) const = default;
};

// Which of the changes to give.
struct DiffPage {
  std::uint64_t skip = 0;
  std::size_t most = SIZE_MAX;
};

struct DiffResult {
  std::vector<Change> changes;  // in path order; what is below a directory that
                                // became a file comes before the file
  // The limit of the budget that cut the list.
  std::optional<Budget::Limit> stopped_by;
  bool more = false;  // the list was cut, by the budget or by the page
};

// REQUIRES: both are directories.
Result<DiffResult> diff(const NodeReader& nodes, const NodePtr& before, const NodePtr& after,
                        Directories directories, Budget& budget, DiffPage page = {});

}  // namespace cairn
