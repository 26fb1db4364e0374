// The OpenAPI 3.1 document of one endpoint: each of its tools is a POST.
#pragma once

#include "tools/endpoints/bound_calls.h"

namespace cairn::rest {

// Paths are below the server's address, with `key` standing in for the key.
json::Value endpoint_openapi(const EndpointToolbox& endpoint, std::string_view key_segment);

}  // namespace cairn::rest
