#include "exposure/mcp/http.h"

#include <utility>

#include "base/quote.h"
#include "exposure/mcp/pending_answer.h"

namespace cairn::mcp {
namespace {

// How long an answer is waited for before its connection becomes a stream.
constexpr std::chrono::milliseconds kPatience{250};
constexpr std::string_view kSessionHeader = "mcp-session-id";

bool names_modern(const http::Request& request) {
  const auto known = parse_revision(request.header("mcp-protocol-version"));
  return known && is_modern(*known);
}

}  // namespace

std::shared_ptr<Workers> mcp_workers() { return std::make_shared<Workers>(64U, "mcp-worker"); }

// A request that runs on a worker, known to the handler while it lives, so that stop() can wait for
// it.
class HttpHandler::RunningCall final : public PendingAnswer,
                                       public std::enable_shared_from_this<RunningCall> {
 public:
  // Without a session it is of the modern era. A session with a running call is in use.
  RunningCall(HttpHandler& handler, HttpCallPtr call, std::shared_ptr<Peer> peer,
              HttpSessionPtr session);
  ~RunningCall() override;
  RunningCall(const RunningCall&) = delete;
  RunningCall& operator=(const RunningCall&) = delete;

  void begin(std::unique_ptr<http::Responder> responder) override;
  void left() override;

 private:
  Stream open() override;
  std::shared_ptr<EventSink> sink_for(std::shared_ptr<http::EventStream> stream);
  http::Response whole(Answer answer) override;

  HttpHandler& handler_;
  const HttpCallPtr call_;
  const std::shared_ptr<Peer> peer_;
  const HttpSessionPtr session_;
};

HttpHandler::HttpHandler(Server& server, const Clock& clock, Random& random, HttpOptions options)
    : server_(server),
      clock_(clock),
      options_(std::move(options)),
      sessions_(clock, random, options_.sessions),
      workers_(options_.workers ? options_.workers : mcp_workers()) {
  beating_ = std::thread([this] { run_beat(); });
}

HttpHandler::~HttpHandler() {
  stop();
  beating_.join();
  // The threads may be others' too: what runs for this handler has to end first.
  auto calls = calls_.lock();
  calls_done_.wait(calls.mutex(), [&] { return calls->empty(); });
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
  Share share = principal->share();
  return http::WantBody{
      .max_bytes = options_.max_body_bytes,
      .where = http::fits_here(request) ? http::Where::kHere : http::Where::kWorker,
      .answer = [this, &request, who = std::move(principal),
                 taken](const Bytes& body) { return take_body(request, who, taken, body); },
      .share = share};
}

http::Answer HttpHandler::take_body(const http::Request& request, const PrincipalPtr& principal,
                                    Accepts accepts, std::string_view body) {
  auto value = json::parse(body, json::kFromClients);
  if (!value) return refuse(400, value.error().message, rpc_code::kParseError);
  http::Response refusal;
  if (value->is_array()) {
    // Only legacy revisions have batches, so there has to be a session.
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
    return take_request(request, std::make_unique<HttpCall>(principal, accepts, std::move(*asked)));
  }
  // Modern clients have no session to notify or to answer in; whatever they send here is about a
  // request that is over.
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

http::Answer HttpHandler::take_request(const http::Request& request, HttpCallPtr call) {
  const bool greets = call->message.method == "initialize";
  // `initialize` is legacy whatever the header says: it opens a legacy session.
  const bool modern = era_of(call->message) == Era::kModern || (names_modern(request) && !greets);
  if (modern) return take_modern(request, std::move(call));
  if (greets) return initialize(*call);
  return take_legacy(request, std::move(call));
}

http::Answer HttpHandler::take_modern(const http::Request& request, HttpCallPtr call) {
  const auto meta = read_meta(call->message.params);
  // An unknown revision is reported last: the other errors can be explained in any revision.
  if (!meta && meta.error().code != rpc_code::kUnsupportedRevision) {
    return refuse(*call, meta.error());
  }
  if (const auto fits = check_headers(request, call->message, param_headers(*call)); !fits) {
    return refuse(*call, fits.error());
  }
  if (!meta) return refuse(*call, meta.error());
  call->meta = *meta;
  if (call->message.method == "subscriptions/listen") return listen(std::move(call));
  auto peer = std::make_shared<Peer>(call->principal, nowhere_);
  if (auto answer = answer_quickly(peer, *call)) return std::move(*answer);
  Share share = call->principal->share();
  // From now on it can be cancelled.
  server_.expect(*peer, call->message, Era::kModern);
  return http::Deferred{
      std::make_shared<RunningCall>(*this, std::move(call), std::move(peer), nullptr), kPatience,
      share};
}

std::span<const ParamHeader> HttpHandler::param_headers(const HttpCall& call) {
  if (call.message.method != "tools/call") return {};
  return server_.service().param_headers(*call.principal, call.subject);
}

http::Answer HttpHandler::listen(std::shared_ptr<HttpCall> call) {
  return http::Later{[this, call = std::move(call)] {
    auto peer = std::make_shared<Peer>(call->principal, nowhere_);
    auto stream = open_stream(peer, StreamKind::kWatch);
    Answer refused = carry_out(peer, *call, std::make_shared<RequestStream>(stream));
    http::Response out;
    if (refused.text.empty()) {
      stream->on_closed([peer, id = call->message.id] { peer->cancel(id); });
      out = stream_response(std::move(stream));
    } else {
      stream->close();
      out = answer_response(std::move(refused));
    }
    return logged(std::move(out), *call);
  }};
}

http::Answer HttpHandler::initialize(HttpCall& call) {
  // A session of its own before the answer: the handshake is stored in its peer.
  auto session = sessions_.open(call.principal);
  Answer answer = carry_out(session->peer(), call, nowhere_);
  const bool greeted = answer.http_status == 200;
  auto out = logged(answer_response(std::move(answer)), call);
  if (greeted) {
    out.headers.emplace_back("Mcp-Session-Id", session->id());
  } else {
    sessions_.end(*session);
  }
  return out;
}

http::Answer HttpHandler::take_legacy(const http::Request& request, HttpCallPtr call) {
  http::Response refusal;
  const auto session = session_of(request, call->principal, refusal);
  if (!session) return refusal;
  const auto& peer = session->peer();
  if (auto refused = server_.expect(*peer, call->message, Era::kLegacy)) {
    return answer_response(std::move(*refused));
  }
  if (auto answer = answer_quickly(peer, *call)) return std::move(*answer);
  Share share = call->principal->share();
  return http::Deferred{std::make_shared<RunningCall>(*this, std::move(call), peer, session),
                        kPatience, std::move(share)};
}

http::Answer HttpHandler::take_batch(const HttpSessionPtr& session, json::Array batch) {
  return http::Later{[this, session, batch = std::move(batch)]() mutable {
    return answer_response(server_.answer_batch(session->peer(), std::move(batch), nowhere_));
  }};
}

std::optional<http::Response> HttpHandler::answer_quickly(const std::shared_ptr<Peer>& peer,
                                                          HttpCall& call) {
  const Manner manner = server_.manner(*peer, call.message);
  // A tool that talks needs a stream; one that may take long must not hold up the io thread.
  if (!manner.quick || manner.talks) return std::nullopt;
  return logged(answer_response(carry_out(peer, call, nowhere_)), call);
}

Answer HttpHandler::carry_out(const std::shared_ptr<Peer>& peer, HttpCall& call,
                              std::shared_ptr<Channel> channel) {
  if (!call.meta) {
    return server_.answer(peer, std::move(call.message), Era::kLegacy, std::move(channel));
  }
  return server_.answer(peer, std::move(call.message), *call.meta, std::move(channel));
}

HttpHandler::RunningCall::RunningCall(HttpHandler& handler, HttpCallPtr call,
                                      std::shared_ptr<Peer> peer, HttpSessionPtr session)
    : handler_(handler),
      call_(std::move(call)),
      peer_(std::move(peer)),
      session_(std::move(session)) {
  if (session_) ++session_->connections;
  handler_.calls_.lock()->insert(peer_);
}

HttpHandler::RunningCall::~RunningCall() {
  if (session_) --session_->connections;
  auto calls = handler_.calls_.lock();
  calls->erase(calls->find(peer_));
  // Under the lock: whoever waits may go on to destroy the handler.
  if (calls->empty()) handler_.calls_done_.notify_all();
}

void HttpHandler::RunningCall::begin(std::unique_ptr<http::Responder> responder) {
  PendingAnswer::begin(std::move(responder));
  // For a client that does not take JSON it is a stream from the beginning.
  if (!call_->accepts.json) late();
  // The worker keeps this object alive; the server does not (http.h).
  handler_.workers_->run(call_->principal->share(), [self = shared_from_this()] {
    self->finish(self->handler_.carry_out(self->peer_, *self->call_, self));
  });
}

// A modern client that leaves has cancelled; a legacy one may come back.
void HttpHandler::RunningCall::left() {
  if (!session_) peer_->cancel_all();
}

PendingAnswer::Stream HttpHandler::RunningCall::open() {
  if (!call_->accepts.events) return {};
  auto stream = handler_.open_stream(peer_, StreamKind::kCall);
  auto sink = sink_for(stream);
  return {logged(stream_response(std::move(stream)), *call_), std::move(sink)};
}

std::shared_ptr<EventSink> HttpHandler::RunningCall::sink_for(
    std::shared_ptr<http::EventStream> stream) {
  if (session_) {
    // Numbered and kept, so that a client which comes back gets what it missed.
    auto sink = session_->open_stream();
    sink->attach(std::move(stream), 0);
    return sink;
  }
  stream->on_closed([peer = peer_] { peer->cancel_all(); });
  return std::make_shared<RequestStream>(std::move(stream));
}

http::Response HttpHandler::RunningCall::whole(Answer answer) {
  return logged(answer_response(std::move(answer)), *call_);
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
  // Without Last-Event-ID it is the stream beside all requests.
  auto resumed = session->standalone();
  std::optional<std::uint64_t> after;
  if (const auto last = request.header("last-event-id"); !last.empty()) {
    const auto id = parse_event_id(last);
    resumed = id ? session->find_stream(id->stream) : nullptr;
    if (!resumed) return refuse(404, "this stream is over, or was never there");
    after = id->event;
  }
  auto open = [this, session, resumed, after] {
    server_.announce_lists(*session->peer());
    const bool of_call = resumed != session->standalone();
    auto stream = open_stream(session->peer(), of_call ? StreamKind::kCall : StreamKind::kWatch);
    ++session->connections;
    // Not `this`: the stream may outlive the handler by a little; the clock outlives both.
    stream->on_closed([session, &clock = clock_] {
      session->last_used = clock.now();
      --session->connections;
    });
    resumed->attach(stream, after);
    auto out = stream_response(std::move(stream));
    out.log_who = session->owner();
    return out;
  };
  return http::Later{std::move(open), session->peer()->principal()->share()};
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
  // 404 is what tells a legacy client to begin again with `initialize`.
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
  // Copied: pushing may close a stream, which takes the same lock.
  std::vector<Live> streams;
  {
    auto live = live_->lock();
    for (const auto& [key, one] : *live) streams.push_back(one);
  }
  for (const auto& one : streams) {
    if (server_.service().still_valid(*one.peer->principal())) {
      one.stream->push(": still here\n\n");
    } else {
      // A revoked token ends its streams within a heartbeat.
      one.stream->close();
    }
  }
  sessions_.sweep();
}

}  // namespace cairn::mcp
