// The tool table: every operation of Cairn, once. The executor knows none of them: whoever builds
// it brings them along (engine/all_tools.h).
#pragma once

#include <unordered_map>
#include <vector>

#include "tools/executor/tool.h"

namespace cairn {

// Threads  immutable once made.
class ToolTable final {
 public:
  // What changes something and has no dry run of its own gets one (rehearsal.h).
  // REQUIRES: no two have the same name.
  explicit ToolTable(std::vector<Tool> tools);
  ToolTable(ToolTable&&) = default;

  // TOOL_NOT_FOUND with the nearest name.
  Result<const Tool*> find(std::string_view name) const;
  const std::vector<Tool>& tools() const { return tools_; }

 private:
  std::vector<Tool> tools_;
  // Of names where they lie: moving the table moves no row.
  std::unordered_map<std::string_view, std::size_t> by_name_;
};

}  // namespace cairn
