// The OpenAPI 3.1 document of one endpoint: each of its tools is a POST.
#pragma once

#include "tools/bound_calls.h"

namespace cairn::outside {

// Paths are below the server's address, with `key` standing in for the key.
json::Value endpoint_openapi(const OpenEndpoint& endpoint, std::string_view key_segment);

}  // namespace cairn::outside
