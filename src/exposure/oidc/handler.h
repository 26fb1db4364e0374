// The ways of a browser to a provider and back:
//
//   GET /api/oauth/login[?request=…]     to the provider
//   GET /api/oauth/callback?code&state   back from it
//
// Threads     every function may be called from any thread.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/guarded.h"
#include "exposure/http/http.h"
#include "exposure/oidc/flow.h"

namespace cairn::oidc {

struct HandlerParts {
  Flow& flow;
  const Clock& clock;
  // Where this server is, as the browser sees it: `https://cairn.example`.
  std::function<Result<std::string>(const http::Request&)> origin;
  // Lets somebody in; `request` is what was given to login.
  std::function<Result<http::Response>(const http::Request&, const User&,
                                       const std::string& request)>
      open;
  // A page that says what is wrong; nothing: a plain one.
  std::function<http::Response(const http::Request&, const Error&)> refused = nullptr;
  // All come from one address then.
  bool behind_proxy = false;
};

class Handler final : public http::Handler {
 public:
  explicit Handler(HandlerParts parts) : parts_(std::move(parts)) {}

  static constexpr std::string_view kLogin = "/api/oauth/login";

  static bool is_here(std::string_view path);
  http::Plan begin(const http::Request& request) override;

 private:
  Result<http::Response> login(const http::Request& request);
  Result<http::Response> callback(const http::Request& request);
  http::Response refused(const http::Request& request, const Error& error) const;
  // RATE_LIMITED with `retryAfterMs`.
  Result<void> take_turn(std::string_view address);

  struct Bucket {
    double level = 0;
    std::chrono::nanoseconds at{};
  };
  struct Buckets {
    Bucket all;
    std::map<std::string, Bucket, std::less<>> each;
  };

  const HandlerParts parts_;
  Guarded<Buckets> buckets_;
};

}  // namespace cairn::oidc
