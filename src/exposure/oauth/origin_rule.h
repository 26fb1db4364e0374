// Where this server is, for the clients of one request.
//
//   --public-url             that, always
//   on loopback, no proxy    http (or https) and the name that the client called it by
//   otherwise                nobody knows: OAuth is off
//
// Never what X-Forwarded-Host or Forwarded say: anybody can send those.
//
// Threads  a plain function of its arguments.
#pragma once

#include <optional>

#include "data/oauth/origin.h"
#include "exposure/http/http.h"

namespace cairn::oauth {

struct OriginRule {
  std::optional<Origin> public_origin = std::nullopt;
  bool loopback = false;  // the listener is of this machine only, and no proxy is before it

  // Whether there is one for anybody.
  bool is_known() const { return public_origin || loopback; }
};

std::optional<Origin> origin_of(const OriginRule& rule, const http::Request& request);

}  // namespace cairn::oauth
