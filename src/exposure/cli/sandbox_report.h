// The changes of a sandboxed command, for people.
#pragma once

#include "exposure/cli/output.h"
#include "exposure/sandbox/changes.h"

namespace cairn::cli {

// The changes and, of texts, their lines, up to some thousand.
Result<void> print_changes(Output& out, client::Client& client, const sandbox::SandboxTree& tree,
                           const sandbox::SandboxChanges& changes);

}  // namespace cairn::cli
