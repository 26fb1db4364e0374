#include "exposure/mcp/http.h"

#include <utility>

#include "base/quote.h"
#include "exposure/mcp/meta.h"
#include "exposure/mcp/pending_answer.h"

namespace cairn::mcp {
namespace {

// How long an answer is waited for before its connection becomes a stream.
constexpr std::chrono::milliseconds kPatience{250};
// Larger ones are read into values on a worker.
constexpr std::uint64_t kSmallBody = 64 * 1024;
constexpr std::string_view kSessionHeader = "mcp-session-id";

http::Response json_response(std::string text, int status = 200) {
  http::Response out;
  out.status = status;
  out.content_type = "application/json";
  out.body = std::move(text);
  return out;
}

http::Response refuse(int status, std::string message, int code = rpc_code::kInvalidRequest,
                      const RpcId& id = nullptr) {
  auto out = json_response(write_error(id, {code, std::move(message)}), status);
  out.log_error = "BAD_REQUEST";
  return out;
}

http::Response accepted() {
  http::Response out;
  out.status = 202;
  return out;
}

http::Response stream_response(std::shared_ptr<http::EventStream> stream) {
  http::Response out;
  out.content_type = "text/event-stream";
  out.headers = {{"Cache-Control", "no-cache, no-transform"}, {"X-Accel-Buffering", "no"}};
  out.body = http::EventBody{std::move(stream)};
  out.compressible = false;
  return out;
}

http::Response answer_response(Answer answer) {
  if (answer.text.empty()) return accepted();
  return json_response(std::move(answer.text), answer.http_status);
}

// What the request's log line says of it.
void note(http::Response& response, const Principal& principal, const Request& message) {
  const auto* tool = message.method == "tools/call" ? json::find(message.params, "name") : nullptr;
  response.log_tool = tool != nullptr ? json::text(*tool) : std::string_view(message.method);
  response.log_who = principal.id();
}

bool names_modern(const http::Request& request) {
  const auto known = parse_revision(request.header("mcp-protocol-version"));
  return known && is_modern(*known);
}

}  // namespace

HttpHandler::HttpHandler(Server& server, const Clock& clock, Random& random, HttpOptions options)
    : server_(server),
      clock_(clock),
      options_(std::move(options)),
      sessions_(clock, random, options_.sessions) {
  beating_ = std::thread([this] { run_beat(); });
}

HttpHandler::~HttpHandler() {
  stop();
  beating_.join();
}

void HttpHandler::stop() {
  {
    auto stopping = stopping_.lock();
    if (std::exchange(*stopping, true)) return;
  }
  wake_.notify_all();
  end_streams([](const Live& live) { return live.kind == StreamKind::kWatch; });
  std::vector<std::shared_ptr<Peer>> late;
  {
    auto calls = calls_.lock();
    calls_done_.wait_for(calls.mutex(), options_.stop_grace, [&] { return calls->empty(); });
    late.assign(calls->begin(), calls->end());
  }
  for (const auto& peer : late) peer->cancel_all();
  end_streams([](const Live&) { return true; });
  sessions_.end_all();
}

void HttpHandler::end_streams(bool (*which)(const Live& live)) {
  std::vector<Live> ended;
  {
    auto streams = live_->lock();
    for (auto at = streams->begin(); at != streams->end();) {
      if (!which(at->second)) {
        ++at;
        continue;
      }
      ended.push_back(std::move(at->second));
      at = streams->erase(at);
    }
  }
  for (const auto& live : ended) {
    live.peer->end_listening();
    if (live.kind == StreamKind::kCall) live.peer->cancel_all();
    live.stream->close();
  }
}

http::Plan HttpHandler::begin(const http::Request& request) {
  if (auto fits = check_origin(request, options_.hosts); !fits) {
    return refuse(403, fits.error().message);
  }
  auto principal = options_.admit(request);
  if (!principal) {
    auto out = http::error_response(principal.error());
    if (out.status == 401) {
      const bool sent = !request.header("authorization").empty();
      out.headers.emplace_back(
          "WWW-Authenticate",
          sent ? "Bearer realm=\"cairn\", error=\"invalid_token\"" : "Bearer realm=\"cairn\"");
    }
    return out;
  }
  switch (request.method) {
    case http::Method::kPost:
      return post(request, std::move(*principal));
    case http::Method::kGet:
    case http::Method::kDelete:
      return of_session(request, *principal);
    case http::Method::kHead:
    case http::Method::kPut:
    case http::Method::kPatch:
    case http::Method::kOptions:
    case http::Method::kOther:
      break;
  }
  auto out = refuse(405, "MCP is spoken by POST; GET and DELETE are for sessions");
  out.headers.emplace_back("Allow", "POST, GET, DELETE");
  return out;
}

http::Plan HttpHandler::post(const http::Request& request, PrincipalPtr principal) {
  if (!is_json(request)) {
    return refuse(415, "a message comes as Content-Type: application/json");
  }
  const Accepts taken = accepts(request);
  if (!taken.json && !taken.events) {
    return refuse(406, "answers are application/json or text/event-stream; accept both");
  }
  const bool small = request.content_length && *request.content_length <= kSmallBody;
  return http::WantBody{.max_bytes = options_.max_body_bytes,
                        .where = small ? http::Where::kHere : http::Where::kWorker,
                        .answer = [this, &request, who = std::move(principal)](Bytes body) {
                          return take_body(request, who, body);
                        }};
}

http::Answer HttpHandler::take_body(const http::Request& request, const PrincipalPtr& principal,
                                    std::string_view body) {
  auto value = json::parse(body, json::kFromClients);
  if (!value) return refuse(400, value.error().message, rpc_code::kParseError);
  http::Response refusal;
  if (value->is_array()) {
    const auto session = session_of(request, principal, refusal);
    if (!session) return refusal;
    return take_batch(session, std::move(value->get_array()));
  }
  auto message = read_message(std::move(*value));
  if (!message) {
    return refuse(400, message.error().error.message, message.error().error.code,
                  message.error().id);
  }
  if (auto* asked = std::get_if<Request>(&*message)) {
    return take_request(request, principal, std::move(*asked));
  }
  // Nothing that a modern client could say about a request that is over.
  if (names_modern(request)) return accepted();
  const auto session = session_of(request, principal, refusal);
  if (!session) return refusal;
  if (const auto* notification = std::get_if<Notification>(&*message)) {
    server_.take(*session->peer(), *notification);
  } else {
    server_.take(*session->peer(), std::get<Response>(*message));
  }
  return accepted();
}

http::Answer HttpHandler::take_request(const http::Request& request, const PrincipalPtr& principal,
                                       Request message) {
  const bool modern =
      era_of(message) == Era::kModern || (names_modern(request) && message.method != "initialize");
  if (modern) return take_modern(request, principal, std::move(message));
  if (message.method == "initialize") return initialize(principal, message);
  return take_legacy(request, principal, std::move(message));
}

http::Answer HttpHandler::take_modern(const http::Request& request, const PrincipalPtr& principal,
                                      Request message) {
  const auto refuse_with = [&](const RpcError& error) {
    auto out = json_response(write_error(message.id, error), 400);
    note(out, *principal, message);
    return out;
  };
  const auto meta = read_meta(message.params);
  if (!meta && meta.error().code != rpc_code::kUnsupportedRevision) {
    return refuse_with(meta.error());
  }
  std::span<const ParamHeader> params;
  if (message.method == "tools/call") {
    if (const auto* tool = json::find(message.params, "name")) {
      params = server_.service().param_headers(*principal, json::text(*tool));
    }
  }
  if (const auto fits = check_headers(request, message, params); !fits) {
    return refuse_with(fits.error());
  }
  if (!meta) return refuse_with(meta.error());
  if (message.method == "subscriptions/listen") return listen(principal, std::move(message));
  auto peer = std::make_shared<Peer>(principal, std::make_shared<NoChannel>());
  if (const Manner manner = server_.manner(*peer, message); manner.quick && !manner.talks) {
    auto out =
        answer_response(server_.answer(peer, message, Era::kModern, std::make_shared<NoChannel>()));
    note(out, *principal, message);
    return out;
  }
  // From now on it can be cancelled.
  server_.expect(*peer, message, Era::kModern);
  return run_later(request, peer, std::move(message), Era::kModern, nullptr,
                   [peer](std::shared_ptr<http::EventStream> stream) {
                     // Who leaves has cancelled.
                     stream->on_closed([peer] { peer->cancel_all(); });
                     return std::make_shared<RequestStream>(std::move(stream));
                   });
}

http::Answer HttpHandler::listen(const PrincipalPtr& principal, Request message) {
  return http::Later{[this, principal, message = std::move(message)] {
    auto peer = std::make_shared<Peer>(principal, std::make_shared<NoChannel>());
    auto stream = open_stream(peer, StreamKind::kWatch);
    Answer refused =
        server_.answer(peer, message, Era::kModern, std::make_shared<RequestStream>(stream));
    http::Response out;
    if (refused.text.empty()) {
      stream->on_closed([peer, id = message.id] { peer->cancel(id); });
      out = stream_response(std::move(stream));
    } else {
      stream->close();
      out = answer_response(std::move(refused));
    }
    note(out, *principal, message);
    return out;
  }};
}

http::Answer HttpHandler::initialize(const PrincipalPtr& principal, const Request& message) {
  auto session = sessions_.open(principal);
  const Answer answer =
      server_.answer(session->peer(), message, Era::kLegacy, std::make_shared<NoChannel>());
  auto out = answer_response(answer);
  note(out, *principal, message);
  if (answer.http_status != 200) {
    sessions_.end(*session);
    return out;
  }
  out.headers.emplace_back("Mcp-Session-Id", session->id());
  return out;
}

http::Answer HttpHandler::take_legacy(const http::Request& request, const PrincipalPtr& principal,
                                      Request message) {
  http::Response refusal;
  const auto session = session_of(request, principal, refusal);
  if (!session) return refusal;
  const auto& peer = session->peer();
  if (auto refused = server_.expect(*peer, message, Era::kLegacy)) {
    return answer_response(std::move(*refused));
  }
  if (const Manner manner = server_.manner(*peer, message); manner.quick && !manner.talks) {
    auto out =
        answer_response(server_.answer(peer, message, Era::kLegacy, std::make_shared<NoChannel>()));
    note(out, *principal, message);
    return out;
  }
  // A session with a running call is in use.
  ++session->connections;
  std::shared_ptr<void> in_use(session.get(), [session](void*) { --session->connections; });
  return run_later(request, peer, std::move(message), Era::kLegacy, std::move(in_use),
                   [session](std::shared_ptr<http::EventStream> stream) {
                     auto sink = session->open_stream();
                     sink->attach(std::move(stream), 0);
                     return sink;
                   });
}

http::Answer HttpHandler::take_batch(const HttpSessionPtr& session, json::Array batch) {
  return http::Later{[this, session, batch = std::move(batch)] {
    return answer_response(
        server_.answer_batch(session->peer(), batch, std::make_shared<NoChannel>()));
  }};
}

http::Answer HttpHandler::run_later(const http::Request& request, std::shared_ptr<Peer> peer,
                                    Request message, Era era, std::shared_ptr<void> in_use,
                                    OpenStream open) {
  const Accepts taken = accepts(request);
  auto job = std::make_shared<Request>(std::move(message));
  if (!taken.events) {
    return http::Later{[this, era, job, peer = std::move(peer), in_use = std::move(in_use)] {
      const RunningCall call(*this, peer);
      auto out = answer_response(server_.answer(peer, *job, era, std::make_shared<NoChannel>()));
      note(out, *peer->principal(), *job);
      return out;
    }};
  }
  return http::Later{[this, taken, era, job, peer = std::move(peer), in_use = std::move(in_use),
                      open = std::move(open)] {
    auto pending = std::make_shared<PendingAnswer>();
    auto call = std::make_shared<RunningCall>(*this, peer);
    workers_.run([this, era, job, peer, pending, call = std::move(call), in_use] {
      pending->finish(server_.answer(peer, *job, era, pending));
    });
    const auto patience = taken.json ? kPatience : std::chrono::milliseconds(0);
    http::Response out;
    if (auto answer = pending->wait(patience)) {
      out = answer_response(std::move(*answer));
    } else {
      auto stream = open_stream(peer, StreamKind::kCall);
      pending->stream_to(open(stream));
      out = stream_response(std::move(stream));
    }
    note(out, *peer->principal(), *job);
    return out;
  }};
}

HttpHandler::RunningCall::RunningCall(HttpHandler& handler, std::shared_ptr<Peer> peer)
    : handler_(handler), peer_(std::move(peer)) {
  handler_.calls_.lock()->insert(peer_);
}

HttpHandler::RunningCall::~RunningCall() {
  auto calls = handler_.calls_.lock();
  calls->erase(calls->find(peer_));
  // Under the lock: whoever waits may go on to destroy the handler.
  if (calls->empty()) handler_.calls_done_.notify_all();
}

http::Plan HttpHandler::of_session(const http::Request& request, const PrincipalPtr& principal) {
  if (names_modern(request) || request.header(kSessionHeader).empty()) {
    auto out = refuse(405, "GET and DELETE are for sessions; POST a message");
    out.headers.emplace_back("Allow", "POST");
    return out;
  }
  http::Response refusal;
  const auto session = session_of(request, principal, refusal);
  if (!session) return refusal;
  if (request.method == http::Method::kGet) return get(request, session);
  return remove(*session);
}

http::Plan HttpHandler::get(const http::Request& request, const HttpSessionPtr& session) {
  if (!accepts(request).events) return refuse(406, "this is a text/event-stream; accept it");
  auto resumed = session->standalone();
  std::optional<std::uint64_t> after;
  if (const auto last = request.header("last-event-id"); !last.empty()) {
    const auto id = parse_event_id(last);
    resumed = id ? session->find_stream(id->stream) : nullptr;
    if (!resumed) return refuse(404, "this stream is over, or was never there");
    after = id->event;
  }
  return http::Later{[this, session, resumed, after] {
    server_.announce_lists(*session->peer());
    const bool of_call = resumed != session->standalone();
    auto stream = open_stream(session->peer(), of_call ? StreamKind::kCall : StreamKind::kWatch);
    ++session->connections;
    stream->on_closed([session, &clock = clock_] {
      session->last_used = clock.now();
      --session->connections;
    });
    resumed->attach(stream, after);
    auto out = stream_response(std::move(stream));
    out.log_who = session->owner();
    return out;
  }};
}

http::Response HttpHandler::remove(const HttpSession& session) {
  sessions_.end(session);
  http::Response out;
  out.status = 204;
  return out;
}

HttpSessionPtr HttpHandler::session_of(const http::Request& request, const PrincipalPtr& principal,
                                       http::Response& refusal) {
  const auto revision = request.header("mcp-protocol-version");
  if (!revision.empty() && !parse_revision(revision)) {
    refusal = refuse(400, fmt::format("protocol version '{}' is not supported", shown(revision)));
    return nullptr;
  }
  const auto id = request.header(kSessionHeader);
  if (id.empty()) {
    refusal = refuse(400,
                     "the header Mcp-Session-Id is missing: send 'initialize' first, or a request "
                     "of protocol version 2026-07-28, which needs no session");
    return nullptr;
  }
  auto session = sessions_.find(id, principal);
  if (!session) refusal = refuse(404, "this session is over; send 'initialize' for a new one");
  return session;
}

std::shared_ptr<http::EventStream> HttpHandler::open_stream(std::shared_ptr<Peer> peer,
                                                            StreamKind kind) {
  auto stream =
      http::EventStream::make(kind == StreamKind::kWatch ? kMaxPendingNews : kMaxPendingBytes);
  const auto* key = stream.get();
  (*live_->lock())[key] = {stream, std::move(peer), kind};
  // The stream may outlive this handler by a little.
  stream->on_closed([key, weak = std::weak_ptr(live_)] {
    if (const auto live = weak.lock()) {
      // Destroyed when the lock is free again.
      const auto gone = live->lock()->extract(key);
    }
  });
  return stream;
}

void HttpHandler::run_beat() {
  for (;;) {
    {
      auto stopping = stopping_.lock();
      wake_.wait_for(stopping.mutex(), options_.heartbeat, [&] { return *stopping; });
      if (*stopping) return;
    }
    beat();
  }
}

void HttpHandler::beat() {
  std::vector<Live> streams;
  {
    auto live = live_->lock();
    for (const auto& [key, one] : *live) streams.push_back(one);
  }
  for (const auto& one : streams) {
    if (server_.service().still_valid(*one.peer->principal())) {
      one.stream->push(": still here\n\n");
    } else {
      one.stream->close();
    }
  }
  sessions_.sweep();
}

}  // namespace cairn::mcp
