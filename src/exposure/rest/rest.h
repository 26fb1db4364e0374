// The REST surface: translates requests to the executor's tools and their replies to answers.
//
// Tools have routes of their own (route.h), and each is also POST /api/realm/{realm}/tools/{name}.
// The token is checked before a body is read.
//
// Threads     every function may be called from any thread.
// Fails with  the code of the error, as an answer with its HTTP status.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>

#include "exposure/http/http.h"
#include "exposure/rest/browser.h"
#include "exposure/rest/route.h"
#include "tools/executor/executor.h"

namespace cairn::rest {

struct RestOptions {
  std::string version;
  // A request for /metrics without a token must come from this machine; behind a proxy all seem to.
  bool behind_proxy = false;
  std::function<std::string()> metrics = {};  // as Prometheus reads it
  std::string public_url = {};                // where browsers find it; empty: as their Host says
  // What WWW-Authenticate says to a program that came with a token of a grant and lacks a right;
  // empty: nothing.
  std::function<std::string(const http::Request&, Code)> step_up = {};
};

class RestHandler final : public http::Handler {
 public:
  RestHandler(Executor& executor, RestOptions options);

  http::Plan begin(const http::Request& request) override;
  // From now on /readyz says no.
  void stopping() { stopping_ = true; }

 private:
  Result<http::Plan> plan(const http::Request& request);
  // caller_of(), or the person whose browser's cookie came with the request.
  Result<Caller> let_in(const http::Request& request, std::string_view realm) const;
  // Pages and routes that are not tools; nullopt when it is not one of them.
  Result<std::optional<http::Plan>> special(const http::Request& request,
                                            std::span<const std::string> segments);
  Result<http::Plan> plan_tool(const http::Request& request, const Match& match);
  Result<http::Plan> plan_json(const http::Request& request, const Caller& caller, const Tool& tool,
                               json::Object arguments);
  http::Plan plan_run(const http::Request& request, const Caller& caller, const Tool& tool,
                      json::Object arguments);
  Result<http::Plan> plan_stream(const http::Request& request, const Caller& caller,
                                 const Tool& tool, json::Object arguments);
  http::Plan plan_bytes(const http::Request& request, const Caller& caller, const Tool& tool,
                        json::Object arguments);
  http::Response refuse(const http::Request& request, const Caller& caller,
                        const Error& error) const;
  http::Response run(const http::Request& request, const Caller& caller, const Tool& tool,
                     json::Value arguments, ByteView body);
  Result<json::Object> issue(ByteView body, bool sign_in, std::string_view from,
                             std::string_view request);
  Result<http::Plan> plan_auth(const http::Request& request, bool sign_in);
  Result<http::Response> metrics(const http::Request& request) const;
  http::Response ready() const;
  // The status, or what is in the way of the store.
  http::Response healthy(std::string_view status) const;

  // The pages that describe the API. Made when first asked for: few ask.
  struct Pages {
    std::string openapi;
    std::string docs;
    std::string tools;
  };
  const Pages& pages();

  Executor& executor_;
  RestOptions options_;
  std::once_flag pages_made_;
  Pages pages_;
  std::atomic<bool> stopping_ = false;
};

// Whoever made the request, but for people with a browser: who holds its token, or the machine's
// owner when it came without one over the owner's socket. `realm` as Executor::authenticate takes
// it.
Result<Caller> caller_of(const Executor& executor, const http::Request& request,
                         std::string_view realm, Entrance entrance);
// The token of an Authorization header. INVALID_TOKEN when there is none.
Result<std::string_view> bearer(const http::Request& request);
// A body that may be left out when nothing has to be said. INVALID_JSON.
Result<json::Object> parse_object(ByteView body);
// METHOD_NOT_ALLOWED with `allow`.
Failure wrong_method(std::string allowed);
// UNSUPPORTED_MEDIA_TYPE for a body that is not said to be JSON.
Result<void> check_json(const http::Request& request);

}  // namespace cairn::rest
