// A request as it came by POST, and the answers that HTTP has for it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "exposure/http/http.h"
#include "exposure/mcp/http_headers.h"
#include "exposure/mcp/meta.h"
#include "exposure/mcp/server.h"

namespace cairn::mcp {

// Stays where it is: what its `_meta` says points into the message.
// Threads  the message is for the one that carries it out, and is used up then; the rest is for
// any.
struct HttpCall {
  HttpCall(PrincipalPtr who, Accepts taken, Request asked);
  HttpCall(const HttpCall&) = delete;
  HttpCall& operator=(const HttpCall&) = delete;

  const PrincipalPtr principal;
  const Accepts accepts;
  const std::string subject;  // for the log: the tool's name, or the method
  Request message;
  std::optional<ModernMeta> meta;  // nothing: of the legacy era
};
using HttpCallPtr = std::unique_ptr<HttpCall>;

http::Response refuse(int status, std::string message, int code = rpc_code::kInvalidRequest,
                      const RpcId& id = nullptr);
http::Response refuse(const HttpCall& call, const RpcError& error);
// 202: taken, and nothing to say.
http::Response accepted();
http::Response stream_response(std::shared_ptr<http::EventStream> stream);
http::Response answer_response(Answer answer);

// Adds to the request's log line what the call was.
http::Response logged(http::Response response, const HttpCall& call);

}  // namespace cairn::mcp
