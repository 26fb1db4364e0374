#include "exposure/mcp/server.h"

#include <array>
#include <exception>

#include "base/quote.h"
#include "exposure/mcp/server_exchange.h"

namespace cairn::mcp {
namespace {

// The eras that have a method.
enum class In { kBoth, kLegacy, kModern };

bool has(In in, Era era) { return in == In::kBoth || (in == In::kModern) == (era == Era::kModern); }

std::unexpected<RpcError> no_such_method(std::string_view method) {
  return rpc_fail(rpc_code::kMethodNotFound, fmt::format("there is no method '{}'", shown(method)));
}

Answer refusal(const RpcId& id, const RpcError& error, int status) {
  return {write_error(id, error), status};
}

Answer cannot_begin(const Request& request, Era era, const RpcError& error) {
  // Modern clients go by the status as well; legacy ones expect every JSON-RPC answer in a 200.
  return refusal(request.id, error, era == Era::kModern ? 400 : 200);
}

// What the server asks a client's capabilities for. Nothing else of them is kept: a session lives
// for hours, and a client may say megabytes.
json::Object only_used(const json::Object& capabilities) {
  json::Object out;
  for (const std::string_view used : {"roots", "sampling", "elicitation"}) {
    if (capabilities.contains(used)) out[used] = json::Object();
  }
  return out;
}

Answer too_often(const Request& request, Era era, const RpcError& error) {
  // A legacy client in a session reads the answer, whatever the status of the others.
  const bool by_status = era == Era::kModern || request.method == "initialize";
  return refusal(request.id, error, by_status ? 429 : 200);
}

}  // namespace

struct Server::Method {
  std::string_view name;
  In in;
  Outcome (Server::*run)(ServerExchange& exchange);
  // A method that the service does not offer is as unknown as one that does not exist.
  bool Offer::* needs = nullptr;
  bool quick = false;
  bool rounds = false;  // may ask the client in rounds
};

const Server::Method* Server::find(std::string_view method) {
  static constexpr std::array<Method, 13> kMethods = {{
      {"tools/list", In::kBoth, &Server::list_tools, &Offer::tools},
      {"tools/call", In::kBoth, &Server::call_tool, &Offer::tools, false, true},
      {"resources/list", In::kBoth, &Server::list_resources, &Offer::resources},
      {"resources/templates/list", In::kBoth, &Server::list_templates, &Offer::resources, true},
      {"resources/read", In::kBoth, &Server::read_resource, &Offer::resources, false, true},
      {"resources/subscribe", In::kLegacy, &Server::subscribe, &Offer::subscriptions},
      {"resources/unsubscribe", In::kLegacy, &Server::unsubscribe, &Offer::subscriptions, true},
      {"prompts/list", In::kBoth, &Server::list_prompts, &Offer::prompts, true},
      {"prompts/get", In::kBoth, &Server::get_prompt, &Offer::prompts, false, true},
      {"completion/complete", In::kBoth, &Server::complete, &Offer::completions},
      {"logging/setLevel", In::kLegacy, &Server::set_level, &Offer::logging, true},
      {"ping", In::kLegacy, &Server::ping, nullptr, true},
      {"server/discover", In::kModern, &Server::discover, nullptr, true},
  }};
  for (const Method& known : kMethods) {
    if (known.name == method) return &known;
  }
  return nullptr;
}

bool Server::offers(const Method& method) const {
  return method.needs == nullptr || service_.offer().*method.needs;
}

Server::Server(Service& service, const Clock& clock, Random& random)
    : service_(service), seal_(clock, random), announcer_(service) {}

std::optional<Answer> Server::expect(Peer& peer, const Request& request, Era era) {
  const auto expected = peer.expect(request.id);
  if (expected) return std::nullopt;
  return cannot_begin(request, era, expected.error());
}

// Whatever reaches the executor is counted there.
Rpc<void> Server::take_turn(Peer& peer, const Request& request) {
  for (const std::string_view counted : {"tools/call", "resources/read", "resources/list"}) {
    if (request.method == counted) return {};
  }
  return service_.take_turn(*peer.principal());
}

template <typename Run>
Answer Server::follow(Peer& peer, const Request& request, Era era, Run run) {
  const auto stop = peer.begin(request.id);
  if (!stop) return cannot_begin(request, era, id_in_use());
  Answer answer;
  try {
    if (auto turn = take_turn(peer, request)) {
      answer = run(*stop);
    } else {
      answer = too_often(request, era, turn.error());
    }
  } catch (const std::exception&) {
    answer = {write_error(request.id, {rpc_code::kInternal, "the request could not be handled"})};
  }
  // Cancelled: the client has forgotten the request, and an answer would be a protocol error.
  if (peer.end(request.id)) return {};
  return answer;
}

Answer Server::answer(const std::shared_ptr<Peer>& peer, Request&& request, Era era,
                      std::shared_ptr<Channel> channel) {
  return follow(*peer, request, era, [&](const std::stop_token& stop) {
    if (era == Era::kLegacy) return answer_legacy(peer, request, std::move(channel), stop);
    const auto meta = read_meta(request.params);
    if (!meta) return refusal(request.id, meta.error(), 400);
    return answer_modern(peer, request, *meta, std::move(channel), stop);
  });
}

Answer Server::answer(const std::shared_ptr<Peer>& peer, Request&& request, const ModernMeta& meta,
                      std::shared_ptr<Channel> channel) {
  return follow(*peer, request, Era::kModern, [&](const std::stop_token& stop) {
    return answer_modern(peer, request, meta, std::move(channel), stop);
  });
}

Answer Server::answer_modern(const std::shared_ptr<Peer>& peer, Request& request,
                             const ModernMeta& meta, std::shared_ptr<Channel> channel,
                             const std::stop_token& stop) {
  if (request.method == "subscriptions/listen") return listen(peer, request, std::move(channel));
  const Method* method = find(request.method);
  if (method == nullptr || !has(method->in, Era::kModern) || !offers(*method)) {
    return refusal(request.id, no_such_method(request.method).error(), 404);
  }
  ServerExchange exchange(*peer, std::move(channel), stop,
                          {.revision = meta.revision,
                           .capabilities = *meta.capabilities,
                           .params = request.params,
                           .log_level = meta.log_level,
                           .state = nullptr});
  const auto outcome = finish_modern(exchange, request, run_modern(*method, exchange, request));
  if (outcome) return {write_result(request.id, *outcome)};
  const int status = outcome.error().code == rpc_code::kMissingCapability ? 400 : 200;
  return {write_error(request.id, outcome.error()), status};
}

// With what was kept in the round before, if this is a further one.
Server::Outcome Server::run_modern(const Method& method, ServerExchange& exchange,
                                   const Request& request) {
  const auto* sealed = json::find(request.params, "requestState");
  // State that a method without rounds did not ask for is ignored.
  if (sealed != nullptr && method.rounds) {
    auto opened = seal_.open(json::text(*sealed), bound_to(exchange, request));
    if (!opened) return std::unexpected(std::move(opened.error()));
    exchange.restore(std::move(*opened));
  }
  return (this->*method.run)(exchange);
}

// Questions come first: while the client has to be asked, whatever was made of the request so far
// is dropped. The request is run again with the answers.
Server::Outcome Server::finish_modern(ServerExchange& exchange, const Request& request,
                                      Outcome outcome) const {
  if (!exchange.unanswered().empty()) {
    json::Object round{{"resultType", "input_required"}, {"inputRequests", exchange.unanswered()}};
    if (exchange.kept()) {
      round["requestState"] = seal_.close(*exchange.kept(), bound_to(exchange, request));
    }
    outcome = std::move(round);
  }
  if (!outcome) {
    // Services answer with the legacy code for a missing resource; modern clients know only this
    // one.
    if (outcome.error().code == rpc_code::kResourceNotFound) {
      outcome.error().code = rpc_code::kInvalidParams;
    }
    return outcome;
  }
  outcome->emplace("resultType", "complete");
  const auto detail = request.method == "server/discover" ? Detail::kFull : Detail::kBrief;
  (*outcome)["_meta"] = json::Object{{meta::kServerInfo, server_info(exchange.revision(), detail)}};
  return outcome;
}

// A state is good for one principal, and for the same request as before.
std::string Server::bound_to(const ServerExchange& exchange, const Request& request) const {
  json::Object same = request.params;
  // The three members that differ from round to round.
  same.erase("_meta");
  same.erase("inputResponses");
  same.erase("requestState");
  return json::write(json::Array{exchange.principal()->id(), request.method, std::move(same)});
}

Answer Server::answer_legacy(const std::shared_ptr<Peer>& peer, Request& request,
                             std::shared_ptr<Channel> channel, const std::stop_token& stop) {
  if (request.method == "initialize") return initialize(*peer, request);
  const auto handshake = peer->handshake();
  if (!handshake && request.method != "ping") {
    return refusal(request.id,
                   {rpc_code::kInvalidRequest,
                    fmt::format("'{}' came before 'initialize'", shown(request.method))},
                   400);
  }
  const Method* method = find(request.method);
  if (method == nullptr || !has(method->in, Era::kLegacy) || !offers(*method)) {
    return {write_error(request.id, no_such_method(request.method).error())};
  }
  // `ping` may come before the handshake.
  static const Handshake none;
  const Handshake& settled = handshake ? *handshake : none;
  std::optional<LogLevel> level;
  if (service_.offer().logging) level = peer->log_level();
  ServerExchange exchange(*peer, std::move(channel), stop,
                          {.revision = settled.revision,
                           .capabilities = settled.capabilities,
                           .params = request.params,
                           .log_level = level,
                           .state = nullptr});
  const Outcome outcome = (this->*method->run)(exchange);
  return {outcome ? write_result(request.id, *outcome) : write_error(request.id, outcome.error())};
}

Answer Server::initialize(Peer& peer, const Request& request) {
  const auto* asked = json::find(request.params, "protocolVersion");
  if (asked == nullptr || !asked->is_string()) {
    return refusal(request.id,
                   {rpc_code::kInvalidParams, "'protocolVersion' is required, as a text"}, 400);
  }
  Handshake handshake;
  const auto known = parse_revision(json::text(*asked));
  // Otherwise the newest legacy revision: a client that cannot live with it disconnects.
  if (known && !is_modern(*known)) handshake.revision = *known;
  const auto* capabilities = json::find(request.params, "capabilities");
  if (capabilities != nullptr && capabilities->is_object()) {
    handshake.capabilities = only_used(capabilities->get_object());
  }
  const Revision revision = handshake.revision;
  if (!peer.shake_hands(std::move(handshake))) {
    return refusal(request.id, {rpc_code::kInvalidRequest, "'initialize' came a second time"}, 400);
  }
  return {write_result(request.id, greeting(revision, *peer.principal()))};
}

Answer Server::answer_batch(const std::shared_ptr<Peer>& peer, json::Array batch,
                            const std::shared_ptr<Channel>& channel) {
  const auto handshake = peer->handshake();
  const auto refuse = [](std::string why) {
    return refusal(nullptr, {rpc_code::kInvalidRequest, std::move(why)}, 400);
  };
  if (!handshake || handshake->revision != Revision::k2025_03_26) {
    return refuse("several messages at once are for clients of 2025-03-26 only");
  }
  // Messages of a batch are worked off one by one, and none is answered before the last.
  constexpr std::size_t kMostAtOnce = 100;
  if (batch.empty() || batch.size() > kMostAtOnce) {
    return refuse(fmt::format("a batch has 1 to {} messages", kMostAtOnce));
  }
  std::string out;
  const auto add = [&out](const std::string& text) {
    if (text.empty()) return;
    out += out.empty() ? '[' : ',';
    out += text;
  };
  for (auto& value : batch) {
    auto message = read_message(std::move(value));
    if (!message) {
      add(write_error(message.error().id, message.error().error));
    } else if (auto* request = std::get_if<Request>(&*message)) {
      // The rest of the batch would run before or after it, depending on its place.
      if (request->method == "initialize") {
        add(write_error(request->id,
                        {rpc_code::kInvalidRequest, "'initialize' cannot be in a batch"}));
      } else {
        auto refused = expect(*peer, *request, Era::kLegacy);
        add(refused ? refused->text
                    : answer(peer, std::move(*request), Era::kLegacy, channel).text);
      }
    } else if (const auto* notification = std::get_if<Notification>(&*message)) {
      take(*peer, *notification);
    } else {
      take(*peer, std::get<Response>(*message));
    }
  }
  if (!out.empty()) out += ']';
  return {std::move(out)};
}

void Server::take(Peer& peer, const Notification& notification) {
  if (notification.method == "notifications/cancelled") {
    if (const auto* id = json::find(notification.params, "requestId")) peer.cancel(*id);
  }
  if (notification.method == "notifications/roots/list_changed") {
    service_.roots_changed(*peer.principal());
  }
}

Manner Server::manner(const Peer& peer, const Request& request) const {
  if (request.method != "tools/call") {
    const Method* method = find(request.method);
    return {.quick = method == nullptr || method->quick};
  }
  static const json::Object none;
  const auto* tool = json::find(request.params, "name");
  if (tool == nullptr) return {.quick = true};
  const auto* arguments = json::find(request.params, "arguments");
  const bool given = arguments != nullptr && arguments->is_object();
  return service_.manner(*peer.principal(), json::text(*tool),
                         given ? arguments->get_object() : none);
}

void Server::announce_lists(Peer& peer) {
  const Offer& offer = service_.offer();
  // A kind that cannot be watched is not announced.
  if (offer.tools_change) (void)peer.subscribe(announcer_, ListKind::kTools);
  if (offer.resources_change) (void)peer.subscribe(announcer_, ListKind::kResources);
  if (offer.prompts_change) (void)peer.subscribe(announcer_, ListKind::kPrompts);
}

}  // namespace cairn::mcp
