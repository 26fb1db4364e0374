// The tools for JSON documents.
#pragma once

#include "tools/executor/tool.h"

namespace cairn {

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

}  // namespace cairn
