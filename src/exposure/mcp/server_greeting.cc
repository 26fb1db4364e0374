// How the server describes itself, and how modern clients are told of changes.
#include <set>

#include "exposure/mcp/server.h"
#include "exposure/mcp/server_exchange.h"

namespace cairn::mcp {
namespace {

constexpr std::int64_t kDiscoverTtl = 60'000;

bool wants(const json::Object& filter, std::string_view key) {
  const auto* value = json::find(filter, key);
  return value != nullptr && value->is_bool() && value->get_bool();
}

json::Object change_capability(bool changes) {
  json::Object out;
  if (changes) out["listChanged"] = true;
  return out;
}

}  // namespace

json::Object Server::server_info(Revision revision, Detail detail) const {
  const Offer& offer = service_.offer();
  json::Object info{{"name", offer.name}, {"version", offer.version}};
  if (revision >= Revision::k2025_06_18) info["title"] = offer.title;
  if (revision >= Revision::k2025_11_25 && detail == Detail::kFull) {
    if (!offer.icons.empty()) info["icons"] = offer.icons;
    if (!offer.website.empty()) info["websiteUrl"] = offer.website;
  }
  return info;
}

json::Object Server::capabilities(Revision revision) const {
  const Offer& offer = service_.offer();
  json::Object out;
  if (offer.tools) out["tools"] = change_capability(offer.tools_change);
  if (offer.prompts) out["prompts"] = change_capability(offer.prompts_change);
  if (offer.resources) {
    auto resources = change_capability(offer.resources_change);
    if (offer.subscriptions) resources["subscribe"] = true;
    out["resources"] = std::move(resources);
  }
  if (offer.completions && revision >= Revision::k2025_03_26) out["completions"] = json::Object();
  if (offer.logging) out["logging"] = json::Object();
  return out;
}

json::Object Server::greeting(Revision revision, const Principal& principal) const {
  json::Object out{{"protocolVersion", name(revision)},
                   {"capabilities", capabilities(revision)},
                   {"serverInfo", server_info(revision, Detail::kFull)}};
  if (auto text = service_.instructions(principal); !text.empty()) {
    out["instructions"] = std::move(text);
  }
  return out;
}

Server::Outcome Server::discover(ServerExchange& exchange) {
  json::Array versions;
  for (const Revision revision : all_revisions()) {
    if (is_modern(revision)) versions.emplace_back(name(revision));
  }
  json::Object out{{"supportedVersions", std::move(versions)},
                   {"capabilities", capabilities(exchange.revision())},
                   {"ttlMs", kDiscoverTtl},
                   {"cacheScope", service_.offer().personal ? "private" : "public"}};
  if (auto text = service_.instructions(*exchange.principal()); !text.empty()) {
    out["instructions"] = std::move(text);
  }
  return out;
}

Answer Server::listen(const std::shared_ptr<Peer>& peer, const Request& request,
                      std::shared_ptr<Channel> channel) {
  const auto* filter = json::find(request.params, "notifications");
  if (filter == nullptr || !filter->is_object()) {
    return {write_error(request.id, {rpc_code::kInvalidParams,
                                     "'notifications' is required: an object of what to be told"}),
            400};
  }
  constexpr std::size_t kMostResources = 256;
  const auto& wanted = filter->get_object();
  const Offer& offer = service_.offer();
  auto listening =
      std::make_shared<Peer::Listening>(request.id, peer->principal(), std::move(channel));
  json::Object honoured;
  const auto add_list = [&](std::string_view key, bool offered, ListKind kind) {
    if (offered && wants(wanted, key) && listening->add(announcer_, kind)) honoured[key] = true;
  };
  add_list("toolsListChanged", offer.tools_change, ListKind::kTools);
  add_list("promptsListChanged", offer.prompts_change, ListKind::kPrompts);
  add_list("resourcesListChanged", offer.resources_change, ListKind::kResources);
  const auto* uris = json::find(wanted, "resourceSubscriptions");
  if (offer.subscriptions && uris != nullptr && uris->is_array()) {
    if (uris->get_array().size() > kMostResources) {
      return {write_error(request.id,
                          {rpc_code::kInvalidParams,
                           fmt::format("at most {} resources can be listened to in one request",
                                       kMostResources)}),
              400};
    }
    json::Array accepted;
    std::set<std::string_view> seen;
    for (const auto& uri : uris->get_array()) {
      if (seen.insert(json::text(uri)).second &&
          listening->add(announcer_, std::string(json::text(uri))))
        accepted.push_back(uri);
    }
    honoured["resourceSubscriptions"] = std::move(accepted);
  }
  listening->begin(write_notification("notifications/subscriptions/acknowledged",
                                      {{"_meta", json::Object{{meta::kSubscriptionId, request.id}}},
                                       {"notifications", std::move(honoured)}}));
  peer->listen(request.id, std::move(listening));
  return {};
}

}  // namespace cairn::mcp
