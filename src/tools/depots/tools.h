// The tools for depots and their history.
#pragma once

#include "tools/executor/tool.h"

namespace cairn {

Tool list_depots();
Tool get_depot();
Tool create_depot();
Tool depot_commit();
Tool depot_history();
Tool depot_revert();
Tool depot_tag();
Tool depot_undo();
Tool update_depot();
Tool delete_depot();
Tool import_root();
Tool restore_depot();

}  // namespace cairn
