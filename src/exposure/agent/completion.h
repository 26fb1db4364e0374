// Completion of what a person types for an argument of a prompt or resource template: depots by
// the beginning of their id or title, paths by what stands in the directory typed so far, node keys
// by the roots that depots have now.
#pragma once

#include "exposure/mcp/service.h"
#include "tools/executor/executor.h"

namespace cairn::agent {

// kInvalidParams for a prompt, template or argument that does not exist. What names nothing has no
// completions; that is no error.
mcp::Rpc<mcp::Completion> complete(Executor& executor, const Caller& caller,
                                   const mcp::CompletionRequest& request);

}  // namespace cairn::agent
