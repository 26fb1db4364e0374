#include "exposure/mcp/peer.h"

#include <utility>

#include "base/result.h"
#include "exposure/mcp/meta.h"

namespace cairn::mcp {
namespace {

// A person may have to be asked.
constexpr std::chrono::minutes kAnswerTime{10};
constexpr std::size_t kMostSubscriptions = 256;
constexpr std::size_t kMostRunning = 1000;

}  // namespace

RpcError id_in_use() {
  return {rpc_code::kInvalidRequest, "a request with this id is still being carried out"};
}

Peer::Peer(PrincipalPtr principal, std::shared_ptr<Channel> channel)
    : principal_(std::move(principal)), channel_(std::move(channel)) {}

bool Peer::shake_hands(Handshake handshake) {
  auto current = handshake_.lock();
  if (*current) return false;
  *current = std::make_shared<const Handshake>(std::move(handshake));
  return true;
}

Rpc<void> Peer::expect(const RpcId& id) {
  const auto key = key_of(id);
  // A listening request is answered only when it ends, so its id stays in use.
  if (listening_.lock()->contains(key)) return std::unexpected(id_in_use());
  auto running = running_.lock();
  if (running->size() >= kMostRunning) {
    return rpc_fail(
        rpc_code::kInvalidRequest,
        fmt::format("{} requests of yours are being carried out; wait for some", kMostRunning));
  }
  if (!running->try_emplace(key).second) return std::unexpected(id_in_use());
  return {};
}

std::optional<std::stop_token> Peer::begin(const RpcId& id) {
  auto running = running_.lock();
  // Inserted here when nobody expected it: a transport that runs requests at once need not.
  Running& one = running->try_emplace(key_of(id)).first->second;
  if (std::exchange(one.begun, true)) return std::nullopt;
  return one.stop.get_token();
}

bool Peer::end(const RpcId& id) {
  auto running = running_.lock();
  const auto found = running->find(key_of(id));
  // Nobody would take the answer.
  if (found == running->end()) return true;
  const bool cancelled = found->second.stop.stop_requested();
  running->erase(found);
  return cancelled;
}

void Peer::cancel(const RpcId& id) {
  std::optional<std::stop_source> source;
  {
    auto running = running_.lock();
    if (const auto found = running->find(key_of(id)); found != running->end()) {
      source = found->second.stop;
    }
  }
  // Outside the lock: it calls whoever waits for it.
  if (source) source->request_stop();
  std::shared_ptr<Listening> ended;
  {
    auto listening = listening_.lock();
    const auto found = listening->find(key_of(id));
    if (found == listening->end()) return;
    ended = std::move(found->second);
    listening->erase(found);
  }
  ended->end(nullptr);
}

void Peer::cancel_all() {
  std::vector<std::stop_source> sources;
  {
    auto running = running_.lock();
    for (const auto& [id, one] : *running) sources.push_back(one.stop);
  }
  for (auto& source : sources) source.request_stop();
}

Rpc<json::Object> Peer::ask(Channel& channel, std::string_view method, const json::Object& params,
                            const std::stop_token& stop) {
  std::string id;
  {
    auto questions = questions_.lock();
    id = fmt::format("cairn-{}", questions->next++);
    questions->open.try_emplace(id);
  }
  // Without the lock: the answer may come while it is being sent.
  const bool sent = channel.send(write_request(RpcId(id), method, params));
  auto questions = questions_.lock();
  if (sent) {
    answered_.wait_for(questions.mutex(), stop, kAnswerTime,
                       [&] { return questions->over || questions->open[id].outcome; });
  }
  // Also when nobody answered: a late answer then finds no question and is dropped.
  auto asked = questions->open.extract(id);
  if (auto& outcome = asked.mapped().outcome) return std::move(*outcome);
  return rpc_fail(rpc_code::kInternal,
                  fmt::format("the client did not answer '{}'", std::string(method)));
}

void Peer::answered(const Response& response) {
  {
    auto questions = questions_.lock();
    const auto found = questions->open.find(std::string(json::text(response.id)));
    if (found == questions->open.end()) return;
    found->second.outcome = response.outcome;
  }
  answered_.notify_all();
}

void Peer::cancel_questions() {
  questions_.lock()->over = true;
  answered_.notify_all();
}

Rpc<void> Peer::subscribe(Announcer& announcer, const Subject& subject) {
  {
    auto subscriptions = subscriptions_.lock();
    if (subscriptions->contains(subject)) return {};
    if (subscriptions->size() >= kMostSubscriptions) {
      return rpc_fail(rpc_code::kInvalidParams,
                      fmt::format("a client has at most {} subscriptions; end some, or subscribe "
                                  "to a depot instead of its files",
                                  kMostSubscriptions));
    }
  }
  auto subscription = TRY(announcer.subscribe(weak_from_this(), subject));
  // One that was made meanwhile stays: it may have something to tell.
  subscriptions_.lock()->emplace(subject, std::move(subscription));
  return {};
}

void Peer::unsubscribe(const Subject& subject) { subscriptions_.lock()->erase(subject); }

// Destroyed when the lock is free again: ending a subscription takes the announcer's lock.
void Peer::unsubscribe_all() { const auto gone = std::exchange(*subscriptions_.lock(), {}); }

void Peer::tell(const Subject& subject) { channel_->send(change_notification(subject)); }

void Peer::listen(const RpcId& id, std::shared_ptr<Listening> listening) {
  (*listening_.lock())[key_of(id)] = std::move(listening);
}

void Peer::end_listening() {
  auto ended = std::exchange(*listening_.lock(), {});
  for (auto& [id, listening] : ended) {
    const json::Object result{{"resultType", "complete"},
                              {"_meta", json::Object{{meta::kSubscriptionId, listening->id()}}}};
    listening->end(&result);
  }
}

bool Peer::Listening::add(Announcer& announcer, const Subject& subject) {
  auto subscription = announcer.subscribe(weak_from_this(), subject);
  if (!subscription) return false;
  subscriptions_.lock()->push_back(std::move(*subscription));
  return true;
}

void Peer::Listening::tell(const Subject& subject) {
  auto message = change_notification(subject, &id_);
  auto said = said_.lock();
  if (ended_) return;
  if (said->begun) {
    channel_->send(std::move(message));
    // Before the acknowledgement, which has to be the first message of the stream.
  } else {
    said->early.push_back(std::move(message));
  }
}

void Peer::Listening::begin(std::string acknowledgement) {
  auto said = said_.lock();
  channel_->send(std::move(acknowledgement));
  for (auto& message : said->early) channel_->send(std::move(message));
  said->early.clear();
  said->begun = true;
}

void Peer::Listening::end(const json::Object* result) {
  // Ended twice when the client cancels while the server stops.
  if (ended_.exchange(true)) return;
  if (result != nullptr) {
    // After what is being said just now.
    auto said = said_.lock();
    channel_->send(write_result(id_, *result));
  }
  subscriptions_.lock()->clear();
}

std::string change_notification(const Subject& subject, const RpcId* subscription) {
  json::Object params;
  std::string_view method = "notifications/resources/updated";
  if (const auto* kind = std::get_if<ListKind>(&subject)) {
    switch (*kind) {
      case ListKind::kTools:
        method = "notifications/tools/list_changed";
        break;
      case ListKind::kResources:
        method = "notifications/resources/list_changed";
        break;
      case ListKind::kPrompts:
        method = "notifications/prompts/list_changed";
        break;
    }
  } else {
    params["uri"] = std::get<std::string>(subject);
  }
  if (subscription != nullptr) {
    params["_meta"] = json::Object{{meta::kSubscriptionId, *subscription}};
  }
  return write_notification(method, params);
}

}  // namespace cairn::mcp
