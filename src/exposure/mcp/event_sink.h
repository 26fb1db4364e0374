// Streams of server-sent events: of one request, or of a legacy session beside its requests.
// Threads  any.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "exposure/http/http.h"
#include "exposure/mcp/server_exchange.h"

namespace cairn::mcp {

// How far a client may be behind before its stream is given up: with an answer, which is large at
// times, and with news, which it could have read long ago.
inline constexpr std::size_t kMaxPendingBytes = std::size_t{8} << 20;
inline constexpr std::size_t kMaxPendingNews = std::size_t{256} << 10;

class EventSink : public ClosableChannel {
 public:
  // The last message; then the stream ends.
  virtual void finish(std::string message) = 0;
};

// Of a modern request: gone with its connection.
class RequestStream final : public EventSink {
 public:
  explicit RequestStream(std::shared_ptr<http::EventStream> stream) : stream_(std::move(stream)) {}
  bool send(std::string message) override;
  void finish(std::string message) override;
  void close_connection(std::chrono::milliseconds /*retry*/) override {}

 private:
  std::shared_ptr<http::EventStream> stream_;
};

// The budget that the streams of all sessions share for events they keep. When it is full, nothing
// more is kept.
class KeptBytes final {
 public:
  explicit KeptBytes(std::size_t most) : most_(most) {}
  bool take(std::size_t bytes);
  void give_back(std::size_t bytes) { now_ -= bytes; }
  std::size_t now() const { return now_; }

 private:
  const std::size_t most_;
  std::atomic<std::size_t> now_{0};
};

// Of a legacy session: its last events are kept, so that a client that lost its connection can come
// back for them; but for those that are too large.
class SessionStream final : public EventSink {
 public:
  // `primed`: the client knows an event without data, which only tells it how to come back.
  SessionStream(std::uint64_t number, bool primed, std::shared_ptr<KeptBytes> kept)
      : number_(number), primed_(primed), kept_(std::move(kept)) {}
  ~SessionStream() override { kept_->give_back(state_.lock()->kept_bytes); }

  bool send(std::string message) override;
  void finish(std::string message) override;
  void close_connection(std::chrono::milliseconds retry) override;

  // A connection takes what comes after the event `after`; nothing: what no connection has taken
  // yet. The connection before is ended.
  void attach(std::shared_ptr<http::EventStream> stream, std::optional<std::uint64_t> after);
  void close();
  bool done() const { return state_.lock()->done; }
  std::uint64_t number() const { return number_; }

 private:
  static constexpr std::size_t kMaxKeptBytes = std::size_t{1} << 20;
  static constexpr std::size_t kMaxKept = 256;

  struct Event {
    std::uint64_t number;
    std::string text;
  };
  struct State {
    std::uint64_t next = 1;
    std::uint64_t taken = 0;  // by a connection, the last event
    std::vector<Event> kept;
    std::size_t kept_bytes = 0;
    bool done = false;
    std::shared_ptr<http::EventStream> live;
  };

  void add(State& state, std::string_view message);
  void keep(State& state, std::uint64_t number, const std::string& text);

  const std::uint64_t number_;
  const bool primed_;
  const std::shared_ptr<KeptBytes> kept_;
  mutable Guarded<State> state_;
};

// `7-3`: the third event of the seventh stream.
struct EventId {
  std::uint64_t stream = 0;
  std::uint64_t event = 0;
};
std::optional<EventId> parse_event_id(std::string_view text);

}  // namespace cairn::mcp
