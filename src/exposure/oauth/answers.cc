#include "exposure/oauth/answers.h"

namespace cairn::oauth {

void allow_pages(http::Response& response) {
  response.headers.emplace_back("Access-Control-Allow-Origin", "*");
}

http::Response answer(int status, const json::Object& body) {
  http::Response out;
  out.status = status;
  out.content_type = "application/json";
  out.headers.emplace_back("Cache-Control", "no-store");
  out.headers.emplace_back("Pragma", "no-cache");
  allow_pages(out);
  out.body = json::write(json::Value(body));
  // A guess at what an answer holds is made from how small it gets.
  out.compressible = false;
  return out;
}

http::Response refusal(int status, std::string_view error, std::string_view description) {
  auto out = answer(status, {{"error", error}, {"error_description", description}});
  out.log_error = error;
  return out;
}

http::Response refusal(const Denied& denied) {
  auto out = refusal(denied.status, denied.error, denied.description);
  if (denied.retry_after) {
    out.headers.emplace_back("Retry-After", std::to_string(denied.retry_after->count()));
  }
  if (denied.challenge) out.headers.emplace_back("WWW-Authenticate", "Basic realm=\"cairn\"");
  return out;
}

http::Response preflight() {
  http::Response out;
  out.status = 204;
  allow_pages(out);
  out.headers.emplace_back("Access-Control-Allow-Methods", "GET, POST, OPTIONS");
  out.headers.emplace_back("Access-Control-Allow-Headers",
                           "Authorization, Content-Type, MCP-Protocol-Version");
  out.headers.emplace_back("Access-Control-Max-Age", "600");
  return out;
}

http::Response wrong_method(std::string_view allowed) {
  auto out = refusal(405, "invalid_request", fmt::format("only {} is possible here", allowed));
  out.headers.emplace_back("Allow", fmt::format("{}, OPTIONS", allowed));
  return out;
}

}  // namespace cairn::oauth
