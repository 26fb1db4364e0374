#include "exposure/mcp/pending_answer.h"

#include <utility>

namespace cairn::mcp {

bool PendingAnswer::send(std::string message) {
  std::shared_ptr<EventSink> sink;
  {
    auto state = state_.lock();
    sink = state->sink;
    if (!sink) state->early.push_back(std::move(message));
  }
  if (sink) return sink->send(std::move(message));
  changed_.notify_all();
  return true;
}

void PendingAnswer::close_connection(std::chrono::milliseconds retry) {
  std::shared_ptr<EventSink> sink;
  {
    auto state = state_.lock();
    sink = state->sink;
    if (!sink) state->closed = retry;
  }
  if (sink) return sink->close_connection(retry);
  changed_.notify_all();
}

void PendingAnswer::finish(Answer answer) {
  std::shared_ptr<EventSink> sink;
  {
    auto state = state_.lock();
    sink = state->sink;
    if (!sink) state->answer = std::move(answer);
  }
  if (sink) return sink->finish(std::move(answer.text));
  changed_.notify_all();
}

std::optional<Answer> PendingAnswer::wait(std::chrono::milliseconds patience) {
  auto state = state_.lock();
  changed_.wait_for(state.mutex(), patience,
                    [&] { return state->answer || state->closed || !state->early.empty(); });
  const bool alone = state->early.empty() && !state->closed;
  if (alone && state->answer) return std::exchange(state->answer, std::nullopt);
  return std::nullopt;
}

void PendingAnswer::stream_to(std::shared_ptr<EventSink> sink) {
  auto state = state_.lock();
  for (auto& message : state->early) sink->send(std::move(message));
  state->early.clear();
  if (state->closed) sink->close_connection(*state->closed);
  if (state->answer) return sink->finish(std::move(state->answer->text));
  state->sink = std::move(sink);
}

}  // namespace cairn::mcp
