// Shared by the depot tools.
#pragma once

#include "tools/executor/call.h"
#include "tools/executor/shape.h"
#include "tools/executor/tool.h"

namespace cairn::depots {

shape::Field depot_id();
shape::Field limit(std::string_view description);
shape::Field cursor();
shape::Field dry_run();
shape::Field keep();

// The root of the place now; nullopt when it is gone.
Result<std::optional<NodeKey>> root_of(Call& call, const Place& place);
// When what the caller sees of a depot was last changed: commits elsewhere in it are not told of.
Result<Millis> updated_at(Call& call, const Depot& depot, const Place& place);
// A depot with its history, as get_depot shows it.
Result<json::Object> details(Call& call, const Place& place);
// The same after a commit, with what it did.
Result<Reply> committed(Call& call, const Place& place, const CommitResult& result);
// The depot as it stands, with what a commit would do to it.
Result<Reply> would_commit(Call& call, const Place& place, const CommitResult& result);
json::Value committed_shape();

// The whole of a depot, which renaming and deleting need. FORBIDDEN for a caller that sees only a
// part of it.
Result<DepotId> whole(Call& call, std::string_view address);

// The error that a title is taken, with the depot that has it if the caller may see that one.
Failure with_holder(Call& call, Error error);

}  // namespace cairn::depots
