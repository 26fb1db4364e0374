// Selection: the tools that one client is offered, of those there are. It names tools, or for the
// table also sets of them.
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
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/executor/table.h"

namespace cairn {

// The tools that a client asks to be offered, as it said it.
struct SelectionRequest {
  std::optional<std::string> toolsets =
      std::nullopt;  // names, comma separated, as are those of tools
  std::optional<std::string> tools = std::nullopt;
  std::optional<std::string> exclude_tools = std::nullopt;
  bool read_only = false;

  bool operator==(const SelectionRequest&) const = default;
};

struct Toolset {
  std::string_view name;
  std::string_view description;
  // Empty: every tool for agents.
  std::span<const std::string_view> tools;
};

// Those of the table, in the order above.
std::span<const Toolset> toolsets();

// The tools one client is offered, whatever its rights.
//
// Invariants  only tools there are, in their order, each once; at least one.
// Threads     immutable; copies share.
class Selection final {
 public:
  // Of the tools for agents in the table. Nothing asked for is `default`; tools alone are exactly
  // these; tools with toolsets are added to them; then the excluded ones go, and with read_only all
  // that change something.
  // INVALID_ARGUMENT for a name that does not exist, with the nearest one, and when nothing is
  // left.
  // REQUIRES: the table outlives the selection.
  static Result<Selection> parse(const SelectionRequest& request, const ToolTable& table);
  // Of tools that have no sets: nothing asked for is all but those that are shown only when named.
  // Fails in the same way, and with INVALID_ARGUMENT for toolsets.
  static Result<Selection> parse(const SelectionRequest& request, std::vector<const Tool*> tools);

  const std::vector<const Tool*>& tools() const { return *tools_; }
  // nullptr when it is not selected.
  const Tool* find(std::string_view name) const;
  // Whether nothing in the request speaks against a tool, be it selected or not.
  bool allows(const Tool& tool) const;

 private:
  using Names = std::set<std::string, std::less<>>;
  static Result<Selection> choose(const SelectionRequest& request, const Names& chosen,
                                  const std::vector<const Tool*>& from);

  std::shared_ptr<const std::vector<const Tool*>> tools_;
  Names excluded_;
  bool read_only_ = false;
};

}  // namespace cairn
