// Server: the protocol in both its eras over a Service. Transports read messages, decide whose they
// are, and hand them over; the server carries them out and writes the answers.
//
// Threads  every function may be called from any thread, several at once also for one peer.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/random.h"
#include "exposure/mcp/announcer.h"
#include "exposure/mcp/meta.h"
#include "exposure/mcp/peer.h"
#include "exposure/mcp/seal.h"
#include "exposure/mcp/service.h"

namespace cairn::mcp {

class ServerExchange;

// The answer to a request. Where it was refused before it reached the service, the status HTTP
// gives for that.
struct Answer {
  std::string text;  // empty: there is none to send (now)
  int http_status = 200;
};

class Server final {
 public:
  Server(Service& service, const Clock& clock, Random& random);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // A request has been read, and will be given to answer(): from now on it can be cancelled. An
  // answer: it is refused.
  std::optional<Answer> expect(Peer& peer, const Request& request, Era era);
  // Carries out a request, whose arguments may be used up. What it says before its answer goes to
  // the channel. In the modern era `subscriptions/listen` has no answer: it goes on until the peer
  // is gone or cancels it.
  Answer answer(const std::shared_ptr<Peer>& peer, Request&& request, Era era,
                std::shared_ptr<Channel> channel);
  // The same for a request of the modern era whose `_meta` has been read.
  Answer answer(const std::shared_ptr<Peer>& peer, Request&& request, const ModernMeta& meta,
                std::shared_ptr<Channel> channel);
  // Legacy 2025-03-26: several messages at once. Empty when none of them is to be answered.
  Answer answer_batch(const std::shared_ptr<Peer>& peer, json::Array batch,
                      const std::shared_ptr<Channel>& channel);
  void take(Peer& peer, const Notification& notification);
  void take(Peer& peer, const Response& response) { peer.answered(response); }

  // How a request will behave.
  Manner manner(const Peer& peer, const Request& request) const;

  // A legacy client wants to be told of changed lists from now on.
  void announce_lists(Peer& peer);

  Service& service() { return service_; }
  // The result of an `initialize`, for the revision it settled on.
  json::Object greeting(Revision revision, const Principal& principal) const;

 private:
  struct Method;
  using Outcome = Rpc<json::Object>;

  Rpc<void> take_turn(Peer& peer, const Request& request);
  // From its beginning to its end, as its peer sees it. `run` is given its stop token.
  template <typename Run>
  Answer follow(Peer& peer, const Request& request, Era era, Run run);
  Answer answer_modern(const std::shared_ptr<Peer>& peer, Request& request, const ModernMeta& meta,
                       std::shared_ptr<Channel> channel, const std::stop_token& stop);
  Outcome run_modern(const Method& method, ServerExchange& exchange, const Request& request);
  Answer answer_legacy(const std::shared_ptr<Peer>& peer, Request& request,
                       std::shared_ptr<Channel> channel, const std::stop_token& stop);
  Answer initialize(Peer& peer, const Request& request);
  Outcome finish_modern(ServerExchange& exchange, const Request& request, Outcome outcome) const;
  std::string bound_to(const ServerExchange& exchange, const Request& request) const;
  static const Method* find(std::string_view method);
  bool offers(const Method& method) const;
  // Icons and links are for those who meet the server, not for every result.
  enum class Detail { kBrief, kFull };
  json::Object server_info(Revision revision, Detail detail) const;
  json::Object capabilities(Revision revision) const;

  Outcome list_tools(ServerExchange& exchange);
  Outcome call_tool(ServerExchange& exchange);
  Outcome list_resources(ServerExchange& exchange);
  Outcome list_templates(ServerExchange& exchange);
  Outcome read_resource(ServerExchange& exchange);
  Outcome subscribe(ServerExchange& exchange);
  Outcome unsubscribe(ServerExchange& exchange);
  Outcome list_prompts(ServerExchange& exchange);
  Outcome get_prompt(ServerExchange& exchange);
  Outcome complete(ServerExchange& exchange);
  Outcome set_level(ServerExchange& exchange);
  Outcome ping(ServerExchange& exchange);
  Outcome discover(ServerExchange& exchange);
  Answer listen(const std::shared_ptr<Peer>& peer, const Request& request,
                std::shared_ptr<Channel> channel);

  Service& service_;
  Seal seal_;
  Announcer announcer_;
};

}  // namespace cairn::mcp
