// The tools of every folder as one table.
#pragma once

#include "tools/executor/table.h"

namespace cairn {

// In the order in which they are listed.
ToolTable all_tools();

}  // namespace cairn
