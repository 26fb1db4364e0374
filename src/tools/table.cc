#include "tools/table.h"

#include <algorithm>

#include "base/quote.h"
#include "base/similar.h"
#include "tools/list.h"

namespace cairn {

bool Tool::is_quick(const json::Object& arguments) const {
  if (quick_without.empty()) return quick;
  return std::ranges::none_of(quick_without,
                              [&](auto argument) { return arguments.contains(argument); });
}

namespace {

using MakeTool = Tool (*)();

// In the order in which they are listed to agents: what is called first comes first.
constexpr MakeTool kTools[] = {
    list_depots,
    get_depot,
    fs_tree,
    fs_ls,
    fs_stat,
    fs_read,
    fs_read_many,
    fs_find,
    fs_grep,
    fs_write,
    fs_edit,
    fs_mkdir,
    fs_rm,
    fs_mv,
    fs_cp,
    fs_rewrite,
    fs_diff,
    depot_commit,
    depot_history,
    depot_revert,
    create_depot,
    json_get_schema,
    json_get_all,
    json_query,
    json_preview,
    json_select,
    json_create,
    json_update,
    json_delete,
    json_move,
    json_copy,
    node_metadata,
    create_delegate,
    list_delegates,
    get_delegate,
    revoke_delegate,
    get_realm_info,
    get_usage,

    read_file_tool,
    write_file_tool,
    get_node,
    put_node,
    check_nodes,
    claim_nodes,
    update_depot,
    delete_depot,
    get_audit,
    collect_garbage_tool,
    check_store,
    list_users,
    add_user,
    update_user,
    backup_store,

    create_tool,
    list_tools,
    get_tool,
    update_tool,
    delete_tool,
    create_endpoint,
    list_endpoints,
    get_endpoint,
    preview_endpoint,
    update_endpoint,
    rotate_endpoint_key,
    delete_endpoint,
    bind_tools,
    update_binding,
    unbind_tool,
    create_mcp_instance,
    upgrade_endpoint,
};

}  // namespace

ToolTable ToolTable::make() {
  ToolTable table;
  for (auto make : kTools) table.rows_.push_back({make()});
  for (auto& tool : workspace_tools()) table.rows_.push_back({std::move(tool)});
  for (std::size_t i = 0; i < table.rows_.size(); ++i) {
    table.by_name_.emplace(table.rows_[i].tool.name, i);
  }
  return table;
}

Result<const ToolTable::Row*> ToolTable::find(std::string_view name) const {
  auto found = by_name_.find(name);
  if (found != by_name_.end()) return &rows_[found->second];
  std::vector<std::string> names;
  for (const auto& row : rows_) names.emplace_back(row.tool.name);
  const auto near = most_similar(name, names);
  if (near.empty()) {
    return fail(Code::kToolNotFound, "there is no tool '{}'", shown(name));
  }
  return fail(Code::kToolNotFound, "there is no tool '{}'; did you mean '{}'?", shown(name), near);
}

}  // namespace cairn
