#include "exposure/mcp/bridge/courier.h"

#include <utility>

#include "base/pause.h"
#include "exposure/mcp/meta.h"
#include "exposure/mcp/peer.h"

namespace cairn::mcp {
namespace {

// The first try and three repairs; each of these waits by itself.
constexpr int kMaxAttempts = 4;
constexpr int kMaxEmptyReturns = 10;
// A listen that ends sooner than this, so often, is not begun again.
constexpr std::chrono::seconds kQuick{5};
constexpr int kMaxQuickEnds = 5;
constexpr std::chrono::milliseconds kListenPause{50};

Result<json::Value> parse_message(std::string_view text) {
  // Deeper than servers send: a message that is only passed on is not judged here.
  return json::parse(text, {.max_depth = 1000});
}

}  // namespace

void Courier::carry_out(Forwarded& call) {
  auto link = links_.current();
  int quick_ends = 0;
  for (int attempt = 1;; ++attempt) {
    const auto begun = std::chrono::steady_clock::now();
    const auto trouble = try_once(call, link);
    // Nobody waits for an answer.
    if (!trouble || call.cancelled() || call.stopping().stop_requested()) return;
    // A subscription is begun again as often as it ends, since it may run for days; other requests
    // only a few times.
    if (call.is_listen() && call.acknowledged && trouble->again) {
      const bool quick = std::chrono::steady_clock::now() - begun < kQuick;
      quick_ends = quick ? quick_ends + 1 : 0;
      if (!come_back(call, quick_ends)) return;
    } else if (!trouble->again || attempt == kMaxAttempts) {
      return answer(call, write_error(call.id(), trouble->error));
    }
    if (!trouble->repair) {
      link = links_.current();
      continue;
    }
    auto repaired = links_.repair(link, *trouble->repair, call.stopping());
    if (!repaired) {
      return answer(call, write_error(call.id(), {rpc_code::kInternal, repaired.error().message}));
    }
    link = std::move(*repaired);
  }
}

std::optional<Courier::Trouble> Courier::try_once(Forwarded& call, const LinkPtr& link) {
  const auto take_one = [&](std::string_view text) { take(call, link, text); };
  auto sent = link->upstream->send(
      {.body = call.text(), .headers = call.headers(*link), .stop = call.stopping()}, take_one);
  sent = fetch_rest(call, link, std::move(sent));
  // Kept back until now: the session has to be known before the client sends the next message.
  if (call.is_initialize() && sent && call.last_word) {
    auto answered = parse_message(*call.last_word);
    links_.opened(link, call.text(), answered->get_object()["result"].as_object(), sent->session);
    answer(call, *std::exchange(call.last_word, {}));
  }
  if (call.answered) return std::nullopt;
  if (sent && call.is_batch() && sent->status == 202) return std::nullopt;
  const bool session_gone = sent && sent->status == 404 && link->session && !call.is_initialize() &&
                            call.era() == Era::kLegacy;
  // 503 is a server on its way up or down.
  if (sent && sent->status >= 300 && sent->status != 503 && !session_gone &&
      pass_on_refusal(call, *sent)) {
    return std::nullopt;
  }
  auto trouble = explain(call, link, sent);
  if (session_gone) {
    trouble.again = true;
    trouble.repair = Links::Trouble::kSessionGone;
  }
  return trouble;
}

// Legacy: a stream that ended before the answer can be gone on with.
Courier::Sent Courier::fetch_rest(Forwarded& call, const LinkPtr& link, Sent sent) {
  if (call.era() != Era::kLegacy) return sent;
  for (int empty = 0; empty < kMaxEmptyReturns;) {
    if (!sent || sent->status >= 300 || sent->last_event_id.empty() || call.answered) return sent;
    if (!pause(sent->retry, call.stopping())) return sent;
    auto headers = link->headers();
    headers.emplace_back("Last-Event-ID", sent->last_event_id);
    bool heard = false;
    auto rest = link->upstream->send(
        {.method = http::Method::kGet, .headers = std::move(headers), .stop = call.stopping()},
        [&](std::string_view text) {
          heard = true;
          take(call, link, text);
        });
    // However that fails, the request itself was sent.
    if (!rest) return std::unexpected(Upstream::Failed{rest.error().error, true});
    if (rest->status >= 300) return sent;
    if (rest->last_event_id.empty()) rest->last_event_id = sent->last_event_id;
    empty = heard ? 0 : empty + 1;
    sent = std::move(rest);
  }
  return sent;
}

Courier::Trouble Courier::explain(const Forwarded& call, const LinkPtr& link,
                                  const Sent& sent) const {
  const auto& upstream = *link->upstream;
  // It never left this process, so sending it again is harmless.
  if (!sent && !sent.error().sent) {
    return {.error = {rpc_code::kInternal, sent.error().error.message},
            // Nobody is let in by waiting.
            .again = sent.error().error.code != Code::kInvalidToken,
            .repair = Links::Trouble::kUnreachable};
  }
  if (sent && sent->status >= 300) {
    Trouble refused{.error = {rpc_code::kInternal, describe_refusal(upstream, *sent),
                              json::Object{{"httpStatus", sent->status}}}};
    if (sent->status == 503) {
      refused.again = true;
      refused.repair = Links::Trouble::kUnreachable;
    }
    return refused;
  }
  auto message = fmt::format("the server at {} went away before it answered", upstream.name());
  if (!sent) message += ": " + sent.error().error.message;
  if (!call.is_harmless()) message += "; whether it was done is not known: look before you repeat";
  // Sent, and no answer: only a request that changes nothing may be repeated.
  return {.error = {rpc_code::kInternal, std::move(message)}, .again = call.is_harmless()};
}

// A refusal that is an answer already.
bool Courier::pass_on_refusal(Forwarded& call, const Upstream::Outcome& outcome) {
  auto value = parse_message(outcome.body);
  if (!value || !value->is_object()) return false;
  auto& object = value->get_object();
  const auto* error = json::find(object, "error");
  if (!object.contains("jsonrpc") || error == nullptr || !error->is_object()) return false;
  // An error before the request could be read has no id.
  object["id"] = call.id();
  answer(call, json::write(*value));
  return true;
}

bool Courier::come_back(Forwarded& call, int quick_ends) {
  if (quick_ends < kMaxQuickEnds) return pause(kListenPause * (1 << quick_ends), call.stopping());
  answer(call,
         call.last_word.value_or(write_error(
             call.id(), {rpc_code::kInternal, "the server ends this subscription each time"})));
  return false;
}

void Courier::take(Forwarded& call, const LinkPtr& link, std::string_view text) {
  // Its client has forgotten it.
  if (call.cancelled()) return;
  auto value = parse_message(text);
  if (!value) return;
  if (value->is_array() && call.is_batch()) return answer(call, one_line(text, *value));
  if (!value->is_object()) return;
  auto& message = value->get_object();
  if (!message.contains("method")) return take_answer(call, link, text, message);
  if (json::text(message["method"]) == "notifications/subscriptions/acknowledged") {
    return take_acknowledgement(call, text, message);
  }
  relay_.to_client(text, message);
}

void Courier::take_answer(Forwarded& call, const LinkPtr& /*link*/, std::string_view text,
                          json::Object& message) {
  auto line = one_line(text, message);
  const auto* id = json::find(message, "id");
  // Some servers answer a request they could not read without its id.
  if (!call.is_batch() && (id == nullptr || *id != call.id())) {
    if (id != nullptr && !id->is_null()) return;
    message["id"] = call.id();
    line = json::write(message);
  }
  const auto* result = json::find(message, "result");
  const bool done = result != nullptr && result->is_object();
  if (done && (call.is_listen() || call.is_initialize())) {
    call.last_word = std::move(line);
    return;
  }
  // Only once it succeeded.
  if (done && call.memory()) links_.remember(call.memory()->key, call.memory()->request);
  answer(call, std::move(line));
}

// After a break, what was listened to may have changed.
void Courier::take_acknowledgement(Forwarded& call, std::string_view text,
                                   const json::Object& message) {
  if (!std::exchange(call.acknowledged, true)) return relay_.to_client(text, message);
  call.last_word.reset();
  const auto* params = json::find(message, "params");
  const auto* honoured = params != nullptr && params->is_object()
                             ? json::find(params->get_object(), "notifications")
                             : nullptr;
  if (honoured == nullptr || !honoured->is_object()) return;
  const auto& kinds = honoured->get_object();
  const auto tell = [&](const Subject& subject) {
    out_.send(change_notification(subject, &call.id()));
  };
  if (kinds.contains("toolsListChanged")) tell(ListKind::kTools);
  if (kinds.contains("promptsListChanged")) tell(ListKind::kPrompts);
  if (kinds.contains("resourcesListChanged")) tell(ListKind::kResources);
  const auto* uris = json::find(kinds, "resourceSubscriptions");
  if (uris == nullptr || !uris->is_array()) return;
  for (const auto& uri : uris->get_array()) tell(std::string(json::text(uri)));
}

void Courier::answer(Forwarded& call, std::string line) {
  call.answered = true;
  if (!call.cancelled()) out_.send(std::move(line));
}

}  // namespace cairn::mcp
