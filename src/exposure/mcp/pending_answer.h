// PendingAnswer: a request that is being carried out for an HTTP client. Its answer is plain JSON
// when it comes quickly and alone; when there is something to say before it, or when it takes its
// time, it becomes a stream. No thread waits for which of them it will be.
//
// Threads  any: the request runs on one, and the connection's own says when it is late.
#pragma once

#include <memory>
#include <string>

#include "base/guarded.h"
#include "exposure/http/http.h"
#include "exposure/mcp/event_sink.h"
#include "exposure/mcp/server.h"

namespace cairn::mcp {

class PendingAnswer : public ClosableChannel, public http::Pending {
 public:
  void begin(std::unique_ptr<http::Responder> responder) override;
  void late() override { stream(); }

  // From the request.
  bool send(std::string message) override;
  void close_connection(std::chrono::milliseconds retry) override;
  // At its end; once.
  void finish(Answer answer);

 protected:
  struct Stream {
    http::Response response;
    std::shared_ptr<EventSink> sink;
  };

 private:
  struct State {
    std::unique_ptr<http::Responder> responder;  // until it is used
    std::shared_ptr<EventSink> sink;
  };

  // Begun now, unless it is too late. Null: the answer is, or will be, whole.
  std::shared_ptr<EventSink> stream();
  // Called under the lock, until there is a sink. Without one: the client takes no streams.
  virtual Stream open() = 0;
  virtual http::Response whole(Answer answer) = 0;

  Guarded<State> state_;
};

}  // namespace cairn::mcp
