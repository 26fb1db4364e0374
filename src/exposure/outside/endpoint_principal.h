// Whoever holds an endpoint's key, as MCP sessions know them.
#pragma once

#include "exposure/mcp/service.h"
#include "tools/bound_calls.h"

namespace cairn::outside {

class EndpointPrincipal final : public mcp::Principal {
 public:
  EndpointPrincipal(std::string key, const Endpoint& endpoint)
      : key_(std::move(key)),
        id_(fmt::format("{}@{}", endpoint.id.render(), endpoint.key_made_at)),
        realm_(endpoint.realm) {}

  // Of the key, not of the endpoint alone: one that was replaced is somebody else's.
  std::string_view id() const override { return id_; }
  const std::string& key() const { return key_; }
  const RealmId& realm() const { return realm_; }

 private:
  std::string key_;
  std::string id_;
  RealmId realm_;
};

}  // namespace cairn::outside
