// The OpenAPI 3.1 document, from the tool table and the route table.
#pragma once

#include "data/json/json.h"
#include "tools/executor/table.h"

namespace cairn::rest {

json::Value openapi(const ToolTable& table, std::string_view version);
// The tools as a client lists them.
json::Value describe_tools(const ToolTable& table);

}  // namespace cairn::rest
