// What OAuth clients call:
//
//   /.well-known/oauth-protected-resource[/path]   who guards a resource      (metadata.h)
//   /.well-known/oauth-authorization-server        the same of this server
//   /api/auth/token      /token                    codes and refresh tokens   (data/oauth/tokens.h)
//   /api/auth/register   /register                 a client makes itself known
//   /api/auth/revoke     /api/auth/device          tokens given back; a device begins
//   /callback                                      a sentence: somebody else's answer came here
//
// Those at the root are for clients of the first revision, which know no metadata. What people see,
// /oauth/authorize and /oauth/device, are pages.
//
// Invariants  no cookie counts here, so pages of any site may call. Nothing is ever redirected, and
//             nothing with a secret in it is kept on the way.
// Threads     every function may be called from any thread.
// Fails with  {"error", "error_description"} as OAuth has them; 404 while nobody knows where this
//             server is (origin_rule.h).
#pragma once

#include <memory>
#include <string_view>

#include "data/oauth/tokens.h"
#include "exposure/http/http.h"
#include "exposure/oauth/metadata.h"
#include "exposure/oauth/origin_rule.h"

namespace cairn::oauth {

struct EndpointsOptions {
  OriginRule origins = {};
  ServerFeatures features = {};
};

class OAuthEndpoints final : public http::Handler {
 public:
  // REQUIRES: the tokens outlive it.
  OAuthEndpoints(Tokens& tokens, EndpointsOptions options)
      : tokens_(tokens), options_(std::move(options)) {}

  static bool is_here(std::string_view path);
  http::Plan begin(const http::Request& request) override;

  const OriginRule& origins() const { return options_.origins; }

 private:
  using Answer = http::Response (OAuthEndpoints::*)(const http::Request& request,
                                                    const Origin& origin, std::string_view body);
  http::Response document(const http::Request& request) const;
  http::Plan post(const http::Request& request, std::string_view type, Answer answer);
  http::Response token(const http::Request& request, const Origin& origin, std::string_view body);
  http::Response enroll(const http::Request& request, const Origin& origin, std::string_view body);
  http::Response revoke(const http::Request& request, const Origin& origin, std::string_view body);
  http::Response device(const http::Request& request, const Origin& origin, std::string_view body);

  Tokens& tokens_;
  const EndpointsOptions options_;
};

}  // namespace cairn::oauth
