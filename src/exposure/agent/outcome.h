// How what the executor answers is told to MCP clients.
#pragma once

#include "base/result.h"
#include "exposure/mcp/service.h"
#include "tools/executor/tool.h"

namespace cairn::agent {

// The outcome of a tool's answer: its blocks of content, or the value as compact JSON text; and the
// value as structured content. An error is said in the voice of the tool: for agents and outsiders
// it is the text `Error: CODE — message`, with its details as JSON on the next line: a model acts
// on `currentRoot` and `paths`. Of a long list in them the beginning is shown.
mcp::ToolOutcome outcome_of(const Tool& tool, Result<Reply> reply);

// The details of an error, for whoever acts on them. Of a long list the beginning is shown.
json::Object render_details(const Error& error);

// For requests that are not tool calls: what the client did wrong is kInvalidParams, what does not
// exist for it kResourceNotFound, everything else kInternal. `data` gets the error's `code`.
mcp::RpcError rpc_error(const Error& error, json::Object data = {});
// The same about a resource, with `data.uri`. What does not exist and what may not be seen have one
// answer.
mcp::RpcError resource_error(std::string_view uri, const Error& error);

}  // namespace cairn::agent
