// The tools that manage tools on contexts, endpoints and bindings.
#pragma once

#include "tools/executor/tool.h"

namespace cairn {

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

}  // namespace cairn
