// The legacy sessions of the HTTP transport.
//
// Invariants  a session belongs to the principal that opened it: for everybody else it does not
//             exist. When there are too many, those that were idle longest end.
// Threads     any.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/clock.h"
#include "base/random.h"
#include "exposure/mcp/event_sink.h"
#include "exposure/mcp/peer.h"

namespace cairn::mcp {

class HttpSession final {
 public:
  HttpSession(std::string id, const PrincipalPtr& principal);

  const std::string& id() const { return id_; }
  const std::string& owner() const { return owner_; }
  const std::shared_ptr<Peer>& peer() const { return peer_; }
  // Beside all requests.
  const std::shared_ptr<SessionStream>& standalone() const { return standalone_; }

  // For the answer to a request. The last few that ended are kept.
  std::shared_ptr<SessionStream> open_stream();
  // Nothing: it is too long ago.
  std::shared_ptr<SessionStream> find_stream(std::uint64_t number);
  // Cancels what runs and closes every stream.
  void end();
  void forget_ended_streams();

  std::atomic<Millis> last_used{0};
  std::atomic<int> connections{0};

 private:
  static constexpr std::size_t kMaxEnded = 4;

  struct Streams {
    std::uint64_t next = 1;
    std::map<std::uint64_t, std::shared_ptr<SessionStream>> all;
  };
  bool primed() const;

  const std::string id_;
  const std::string owner_;
  const std::shared_ptr<SessionStream> standalone_;
  const std::shared_ptr<Peer> peer_;
  Guarded<Streams> streams_;
};
using HttpSessionPtr = std::shared_ptr<HttpSession>;

struct SessionLimits {
  std::size_t most = 20'000;
  std::chrono::milliseconds idle = std::chrono::hours(12);
};

class HttpSessions final {
 public:
  HttpSessions(const Clock& clock, Random& random, SessionLimits limits)
      : clock_(clock), random_(random), limits_(limits) {}
  ~HttpSessions();
  HttpSessions(const HttpSessions&) = delete;
  HttpSessions& operator=(const HttpSessions&) = delete;

  HttpSessionPtr open(const PrincipalPtr& principal);
  // Nothing when it is gone, or another's. From now on it acts as this principal.
  HttpSessionPtr find(std::string_view id, const PrincipalPtr& principal);
  void end(const HttpSession& session);
  // Ends those nobody used for too long.
  void sweep();
  void end_all();

 private:
  using Map = std::unordered_map<std::string, HttpSessionPtr>;
  std::vector<HttpSessionPtr> take_idlest(Map& sessions, std::size_t count);

  const Clock& clock_;
  Random& random_;
  const SessionLimits limits_;
  Guarded<Map> sessions_;
};

}  // namespace cairn::mcp
