// PendingAnswer: a request that is being carried out for an HTTP client. Its answer is plain JSON
// when it comes quickly and alone; when there is something to say before it, or when it takes its
// time, it becomes a stream.
//
// Threads  the request runs on one thread and the connection's worker waits on another.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "exposure/mcp/event_sink.h"
#include "exposure/mcp/server.h"

namespace cairn::mcp {

class PendingAnswer final : public ClosableChannel {
 public:
  // From the request.
  bool send(std::string message) override;
  void close_connection(std::chrono::milliseconds retry) override;
  void finish(Answer answer);

  // Waits for the answer. Nothing: it should be streamed; then stream_to() has to be called.
  std::optional<Answer> wait(std::chrono::milliseconds patience);
  void stream_to(std::shared_ptr<EventSink> sink);

 private:
  struct State {
    std::vector<std::string> early;
    std::optional<std::chrono::milliseconds> closed;
    std::optional<Answer> answer;
    std::shared_ptr<EventSink> sink;
  };

  Guarded<State> state_;
  std::condition_variable changed_;
};

}  // namespace cairn::mcp
