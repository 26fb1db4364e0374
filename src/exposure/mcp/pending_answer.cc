#include "exposure/mcp/pending_answer.h"

#include <utility>

namespace cairn::mcp {

void PendingAnswer::begin(std::unique_ptr<http::Responder> responder) {
  state_.lock()->responder = std::move(responder);
}

std::shared_ptr<EventSink> PendingAnswer::stream() {
  auto state = state_.lock();
  if (state->responder) {
    auto [response, sink] = open();
    if (!sink) return nullptr;
    state->sink = std::move(sink);
    std::exchange(state->responder, nullptr)->answer(std::move(response));
  }
  return state->sink;
}

bool PendingAnswer::send(std::string message) {
  const auto sink = stream();
  return sink && sink->send(std::move(message));
}

void PendingAnswer::close_connection(std::chrono::milliseconds retry) {
  if (const auto sink = stream()) sink->close_connection(retry);
}

void PendingAnswer::finish(Answer answer) {
  std::unique_ptr<http::Responder> responder;
  std::shared_ptr<EventSink> sink;
  {
    auto state = state_.lock();
    responder = std::exchange(state->responder, nullptr);
    sink = state->sink;
  }
  if (sink) return sink->finish(std::move(answer.text));
  if (responder) responder->answer(whole(std::move(answer)));
}

}  // namespace cairn::mcp
