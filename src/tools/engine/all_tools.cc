#include "tools/engine/all_tools.h"

#include <iterator>
#include <utility>

#include "tools/admin/tools.h"
#include "tools/delegates/tools.h"
#include "tools/depots/tools.h"
#include "tools/endpoints/tools.h"
#include "tools/files/tools.h"
#include "tools/json/tools.h"
#include "tools/people/tools.h"

namespace cairn {

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
    depot_undo,
    depot_revert,
    depot_tag,
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
    update_delegate,
    rotate_key,
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
    import_root,
    restore_depot,
    get_audit,
    collect_garbage_tool,
    purge_tool,
    check_store,
    list_users,
    add_user,
    update_user,
    delete_user,
    backup_store,

    get_me,
    list_sign_ins,
    end_sign_in,
    change_password,
    create_sign_in_link,

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

ToolTable all_tools() {
  std::vector<Tool> tools;
  tools.reserve(std::size(kTools));
  for (auto make : kTools) tools.push_back(make());
  return ToolTable(std::move(tools));
}

}  // namespace cairn
