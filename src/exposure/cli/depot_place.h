// A place in a depot, as people name it for what works on whole trees: `DEPOT`, `DEPOT/PATH`,
// `DEPOT:PATH`.
#pragma once

#include <string>

#include "exposure/client/address.h"

namespace cairn::cli {

// The tree is a depot, and its key what tools take as depotId: for a caller that sees several
// places of a depot that is one of them, `dpt_…/docs`. INVALID_ARGUMENT for a node.
Result<client::Resolved> resolve_place(client::Client& client, const std::string& where);

}  // namespace cairn::cli
