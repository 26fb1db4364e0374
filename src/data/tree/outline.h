// The directory tree as an agent first wants to see it: breadth first, within a budget.
//
// Directories are expanded whole or not at all. One whose children do not fit the budget, or that
// lies at the depth limit, is collapsed; when one does not fit, all not yet expanded are.
#pragma once

#include "base/budget.h"
#include "data/tree/rendered.h"
#include "data/tree/view.h"

namespace cairn {

struct OutlineOptions {
  static constexpr std::int64_t kDefaultEntries = 500;

  std::int64_t depth = 3;  // -1: no limit
  std::int64_t max_entries = kDefaultEntries;
  Rendering rendering = {};
};

struct Outline {
  struct Item {
    std::string name;
    EntryValue value;
    bool collapsed = false;
    // Of an expanded directory: its children are items [first, first + value.children).
    std::size_t first = 0;
  };

  std::vector<Item> items;  // the directory itself, then breadth first
  bool truncated = false;   // a directory was collapsed because the budget was spent
};

Result<Outline> outline(const TreeView& tree, const Path& path, const OutlineOptions& options,
                        Budget& budget);

}  // namespace cairn
