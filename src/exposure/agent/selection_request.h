// A selection of tools as a client asks for it: on the command line, in headers or in the URL's
// query. What it means is decided by the selection (tools/executor/selection.h).
//
//   command line      header                  query           value
//   --toolsets        X-Cairn-Toolsets        toolsets        names of toolsets, comma separated
//   --tools           X-Cairn-Tools           tools           names of tools, comma separated
//   --exclude-tools   X-Cairn-Exclude-Tools   exclude-tools   names of tools, comma separated
//   --read-only       X-Cairn-Read-Only       read-only       true, false, 1 or 0
#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"
#include "exposure/http/uri.h"
#include "tools/executor/selection.h"

namespace cairn::agent {

// A header's value by its name in lower case; empty, and without data, when it is absent.
using HeaderLookup = std::function<std::string_view(std::string_view lower_name)>;

// A setting given in both is taken from the query. INVALID_ARGUMENT for a read-only that is not a
// boolean, and for anything else in the query; the query's `read-only` may stand without a value.
Result<SelectionRequest> selection_of(const HeaderLookup& header, const http::Query& query);

}  // namespace cairn::agent
