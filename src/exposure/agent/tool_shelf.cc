#include "exposure/agent/tool_shelf.h"

#include "exposure/agent/tool_definition.h"

namespace cairn::agent {

ToolShelf::ToolShelf(const ToolTable& table) {
  for (const auto& row : table.rows()) {
    if (row.tool.audience != Audience::kAgents) continue;
    definitions_.emplace(&row.tool, definition(row.tool));
  }
}

json::Array ToolShelf::offered(const Selection& selection, const Session& session) const {
  json::Array out;
  for (const auto* tool : selection.tools()) {
    if (may_use(*tool, session)) out.emplace_back(definitions_.at(tool));
  }
  return out;
}

}  // namespace cairn::agent
