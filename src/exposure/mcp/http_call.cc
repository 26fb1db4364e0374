#include "exposure/mcp/http_call.h"

#include <utility>

namespace cairn::mcp {
namespace {

std::string subject_of(const Request& message) {
  const auto* tool = message.method == "tools/call" ? json::find(message.params, "name") : nullptr;
  return std::string(tool != nullptr ? json::text(*tool) : std::string_view(message.method));
}

http::Response json_response(std::string text, int status) {
  http::Response out;
  out.status = status;
  out.content_type = "application/json";
  out.body = std::move(text);
  return out;
}

}  // namespace

HttpCall::HttpCall(PrincipalPtr who, Accepts taken, Request asked)
    : principal(std::move(who)),
      accepts(taken),
      subject(subject_of(asked)),
      message(std::move(asked)) {}

http::Response refuse(int status, std::string message, int code, const RpcId& id) {
  auto out = json_response(write_error(id, {code, std::move(message)}), status);
  out.log_error = "BAD_REQUEST";
  return out;
}

http::Response refuse(const HttpCall& call, const RpcError& error) {
  return logged(json_response(write_error(call.message.id, error), 400), call);
}

http::Response accepted() {
  http::Response out;
  out.status = 202;
  return out;
}

http::Response stream_response(std::shared_ptr<http::EventStream> stream) {
  http::Response out;
  out.content_type = "text/event-stream";
  out.headers = {{"Cache-Control", "no-cache, no-transform"}, {"X-Accel-Buffering", "no"}};
  out.body = http::EventBody{std::move(stream)};
  out.compressible = false;
  return out;
}

http::Response answer_response(Answer answer) {
  if (answer.text.empty()) return accepted();
  return json_response(std::move(answer.text), answer.http_status);
}

http::Response logged(http::Response response, const HttpCall& call) {
  response.log_tool = call.subject;
  response.log_who = call.principal->id();
  return response;
}

}  // namespace cairn::mcp
