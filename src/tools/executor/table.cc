#include "tools/executor/table.h"

#include <utility>

#include "tools/executor/rehearsal.h"

namespace cairn {

ToolTable::ToolTable(std::vector<Tool> tools) : tools_(std::move(tools)) {
  for (auto& tool : tools_) offer_rehearsal(tool);
  for (std::size_t i = 0; i < tools_.size(); ++i) by_name_.emplace(tools_[i].name, i);
}

Result<const Tool*> ToolTable::find(std::string_view name) const {
  if (auto found = by_name_.find(name); found != by_name_.end()) return &tools_[found->second];
  std::vector<const Tool*> known;
  for (const auto& tool : tools_) known.push_back(&tool);
  return no_such_tool(name, known);
}

}  // namespace cairn
