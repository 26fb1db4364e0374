// The tools for what people have granted to programs through OAuth, and for those programs.
#pragma once

#include "tools/executor/tool.h"

namespace cairn {

Tool list_grants();
Tool revoke_grant();

Tool list_oauth_clients();
Tool add_oauth_client();
Tool remove_oauth_client();

}  // namespace cairn
