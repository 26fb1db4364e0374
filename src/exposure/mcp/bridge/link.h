// Link: the bridge's way to its server as it is now; and Links, which makes a new one when it
// fails.
//
// Fails with  UNAVAILABLE as long as the server cannot be reached; FORBIDDEN when it lets no new
//             session in.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/guarded.h"
#include "base/mutex.h"
#include "data/json/json.h"
#include "exposure/mcp/bridge/bridge.h"
#include "exposure/mcp/channel.h"

namespace cairn::mcp {

// The outcome of `initialize`.
struct LegacySession {
  std::string id;  // empty: the server keeps none
  std::string revision;
};

struct Link {
  std::shared_ptr<Upstream> upstream;
  std::optional<LegacySession> session = std::nullopt;

  // The headers that legacy messages carry.
  Headers headers() const;
};
using LinkPtr = std::shared_ptr<const Link>;

// The current link, shared by all threads of the bridge, and the one way to replace it.
//
// Threads     every function may be called from any thread. A link is immutable: a new one takes
//             its place.
class Links final {
 public:
  // Both outlive it.
  Links(const BridgeOptions& options, std::shared_ptr<Upstream> upstream, Channel& out);

  LinkPtr current() EXCLUDES(state_) { return state_.lock()->link; }

  // The client has opened a session: the text of its `initialize`, and what was answered.
  void opened(const LinkPtr& link, std::string initialize, const json::Object& result,
              std::string session);
  bool is_open() { return state_.lock()->handshake.has_value(); }
  // It has said that it is ready; from now on there may be a stream beside its requests.
  void ready();
  // A session with a client that is ready, other than the one given. Null: stopped.
  LinkPtr wait_for_session(const LinkPtr& other, const std::stop_token& stop);
  // Waits, unless there is another link meanwhile.
  void wait_with(const LinkPtr& link, std::chrono::milliseconds time, const std::stop_token& stop);

  // A request that is part of the session's state: repeated in a new one. An empty string forgets
  // it.
  void remember(const std::string& key, std::string request);

  enum class Trouble { kUnreachable, kSessionGone };
  // Makes a new link in place of one that failed; at once when somebody else has. Takes as long as
  // the options' patience.
  Result<LinkPtr> repair(const LinkPtr& failed, Trouble trouble, const std::stop_token& stop)
      EXCLUDES(repairing_);

  // Ends the session at the server, as far as it can be reached.
  void end();

 private:
  struct Handshake {
    std::string initialize;
    json::Object capabilities;  // the server's
    bool ready = false;
  };
  struct State {
    LinkPtr link;
    std::optional<Handshake> handshake;
    std::map<std::string, std::string> remembered;
  };

  Result<std::shared_ptr<Upstream>> find_server(const LinkPtr& failed, const std::stop_token& stop);
  Result<LinkPtr> make_link(std::shared_ptr<Upstream> upstream, const std::stop_token& stop)
      REQUIRES(repairing_) EXCLUDES(state_);
  Result<LegacySession> greet(Upstream& upstream, const std::string& initialize,
                              const std::stop_token& stop);
  // Tells the client of changes that may have happened while there was no link.
  void tell_missed(const json::Object& capabilities) EXCLUDES(state_);

  const BridgeOptions& options_;
  Channel& out_;
  Mutex repairing_;  // one at a time: whoever comes next finds the new link
  Guarded<State> state_;
  std::condition_variable_any changed_;
};

// The answer's message to a refusal: who answered what, and what it said about it.
std::string describe_refusal(const Upstream& upstream, const Upstream::Outcome& outcome);
// The same, with the code the server named; UNAVAILABLE when Cairn does not know that code.
Error refusal(const Upstream& upstream, const Upstream::Outcome& outcome);

}  // namespace cairn::mcp
