// Arguments from a query string: texts that become what the tool's input schema says they are.
#pragma once

#include "data/json/json.h"
#include "exposure/http/uri.h"

namespace cairn::rest {

// Lists are separated by commas. INVALID_ARGUMENT for a malformed number or flag; names that the
// schema does not have are left for it to refuse.
Result<void> add_query_arguments(json::Object& arguments, const http::Query& query,
                                 const json::Value& schema);

}  // namespace cairn::rest
