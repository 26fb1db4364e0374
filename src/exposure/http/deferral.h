// The server's side of a deferred answer: where a connection waits until whoever has the Responder
// uses it.
//
// Threads  the connection's own; the Responder works from any.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "base/guarded.h"
#include "exposure/http/asio.h"
#include "exposure/http/http.h"
#include "exposure/http/wire.h"

namespace cairn::http {

class Deferral final : public std::enable_shared_from_this<Deferral> {
 public:
  Deferral(const Executor& here, std::chrono::milliseconds patience)
      : here_(here), patience_(patience) {}

  // Begins the request and waits for its answer. Once.
  Task<Response> run(std::shared_ptr<Pending> pending);
  // Tells the request when it is late and its client has left.
  void look_for(Wire& client);
  // Tells the request that nobody waits for it now.
  void leave();

 private:
  class Handle;
  using Resume = std::move_only_function<void()>;
  struct State {
    std::optional<Response> response;
    Resume resume;
  };

  void begin(std::shared_ptr<Pending> pending);
  void become_late();
  void tell(void (Pending::*what)());
  // Any thread.
  void answer(Response response);
  bool is_answered() { return state_.lock()->response.has_value(); }
  void call_when_answered(Resume resume);

  const Executor here_;
  const std::chrono::milliseconds patience_;
  std::weak_ptr<Pending> pending_;
  bool late_ = false;
  bool left_ = false;
  bool over_ = false;
  Guarded<State> state_;
};

}  // namespace cairn::http
