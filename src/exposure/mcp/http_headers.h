// The headers of an MCP request, and whether they agree with its body.
#pragma once

#include <span>
#include <string_view>

#include "exposure/http/http.h"
#include "exposure/mcp/service.h"

namespace cairn::mcp {

// Whether the body is said to be JSON.
bool is_json(const http::Request& request);

// The forms of answer that the client takes. One that does not say takes JSON.
struct Accepts {
  bool json = true;
  bool events = false;
};
Accepts accepts(const http::Request& request);

// Whether this may come from a page of another site: who it says it comes from, and whom it means
// to have reached. FORBIDDEN.
enum class HostRule {
  kLoopback,  // only names of this machine for itself
  kAny,       // any; a proxy or the certificate decides
};
Result<void> check_origin(const http::Request& request, HostRule rule);
// The second half of it. FORBIDDEN.
Result<void> check_host(const http::Request& request, HostRule rule);

// Modern: the headers repeat what is in the body. kHeaderMismatch.
Rpc<void> check_headers(const http::Request& request, const Request& body,
                        std::span<const ParamHeader> params);

}  // namespace cairn::mcp
