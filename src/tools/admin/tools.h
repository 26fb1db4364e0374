// The tools for the owner of a realm and for admins.
#pragma once

#include "tools/executor/tool.h"

namespace cairn {

Tool get_realm_info();
Tool get_usage();
Tool get_audit();
Tool collect_garbage_tool();
Tool list_users();
Tool add_user();
Tool update_user();
Tool delete_user();
Tool purge_tool();
Tool check_store();
Tool backup_store();

}  // namespace cairn
