// Peer: one client as far as the server knows it: the process at the other end of stdio, a session
// over HTTP, or, over modern HTTP, one request.
//
// Threads  every function may be called from any thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>

#include "base/guarded.h"
#include "exposure/mcp/announcer.h"
#include "exposure/mcp/channel.h"
#include "exposure/mcp/exchange.h"

namespace cairn::mcp {

RpcError id_in_use();

// The outcome of an `initialize`.
struct Handshake {
  Revision revision = kLatestLegacy;
  json::Object capabilities;  // their names, as far as they are used
};

class Peer final : public Listener, public std::enable_shared_from_this<Peer> {
 public:
  // The channel takes what belongs to no request.
  Peer(PrincipalPtr principal, std::shared_ptr<Channel> channel);

  PrincipalPtr principal() const override { return *principal_.lock(); }
  // The same one, with a newer token.
  void renew(PrincipalPtr principal) { *principal_.lock() = std::move(principal); }

  // Null: not (yet) a legacy client.
  std::shared_ptr<const Handshake> handshake() const { return *handshake_.lock(); }
  // False: there was one already.
  bool shake_hands(Handshake handshake);

  LogLevel log_level() const { return *log_level_.lock(); }
  void set_log_level(LogLevel level) { *log_level_.lock() = level; }

  // A request has been read, and will be carried out: from now on it can be cancelled.
  // kInvalidRequest when another one with this id has, or when there are too many.
  Rpc<void> expect(const RpcId& id);
  // It begins. Nullopt: another one with this id has begun.
  std::optional<std::stop_token> begin(const RpcId& id);
  // True: it was cancelled, and must not be answered.
  bool end(const RpcId& id);
  // Cancels a running request, or ends a subscription.
  void cancel(const RpcId& id);
  void cancel_all();

  // Asks the client over the channel and waits. kInternal when it cannot be asked, does not answer
  // in time, or the request this is for is stopped.
  Rpc<json::Object> ask(Channel& channel, std::string_view method, const json::Object& params,
                        const std::stop_token& stop);
  void answered(const Response& response);
  // The client is gone and will answer no question.
  void cancel_questions();

  // Legacy: what this client subscribed to. A second time changes nothing. kInvalidParams when it
  // watches too much already.
  Rpc<void> subscribe(Announcer& announcer, const Subject& subject);
  void unsubscribe(const Subject& subject);
  void unsubscribe_all();
  void tell(const Subject& subject) override;

  // Modern: subscriptions of one `subscriptions/listen`, told over its own channel.
  class Listening;
  void listen(const RpcId& id, std::shared_ptr<Listening> listening);
  // Ends every one of them, with their result: the server stops.
  void end_listening();

 private:
  struct Asked {
    std::optional<std::expected<json::Object, RpcError>> outcome;
  };
  struct Questions {
    std::uint64_t next = 1;
    std::map<std::string, Asked> open;
    bool over = false;
  };

  static std::string key_of(const RpcId& id) { return json::write(id); }

  mutable Guarded<PrincipalPtr> principal_;
  std::shared_ptr<Channel> channel_;
  mutable Guarded<std::shared_ptr<const Handshake>> handshake_;
  mutable Guarded<LogLevel> log_level_{LogLevel::kInfo};
  struct Running {
    std::stop_source stop;
    bool begun = false;
  };
  Guarded<std::map<std::string, Running>> running_;
  Guarded<Questions> questions_;
  std::condition_variable_any answered_;
  Guarded<std::map<Subject, std::unique_ptr<Announcer::Subscription>>> subscriptions_;
  Guarded<std::map<std::string, std::shared_ptr<Listening>>> listening_;
};

// The message that tells of a change.
std::string change_notification(const Subject& subject, const RpcId* subscription = nullptr);

class Peer::Listening final : public Listener, public std::enable_shared_from_this<Listening> {
 public:
  Listening(RpcId id, PrincipalPtr principal, std::shared_ptr<Channel> channel)
      : id_(std::move(id)), principal_(std::move(principal)), channel_(std::move(channel)) {}

  PrincipalPtr principal() const override { return principal_; }
  void tell(const Subject& subject) override;
  // False: it cannot be seen.
  bool add(Announcer& announcer, const Subject& subject);
  // Sends the first message; what changed before it is told after it.
  void begin(std::string acknowledgement);
  // Ends it: nothing more is told. `result` is the final result of `subscriptions/listen`; nullptr
  // when its client has cancelled it.
  void end(const json::Object* result);
  const RpcId& id() const { return id_; }

 private:
  const RpcId id_;
  const PrincipalPtr principal_;
  const std::shared_ptr<Channel> channel_;
  Guarded<std::vector<std::unique_ptr<Announcer::Subscription>>> subscriptions_;
  // Held while something is said. Whoever is told may give the stream up and come back to end().
  struct Said {
    bool begun = false;
    std::vector<std::string> early;
  };
  Guarded<Said> said_;
  std::atomic<bool> ended_{false};
};

}  // namespace cairn::mcp
