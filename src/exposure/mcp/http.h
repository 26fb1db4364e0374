// MCP over HTTP: one endpoint for both eras. Legacy clients open sessions; modern ones say all in
// each request.
//
// Threads  as http::Handler. Requests that are quick run on the connection's thread, each of the
//          others on one thread of a pool.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <thread>
#include <unordered_set>

#include "base/limits.h"
#include "base/workers.h"
#include "exposure/http/http.h"
#include "exposure/mcp/http_call.h"
#include "exposure/mcp/http_session.h"
#include "exposure/mcp/server.h"

namespace cairn::mcp {

struct HttpOptions {
  // Finds out who asks; an error is the answer.
  std::function<Result<PrincipalPtr>(const http::Request&)> admit;
  HostRule hosts = HostRule::kLoopback;
  SessionLimits sessions = {};
  // Between two signs of life on a stream; each time its client's rights are checked.
  std::chrono::milliseconds heartbeat{15'000};
  std::size_t max_body_bytes = kMaxBodyBytes;
  // Shared with other handlers, so that one share is one at all of them; null: its own.
  std::shared_ptr<Workers> workers = nullptr;
  // How long running calls are waited for when it stops.
  std::chrono::milliseconds stop_grace{5'000};
};

// Threads for the calls of one handler, or of several.
std::shared_ptr<Workers> mcp_workers();

class HttpHandler final : public http::Handler {
 public:
  HttpHandler(Server& server, const Clock& clock, Random& random, HttpOptions options);
  // REQUIRES: no request can reach it now.
  ~HttpHandler() override;
  HttpHandler(const HttpHandler&) = delete;
  HttpHandler& operator=(const HttpHandler&) = delete;

  http::Plan begin(const http::Request& request) override;
  // Ends all streams, with a last word where the protocol has one. Running calls have some time to
  // finish.
  void stop();

 private:
  http::Plan post(const http::Request& request, PrincipalPtr principal);
  // GET and DELETE.
  http::Plan of_session(const http::Request& request, const PrincipalPtr& principal);
  http::Plan get(const http::Request& request, const HttpSessionPtr& session);
  http::Response remove(const HttpSession& session);

  http::Answer take_body(const http::Request& request, const PrincipalPtr& principal,
                         Accepts accepts, std::string_view body);
  http::Answer take_request(const http::Request& request, HttpCallPtr call);
  http::Answer take_modern(const http::Request& request, HttpCallPtr call);
  http::Answer take_legacy(const http::Request& request, HttpCallPtr call);
  http::Answer initialize(HttpCall& call);
  http::Answer take_batch(const HttpSessionPtr& session, json::Array batch);
  http::Answer listen(std::shared_ptr<HttpCall> call);

  std::span<const ParamHeader> param_headers(const HttpCall& call);
  // Nullopt: it may take time, or talk.
  std::optional<http::Response> answer_quickly(const std::shared_ptr<Peer>& peer, HttpCall& call);
  Answer carry_out(const std::shared_ptr<Peer>& peer, HttpCall& call,
                   std::shared_ptr<Channel> channel);
  class RunningCall;

  // Null: `refusal` says why.
  HttpSessionPtr session_of(const http::Request& request, const PrincipalPtr& principal,
                            http::Response& refusal);

  enum class StreamKind { kCall, kWatch };
  struct Live {
    std::shared_ptr<http::EventStream> stream;
    std::shared_ptr<Peer> peer;
    StreamKind kind = StreamKind::kCall;
  };
  // A new stream that is kept alive while its client's rights are.
  std::shared_ptr<http::EventStream> open_stream(std::shared_ptr<Peer> peer, StreamKind kind);
  void end_streams(bool (*which)(const Live& live));
  void beat();
  void run_beat();

  Server& server_;
  const Clock& clock_;
  HttpOptions options_;
  HttpSessions sessions_;
  const std::shared_ptr<Channel> nowhere_ = std::make_shared<NoChannel>();
  // By the stream's address.
  using LiveStreams = std::unordered_map<const http::EventStream*, Live>;
  std::shared_ptr<Guarded<LiveStreams>> live_ = std::make_shared<Guarded<LiveStreams>>();
  Guarded<std::multiset<std::shared_ptr<Peer>>> calls_;
  std::condition_variable calls_done_;
  const std::shared_ptr<Workers> workers_;
  Guarded<bool> stopping_{false};
  std::condition_variable wake_;
  std::thread beating_;
};

}  // namespace cairn::mcp
