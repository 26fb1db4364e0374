// From a tool's reply to an HTTP answer: ETag, 304, ranges, caching.
#pragma once

#include "exposure/http/http.h"
#include "tools/executor/tool.h"

namespace cairn::rest {

http::Response respond(const http::Request& request, Reply reply);
// With what HTTP has for it: WWW-Authenticate, Retry-After, Allow.
http::Response respond(const Error& error);
http::Response json_response(const json::Value& value);

}  // namespace cairn::rest
