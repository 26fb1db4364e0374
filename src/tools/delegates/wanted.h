// What the arguments of the tools for delegates have in common: what a delegate is to see and use.
#pragma once

#include <string>
#include <vector>

#include "data/json/json.h"
#include "tools/executor/call.h"

namespace cairn::wanted {

// Depots that the caller may use; any other does not exist for it.
Result<std::vector<DepotId>> depots(Call& call, const std::vector<std::string>& texts);
// PERMISSION_EXCEEDED for what the caller's user was not given: nobody below can be.
Result<std::vector<DirectoryGrant>> directories(Call& call, const json::Value& list);

}  // namespace cairn::wanted
