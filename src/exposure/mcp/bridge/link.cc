#include "exposure/mcp/bridge/link.h"

#include <algorithm>
#include <thread>

#include "base/pause.h"
#include "base/quote.h"
#include "exposure/mcp/peer.h"
#include "exposure/mcp/rpc.h"

namespace cairn::mcp {
namespace {

// The first try comes soon, for a server that only restarts; the next ones further and further
// apart, to spare one that is down.
constexpr std::chrono::milliseconds kFirstPause{50};
constexpr std::chrono::milliseconds kLongestPause{2000};
// The client has left; its process should not hang on for a server that is slow to say goodbye.
constexpr std::chrono::seconds kFarewell{2};
constexpr std::string_view kSubscribe = "resources/subscribe ";

bool declares_changes(const json::Object& capabilities, std::string_view list) {
  const auto* one = json::find(capabilities, list);
  const auto* changes =
      one != nullptr && one->is_object() ? json::find(one->get_object(), "listChanged") : nullptr;
  return changes != nullptr && changes->is_bool() && changes->get_bool();
}

// The server's own words for an error: Cairn's REST errors and those of JSON-RPC have `message` in
// different places.
std::string complaint(const Bytes& body) {
  const auto value = json::parse(body);
  const auto* object = value ? value->if_object() : nullptr;
  if (object == nullptr) return {};
  const auto* error = json::find(*object, "error");
  if (error != nullptr && error->is_object()) object = &error->get_object();
  const auto* message = json::find(*object, "message");
  return message == nullptr ? std::string() : shown(json::text(*message), 500);
}

}  // namespace

std::string describe_refusal(const Upstream& upstream, const Upstream::Outcome& outcome) {
  auto what = fmt::format("answered {}", outcome.status);
  if (outcome.status == 401) what = "refused the token (401)";
  if (outcome.status == 403) what = "did not allow it (403)";
  if (outcome.status == 413) what = "found it too large (413)";
  const auto why = complaint(outcome.body);
  return fmt::format("the server at {} {}{}{}", upstream.name(), what, why.empty() ? "" : ": ",
                     why);
}

Error refusal(const Upstream& upstream, const Upstream::Outcome& outcome) {
  const auto value = json::parse(outcome.body);
  const auto* object = value ? value->if_object() : nullptr;
  const auto* named = object == nullptr ? nullptr : json::find(*object, "error");
  const auto codes = all_codes();
  const auto known = named == nullptr
                         // A name that this version does not know says nothing that could be relied
                         // on.
                         ? codes.end()
                         : std::ranges::find(codes, json::text(*named), &CodeInfo::name);
  return Error(known == codes.end() ? Code::kUnavailable : known->code,
               describe_refusal(upstream, outcome));
}

Headers Link::headers() const {
  if (!session) return {};
  Headers out{{"MCP-Protocol-Version", session->revision}};
  if (!session->id.empty()) out.emplace_back("Mcp-Session-Id", session->id);
  return out;
}

Links::Links(const BridgeOptions& options, std::shared_ptr<Upstream> upstream, Channel& out)
    : options_(options), out_(out) {
  state_.lock()->link = std::make_shared<Link>(std::move(upstream));
}

void Links::opened(const LinkPtr& link, std::string initialize, const json::Object& result,
                   std::string session) {
  const auto* revision = json::find(result, "protocolVersion");
  const auto* capabilities = json::find(result, "capabilities");
  auto state = state_.lock();
  state->handshake = Handshake{.initialize = std::move(initialize), .capabilities = {}};
  if (capabilities != nullptr && capabilities->is_object()) {
    state->handshake->capabilities = capabilities->get_object();
  }
  // A new object in place of the old one: whoever still holds the old link goes on with it
  // undisturbed, and sees by comparing that it has been replaced.
  state->link = std::make_shared<Link>(
      link->upstream,
      LegacySession{.id = std::move(session),
                    .revision = std::string(revision == nullptr ? "" : json::text(*revision))});
}

void Links::ready() {
  {
    auto state = state_.lock();
    if (state->handshake) state->handshake->ready = true;
  }
  changed_.notify_all();
}

LinkPtr Links::wait_for_session(const LinkPtr& other, const std::stop_token& stop) {
  auto state = state_.lock();
  changed_.wait(state.mutex(), stop, [&] {
    return state->handshake && state->handshake->ready && state->link != other;
  });
  return stop.stop_requested() ? nullptr : state->link;
}

void Links::wait_with(const LinkPtr& link, std::chrono::milliseconds time,
                      const std::stop_token& stop) {
  auto state = state_.lock();
  changed_.wait_for(state.mutex(), stop, time, [&] { return state->link != link; });
}

void Links::remember(const std::string& key, std::string request) {
  auto state = state_.lock();
  if (request.empty()) {
    state->remembered.erase(key);
  } else {
    state->remembered.insert_or_assign(key, std::move(request));
  }
}

Result<LinkPtr> Links::repair(const LinkPtr& failed, Trouble trouble, const std::stop_token& stop) {
  const MutexLock one_at_a_time(repairing_);
  // Many requests fail together when a server goes down. The first repairs; the others find its
  // link here.
  if (auto link = current(); link != failed) return link;
  if (stop.stop_requested()) return fail(Code::kUnavailable, "the client has left");
  const auto until = std::chrono::steady_clock::now() + options_.patience;
  auto wait = kFirstPause;
  auto upstream = failed->upstream;
  for (;;) {
    // A session that is gone says nothing against the server: it stays the same one.
    if (trouble == Trouble::kUnreachable) upstream = TRY(find_server(failed, stop));
    auto link = make_link(upstream, stop);
    if (link) return link;
    const bool over = std::chrono::steady_clock::now() + wait > until;
    // Any other code is an answer, which waiting does not change: a wrong token, for one.
    if (link.error().code != Code::kUnavailable || over || !pause(wait, stop)) return link;
    // From now on the server is looked up anew before each try.
    trouble = Trouble::kUnreachable;
    wait = std::min(wait * 2, kLongestPause);
  }
}

Result<std::shared_ptr<Upstream>> Links::find_server(const LinkPtr& failed,
                                                     const std::stop_token& stop) {
  // With `reconnect` the server may have come back at another address or with another token.
  if (!options_.reconnect || stop.stop_requested()) return failed->upstream;
  return Upstream::open(TRY(options_.reconnect()), options_.headers, options_.client);
}

Result<LinkPtr> Links::make_link(std::shared_ptr<Upstream> upstream, const std::stop_token& stop) {
  TRY(upstream->reach(stop));
  // A copy, so that no lock is held while the server is talked to.
  const State before = *state_.lock();
  auto link = std::make_shared<Link>(upstream);
  if (before.handshake) {
    link->session = TRY(greet(*upstream, before.handshake->initialize, stop));
    std::vector<std::string> messages;
    if (before.handshake->ready) {
      messages.push_back(write_notification("notifications/initialized", {}));
    }
    // Subscriptions and the log level live in the server's session, and that one is new.
    for (const auto& [key, request] : before.remembered) messages.push_back(request);
    for (const auto& message : messages) {
      const auto done =
          upstream->send({.body = message, .headers = link->headers(), .stop = stop}, [](auto) {});
      if (!done) return Failure(done.error().error);
    }
  }
  // Only now: until everything was repeated, other threads must not send on a session that knows
  // nothing.
  state_.lock()->link = link;
  changed_.notify_all();
  // After the link is there, since the client will ask at once for what is said to have changed.
  if (before.handshake && before.handshake->ready) tell_missed(before.handshake->capabilities);
  return link;
}

Result<LegacySession> Links::greet(Upstream& upstream, const std::string& initialize,
                                   const std::stop_token& stop) {
  std::string revision;
  const auto take = [&](std::string_view message) {
    const auto value = json::parse(message);
    const auto* object = value ? value->if_object() : nullptr;
    const auto* result = object == nullptr ? nullptr : json::find(*object, "result");
    if (result == nullptr || !result->is_object()) return;
    const auto* settled = json::find(result->get_object(), "protocolVersion");
    if (settled != nullptr) revision = json::text(*settled);
  };
  auto outcome = upstream.send({.body = initialize, .stop = stop}, take);
  if (!outcome) return Failure(std::move(outcome.error().error));
  // A server that is starting or going down; worth another try.
  if (outcome->status >= 500) {
    return fail(Code::kUnavailable, "{}", describe_refusal(upstream, *outcome));
  }
  if (revision.empty()) {
    return fail(Code::kForbidden, "a new session could not be opened: {}",
                describe_refusal(upstream, *outcome));
  }
  return LegacySession{.id = outcome->session, .revision = std::move(revision)};
}

void Links::tell_missed(const json::Object& capabilities) {
  for (const auto kind : {ListKind::kTools, ListKind::kPrompts, ListKind::kResources}) {
    const std::string_view list = kind == ListKind::kTools     ? "tools"
                                  : kind == ListKind::kPrompts ? "prompts"
                                                               : "resources";
    if (declares_changes(capabilities, list)) out_.send(change_notification(kind));
  }
  std::vector<std::string> keys;
  {
    auto state = state_.lock();
    for (const auto& [key, request] : state->remembered) keys.push_back(key);
  }
  for (const auto& key : keys) {
    // Of the other remembered requests (the log level) nothing can be missed.
    if (key.starts_with(kSubscribe)) {
      out_.send(change_notification(key.substr(kSubscribe.size())));
    }
  }
}

void Links::end() {
  const auto link = current();
  // Nothing to end: the server keeps no session, or there never was one.
  if (!link->session || link->session->id.empty()) return;
  std::stop_source late;
  const std::jthread timer([&](const std::stop_token& done) {
    if (pause(kFarewell, done)) late.request_stop();
  });
  (void)link->upstream->send(
      {.method = http::Method::kDelete, .headers = link->headers(), .stop = late.get_token()},
      [](auto) {});
}

}  // namespace cairn::mcp
