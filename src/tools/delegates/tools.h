// The tools for delegates.
#pragma once

#include "tools/executor/tool.h"

namespace cairn {

Tool create_delegate();
Tool list_delegates();
Tool get_delegate();
Tool update_delegate();
Tool rotate_key();
Tool revoke_delegate();

}  // namespace cairn
