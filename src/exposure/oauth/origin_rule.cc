#include "exposure/oauth/origin_rule.h"

#include "data/oauth/url.h"

namespace cairn::oauth {

std::optional<Origin> origin_of(const OriginRule& rule, const http::Request& request) {
  // On the owner's socket nobody needs a token.
  if (request.peer == http::Peer::kOwner) return std::nullopt;
  if (rule.public_origin) return rule.public_origin;
  if (!rule.loopback) return std::nullopt;
  auto origin =
      Origin::parse(fmt::format("{}://{}", request.tls ? "https" : "http", request.header("host")));
  if (!origin || !origin->is_loopback()) return std::nullopt;
  return *std::move(origin);
}

}  // namespace cairn::oauth
