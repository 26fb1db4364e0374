#include "exposure/agent/toolset.h"

#include <algorithm>
#include <set>
#include <string>

#include <fmt/ranges.h>

#include "base/quote.h"
#include "base/similar.h"

namespace cairn::agent {
namespace {

using Name = std::string_view;

constexpr Name kDefault[] = {
    "list_depots",  "get_depot",     "fs_tree",         "fs_ls",          "fs_stat",
    "fs_read",      "fs_read_many",  "fs_find",         "fs_grep",        "fs_write",
    "fs_edit",      "fs_mkdir",      "fs_rm",           "fs_mv",          "fs_cp",
    "fs_rewrite",   "fs_diff",       "depot_commit",    "depot_history",  "depot_revert",
    "create_depot", "node_metadata", "create_delegate", "get_realm_info", "get_usage",
};
constexpr Name kMinimal[] = {"list_depots", "fs_tree",  "fs_read",
                             "fs_grep",     "fs_write", "depot_commit"};
constexpr Name kDepots[] = {"list_depots",  "get_depot",     "create_depot",
                            "depot_commit", "depot_history", "depot_revert"};
constexpr Name kFiles[] = {"fs_tree", "fs_ls",   "fs_stat",  "fs_read",    "fs_read_many",
                           "fs_find", "fs_grep", "fs_write", "fs_edit",    "fs_mkdir",
                           "fs_rm",   "fs_mv",   "fs_cp",    "fs_rewrite", "fs_diff"};
constexpr Name kRead[] = {"fs_tree", "fs_ls", "fs_stat", "fs_read", "fs_read_many"};
constexpr Name kWrite[] = {"fs_write", "fs_edit", "fs_mkdir",   "fs_rm",
                           "fs_mv",    "fs_cp",   "fs_rewrite", "depot_commit"};
constexpr Name kSearch[] = {"fs_find", "fs_grep"};
constexpr Name kJson[] = {"json_get_schema", "json_get_all", "json_query",  "json_preview",
                          "json_select",     "json_create",  "json_update", "json_delete",
                          "json_move",       "json_copy"};
constexpr Name kHistory[] = {"depot_history", "fs_diff", "depot_revert"};
constexpr Name kDelegates[] = {"create_delegate", "list_delegates", "get_delegate",
                               "revoke_delegate"};
constexpr Name kRealm[] = {"get_realm_info", "get_usage", "node_metadata"};

constexpr Toolset kToolsets[] = {
    {"default", "what most work needs", kDefault},
    {"minimal", "the least to read, search, edit and commit", kMinimal},
    {"all", "every tool for agents", {}},
    {"depots", "depots: list, get, create, commit, history, revert", kDepots},
    {"files", "every tool of files and directories, search included", kFiles},
    {"read", "looking at files and directories", kRead},
    {"write", "changing them, and committing", kWrite},
    {"search", "by name and by content", kSearch},
    {"json", "JSON files: shape, query, and changes that commit at once", kJson},
    {"history", "earlier roots, what changed, going back", kHistory},
    {"delegates", "delegates: create, list, get, revoke", kDelegates},
    {"realm", "the realm, its use of storage, nodes as they are stored", kRealm},
};

std::string_view trimmed(std::string_view text) {
  const auto begin = std::min(text.find_first_not_of(" \t"), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

std::vector<std::string_view> items_of(std::string_view list) {
  std::vector<std::string_view> out;
  while (true) {
    const auto comma = list.find(',');
    out.push_back(trimmed(list.substr(0, comma)));
    if (comma == std::string_view::npos) return out;
    list.remove_prefix(comma + 1);
  }
}

Failure unknown(std::string_view what, std::string_view name,
                const std::vector<std::string>& known) {
  if (name.empty()) {
    return fail(Code::kInvalidArgument, "the list of {}s has an empty name; there are: {}", what,
                fmt::join(known, ", "));
  }
  const auto near = most_similar(name, known);
  if (near.empty()) {
    return fail(Code::kInvalidArgument, "there is no {} '{}'; there are: {}", what, shown(name),
                fmt::join(known, ", "));
  }
  return fail(Code::kInvalidArgument, "there is no {} '{}'; did you mean '{}'?", what, shown(name),
              near);
}

bool for_agents(const Tool& tool) { return tool.audience == Audience::kAgents; }

using Chosen = std::set<std::string_view>;

// Every name of the list, checked against those there are.
Result<void> add_names(std::string_view what, const std::optional<std::string>& list,
                       const std::vector<std::string>& known, Chosen& out) {
  if (!list) return {};
  for (const auto name : items_of(*list)) {
    const auto found = std::ranges::find(known, name);
    if (found == known.end()) return unknown(what, name, known);
    out.insert(*found);
  }
  return {};
}

void add_toolset(std::string_view name, const std::vector<std::string>& tools, Chosen& out) {
  const auto* set = std::ranges::find(kToolsets, name, &Toolset::name);
  if (set->tools.empty()) out.insert(tools.begin(), tools.end());
  out.insert(set->tools.begin(), set->tools.end());
}

}  // namespace

std::span<const Toolset> toolsets() { return kToolsets; }

Result<Selection> Selection::parse(const SelectionRequest& request, const ToolTable& table) {
  std::vector<std::string> tools;
  for (const auto& row : table.rows()) {
    if (for_agents(row.tool)) tools.emplace_back(row.tool.name);
  }
  std::vector<std::string> sets;
  for (const auto& set : kToolsets) sets.emplace_back(set.name);

  Chosen named_sets;
  Chosen chosen;
  Chosen excluded;
  TRY(add_names("toolset", request.toolsets, sets, named_sets));
  TRY(add_names("tool", request.tools, tools, chosen));
  TRY(add_names("tool", request.exclude_tools, tools, excluded));
  if (!request.toolsets && !request.tools) named_sets.insert("default");
  for (const auto set : named_sets) add_toolset(set, tools, chosen);

  std::vector<const Tool*> out;
  for (const auto& row : table.rows()) {
    const bool wanted = chosen.contains(row.tool.name) && !excluded.contains(row.tool.name);
    if (wanted && (!request.read_only || row.tool.annotations.read_only)) out.push_back(&row.tool);
  }
  if (out.empty()) {
    return fail(Code::kInvalidArgument,
                "no tool is left of those that were asked for; exclude fewer, or leave read-only "
                "out");
  }
  return Selection(std::move(out));
}

const Tool* Selection::find(std::string_view name) const {
  const auto found = std::ranges::find(*tools_, name, &Tool::name);
  return found == tools_->end() ? nullptr : *found;
}

bool may_use(const Tool& tool, const Session& session) {
  switch (tool.right) {
    case Right::kRead:
      return true;
    case Right::kUpload:
      return session.rights.can_upload();
    case Right::kManageDepots:
      // A new depot would be outside the part that a limited delegate sees.
      return session.rights.can_manage_depot() && session.rights.realm_wide();
    case Right::kOwn:
    case Right::kAdmin:
      return !session.who().parent;
  }
  return false;
}

}  // namespace cairn::agent
