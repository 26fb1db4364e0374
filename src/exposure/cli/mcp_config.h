// cairn mcp config: the settings that make an MCP client use Cairn, with a delegate of its own.
//
// Threads     the thread of the command.
#pragma once

#include "base/result.h"
#include "exposure/cli/mcp_arguments.h"

namespace cairn::cli {

class Kit;

Result<int> run_mcp_config(Kit& kit, const McpArguments& given);

}  // namespace cairn::cli
