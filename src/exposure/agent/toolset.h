// Toolsets: parts of the tool table, by name, and the selection that one client is offered.
//
// Every definition in tools/list costs the model that reads it. `default` is what most work needs,
// under 6,000 tokens; `minimal` is under 1,500 and still reads, searches, edits and commits.
//
//   name        tools
//   default     what most work needs
//   minimal     the least to read, search, edit and commit
//   all         every tool for agents
//   depots      depots: list, get, create, commit, history, revert
//   files       every tool of files and directories, search included
//   read        looking at files and directories
//   write       changing them, and committing
//   search      by name and by content
//   json        JSON files: shape, query, and changes that commit at once
//   history     earlier roots, what changed, going back
//   delegates   delegates: create, list, get, revoke
//   realm       the realm, its use of storage, nodes as they are stored
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "data/access/delegates.h"
#include "exposure/agent/selection_request.h"
#include "tools/table.h"

namespace cairn::agent {

struct Toolset {
  std::string_view name;
  std::string_view description;
  // Empty: every tool for agents.
  std::span<const std::string_view> tools;
};

// In the order of the table above.
std::span<const Toolset> toolsets();

// The tools one client is offered, whatever its rights.
//
// Invariants  only tools for agents, in the order of the tool table, each once; at least one.
// Threads     immutable; copies share.
class Selection final {
 public:
  // Nothing asked for is `default`; tools alone are exactly these; tools with toolsets are added
  // to them; then the excluded ones go, and with read_only all that change something.
  // INVALID_ARGUMENT for a name that does not exist, with the nearest one, and when nothing is
  // left.
  // REQUIRES: the table outlives the selection.
  static Result<Selection> parse(const SelectionRequest& request, const ToolTable& table);

  const std::vector<const Tool*>& tools() const { return *tools_; }
  // nullptr when it is not selected.
  const Tool* find(std::string_view name) const;

 private:
  explicit Selection(std::vector<const Tool*> tools)
      : tools_(std::make_shared<const std::vector<const Tool*>>(std::move(tools))) {}

  std::shared_ptr<const std::vector<const Tool*>> tools_;
};

// Whether a caller with these rights could use the tool at all.
bool may_use(const Tool& tool, const Session& session);

}  // namespace cairn::agent
