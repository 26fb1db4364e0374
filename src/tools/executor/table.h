// The tool table: every operation of Cairn, once.
#pragma once

#include <unordered_map>
#include <vector>

#include "tools/executor/tool.h"

namespace cairn {

// Threads  immutable once made.
class ToolTable final {
 public:
  // All of them.
  static ToolTable make();

  // TOOL_NOT_FOUND with the nearest name.
  Result<const Tool*> find(std::string_view name) const;
  const std::vector<Tool>& tools() const { return tools_; }

 private:
  std::vector<Tool> tools_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
};

}  // namespace cairn
