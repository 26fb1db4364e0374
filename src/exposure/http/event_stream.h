// The server's side of an EventStream: what was pushed waits here until the connection takes it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "exposure/http/http.h"

namespace cairn::http {

class EventQueue final : public EventStream {
 public:
  explicit EventQueue(std::size_t max_pending_bytes) : max_pending_bytes_(max_pending_bytes) {}

  bool push(std::string portion) override;
  void close() override;
  void on_closed(std::function<void()> callback) override;

  enum class State { kOpen, kEnded, kBroken };
  struct Taken {
    std::string bytes;
    State state = State::kOpen;
  };

  // `wake` is called, from any thread, once after each take() that there is something new to take.
  void attach(std::function<void()> wake);
  // Everything pushed since the last time.
  Taken take();
  // The client is gone: nothing more can be pushed, and nobody will be woken.
  void leave();

 private:
  struct Inner {
    std::string pending;
    State state = State::kOpen;
    bool woken = false;
    std::function<void()> wake;
    std::vector<std::function<void()>> callbacks;
  };

  void end(State state);

  const std::size_t max_pending_bytes_;
  Guarded<Inner> inner_;
};

}  // namespace cairn::http
