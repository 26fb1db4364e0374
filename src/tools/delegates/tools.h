// The tools for delegates.
#pragma once

#include "tools/executor/tool.h"

namespace cairn {

Tool create_delegate();
Tool list_delegates();
Tool get_delegate();
Tool revoke_delegate();

}  // namespace cairn
