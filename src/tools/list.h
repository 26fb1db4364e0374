// Every tool, by the name of its file. table.cc puts them in the table.
#pragma once

#include "tools/tool.h"

namespace cairn {

// For agents.
Tool list_depots();
Tool get_depot();
Tool create_depot();
Tool depot_commit();
Tool depot_history();
Tool depot_revert();
Tool fs_stat();
Tool fs_ls();
Tool fs_tree();
Tool fs_read();
Tool fs_read_many();
Tool fs_find();
Tool fs_grep();
Tool fs_diff();
Tool fs_write();
Tool fs_edit();
Tool fs_mkdir();
Tool fs_rm();
Tool fs_mv();
Tool fs_cp();
Tool fs_rewrite();
Tool json_get_schema();
Tool json_get_all();
Tool json_query();
Tool json_preview();
Tool json_select();
Tool json_create();
Tool json_update();
Tool json_delete();
Tool json_move();
Tool json_copy();
Tool node_metadata();
Tool create_delegate();
Tool list_delegates();
Tool get_delegate();
Tool revoke_delegate();
Tool get_realm_info();
Tool get_usage();

// For programs: bytes, and management.
Tool read_file_tool();
Tool write_file_tool();
Tool get_node();
Tool put_node();
Tool check_nodes();
Tool claim_nodes();
Tool update_depot();
Tool delete_depot();
Tool get_audit();
Tool collect_garbage_tool();
Tool list_users();
Tool add_user();
Tool update_user();
Tool check_store();
Tool backup_store();

// Tools, endpoints and bindings.
Tool create_tool();
Tool list_tools();
Tool get_tool();
Tool update_tool();
Tool delete_tool();
Tool create_endpoint();
Tool list_endpoints();
Tool get_endpoint();
Tool preview_endpoint();
Tool update_endpoint();
Tool rotate_endpoint_key();
Tool delete_endpoint();
Tool bind_tools();
Tool update_binding();
Tool unbind_tool();
Tool create_mcp_instance();
Tool upgrade_endpoint();

// The file tools on a depot, for workspaces.
std::vector<Tool> workspace_tools();

}  // namespace cairn
