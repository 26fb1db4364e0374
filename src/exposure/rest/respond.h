// From a tool's reply to an HTTP answer: ETag, 304, ranges, caching.
#pragma once

#include <memory>

#include "exposure/http/http.h"
#include "tools/executor/tool.h"

namespace cairn::rest {

http::Response respond(const http::Request& request, Reply reply);
// With what HTTP has for it: WWW-Authenticate, Retry-After, Allow.
http::Response respond(const Error& error);
http::Response json_response(const json::Value& value);

// Whether the request asks for rows, one JSON object a line.
bool wants_rows(const http::Request& request);
// Rows as they come (application/x-ndjson). An empty line says that there is nothing yet, so that
// a client that has left is noticed; a body that was broken off has no summary.
http::Response rows_response(std::unique_ptr<Rows> rows);

}  // namespace cairn::rest
