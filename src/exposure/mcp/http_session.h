// The legacy sessions of the HTTP transport.
//
// Invariants  a session belongs to the principal that opened it: for everybody else it does not
//             exist. When a principal has too many, or has the most while there are too many of
//             all, those of its that were idle longest end.
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
  HttpSession(std::string id, const PrincipalPtr& principal, std::shared_ptr<KeptBytes> kept);

  const std::string& id() const { return id_; }
  const std::string& owner() const { return owner_; }
  const std::shared_ptr<Peer>& peer() const { return peer_; }
  // Beside all requests.
  const std::shared_ptr<SessionStream>& standalone() const { return standalone_; }

  // For the answer to a request. The last few that ended are kept.
  std::shared_ptr<SessionStream> open_stream();
  // Null: it ended too long ago.
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
  const std::shared_ptr<KeptBytes> kept_;
  const std::shared_ptr<SessionStream> standalone_;
  const std::shared_ptr<Peer> peer_;
  Guarded<Streams> streams_;
};
using HttpSessionPtr = std::shared_ptr<HttpSession>;

struct SessionLimits {
  std::size_t most = 40'000;
  std::size_t most_each = 20'000;  // of one principal
  std::size_t kept_bytes = std::size_t{64} << 20;
  std::chrono::milliseconds idle = std::chrono::hours(12);
};

class HttpSessions final {
 public:
  HttpSessions(const Clock& clock, Random& random, SessionLimits limits)
      : clock_(clock),
        random_(random),
        limits_(limits),
        kept_(std::make_shared<KeptBytes>(limits.kept_bytes)) {}
  ~HttpSessions();
  HttpSessions(const HttpSessions&) = delete;
  HttpSessions& operator=(const HttpSessions&) = delete;

  HttpSessionPtr open(const PrincipalPtr& principal);
  // Null when it is gone, or another's. From now on it acts as this principal.
  HttpSessionPtr find(std::string_view id, const PrincipalPtr& principal);
  void touch(HttpSession& session) const { session.last_used = clock_.now(); }
  void end(const HttpSession& session);
  // Ends those nobody used for too long.
  void sweep();
  void end_all();

 private:
  struct State {
    std::unordered_map<std::string, HttpSessionPtr> all;
    std::unordered_map<std::string, std::size_t> of_owner;
  };
  static HttpSessionPtr take(State& state, const std::string& id);
  static std::vector<HttpSessionPtr> take_idlest(State& state, const std::string& owner);
  std::vector<HttpSessionPtr> make_room(State& state, const std::string& owner) const;

  const Clock& clock_;
  Random& random_;
  const SessionLimits limits_;
  const std::shared_ptr<KeptBytes> kept_;
  Guarded<State> state_;
};

}  // namespace cairn::mcp
