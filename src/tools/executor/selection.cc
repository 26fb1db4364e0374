#include "tools/executor/selection.h"

#include <algorithm>
#include <set>
#include <string>

#include <fmt/ranges.h>

#include "base/quote.h"
#include "base/similar.h"

namespace cairn {
namespace {

using Name = std::string_view;

constexpr Name kDefault[] = {
    "list_depots",  "get_depot",    "fs_tree",       "fs_ls",           "fs_stat",
    "fs_read",      "fs_read_many", "fs_find",       "fs_grep",         "fs_write",
    "fs_edit",      "fs_mkdir",     "fs_rm",         "fs_mv",           "fs_cp",
    "fs_rewrite",   "fs_diff",      "depot_commit",  "depot_history",   "depot_undo",
    "depot_revert", "create_depot", "node_metadata", "create_delegate", "get_realm_info",
    "get_usage",
};
constexpr Name kMinimal[] = {"list_depots", "fs_tree",  "fs_read",
                             "fs_grep",     "fs_write", "depot_commit"};
constexpr Name kDepots[] = {"list_depots",   "get_depot",  "create_depot", "depot_commit",
                            "depot_history", "depot_undo", "depot_revert", "depot_tag"};
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
constexpr Name kHistory[] = {"depot_history", "fs_diff", "depot_undo", "depot_revert"};
constexpr Name kDelegates[] = {"create_delegate", "list_delegates", "get_delegate",
                               "update_delegate", "rotate_key",     "revoke_delegate"};
constexpr Name kRealm[] = {"get_realm_info", "get_usage", "node_metadata"};

constexpr Toolset kToolsets[] = {
    {"default", "what most work needs", kDefault},
    {"minimal", "the least to read, search, edit and commit", kMinimal},
    {"all", "every tool for agents", {}},
    {"depots", "depots: list, get, create, commit, history, undo, revert, tag", kDepots},
    {"files", "every tool of files and directories, search included", kFiles},
    {"read", "looking at files and directories", kRead},
    {"write", "changing them, and committing", kWrite},
    {"search", "by name and by content", kSearch},
    {"json", "JSON files: shape, query, and changes that commit at once", kJson},
    {"history", "earlier roots, what changed, taking back, going back", kHistory},
    {"delegates", "delegates: create, list, get, change, new key, revoke", kDelegates},
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
  return fail(Code::kInvalidArgument, "there is no {} '{}'{}", what, shown(name),
              hint_for(name, known, fmt::format("; there are: {}", fmt::join(known, ", "))));
}

using Names = std::set<std::string, std::less<>>;

// Every name of the list, checked against those there are.
Result<Names> names_in(std::string_view what, const std::optional<std::string>& list,
                       const std::vector<std::string>& known) {
  Names out;
  if (!list) return out;
  for (const auto name : items_of(*list)) {
    if (std::ranges::find(known, name) == known.end()) return unknown(what, name, known);
    out.emplace(name);
  }
  return out;
}

std::vector<std::string> names_of(const std::vector<const Tool*>& tools) {
  std::vector<std::string> out;
  for (const auto* tool : tools) out.push_back(tool->name);
  return out;
}

void add_toolset(std::string_view name, const std::vector<const Tool*>& tools, Names& out) {
  const auto* set = std::ranges::find(kToolsets, name, &Toolset::name);
  for (const auto tool : set->tools) out.emplace(tool);
  if (!set->tools.empty()) return;
  for (const auto* tool : tools) out.insert(tool->name);
}

}  // namespace

std::span<const Toolset> toolsets() { return kToolsets; }

Result<Selection> Selection::choose(const SelectionRequest& request, const Names& chosen,
                                    const std::vector<const Tool*>& from) {
  Selection out;
  out.excluded_ = TRY(names_in("tool", request.exclude_tools, names_of(from)));
  out.read_only_ = request.read_only;
  std::vector<const Tool*> tools;
  for (const auto* tool : from) {
    if (chosen.contains(tool->name) && out.allows(*tool)) tools.push_back(tool);
  }
  if (tools.empty()) {
    return fail(Code::kInvalidArgument,
                "no tool is left of those that were asked for; exclude fewer, or leave read-only "
                "out");
  }
  out.tools_ = std::make_shared<const std::vector<const Tool*>>(std::move(tools));
  return out;
}

Result<Selection> Selection::parse(const SelectionRequest& request, const ToolTable& table) {
  std::vector<const Tool*> tools;
  for (const auto& tool : table.tools()) {
    if (tool.audience == Audience::kAgents) tools.push_back(&tool);
  }
  std::vector<std::string> sets;
  for (const auto& set : kToolsets) sets.emplace_back(set.name);
  auto named = TRY(names_in("toolset", request.toolsets, sets));
  auto chosen = TRY(names_in("tool", request.tools, names_of(tools)));
  if (!request.toolsets && !request.tools) named.emplace("default");
  for (const auto& set : named) add_toolset(set, tools, chosen);
  return choose(request, chosen, tools);
}

Result<Selection> Selection::parse(const SelectionRequest& request,
                                   std::vector<const Tool*> tools) {
  if (request.toolsets) {
    return fail(Code::kInvalidArgument,
                "a workspace has no sets of tools; name tools to offer or to leave out");
  }
  auto chosen = TRY(names_in("tool", request.tools, names_of(tools)));
  if (!request.tools) {
    for (const auto* tool : tools) {
      if (!tool->only_when_named) chosen.insert(tool->name);
    }
  }
  return choose(request, chosen, tools);
}

const Tool* Selection::find(std::string_view name) const {
  const auto found = std::ranges::find(*tools_, name, &Tool::name);
  return found == tools_->end() ? nullptr : *found;
}

bool Selection::allows(const Tool& tool) const {
  return !excluded_.contains(tool.name) && !(read_only_ && tool.changes());
}

}  // namespace cairn
