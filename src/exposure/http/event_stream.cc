#include "exposure/http/event_stream.h"

#include <utility>

namespace cairn::http {

std::shared_ptr<EventStream> EventStream::make(std::size_t max_pending_bytes) {
  return std::make_shared<EventQueue>(max_pending_bytes);
}

bool EventQueue::push(std::string portion) {
  {
    auto inner = inner_.lock();
    if (inner->state != State::kOpen) return false;
    if (inner->pending.empty() || inner->pending.size() + portion.size() <= max_pending_bytes_) {
      if (inner->pending.empty()) {
        inner->pending = std::move(portion);
      } else {
        inner->pending += portion;
      }
      if (inner->wake && !std::exchange(inner->woken, true)) inner->wake();
      return true;
    }
  }
  end(State::kBroken);
  return false;
}

void EventQueue::close() { end(State::kEnded); }

void EventQueue::on_closed(std::function<void()> callback) {
  {
    auto inner = inner_.lock();
    if (inner->state == State::kOpen) {
      inner->callbacks.push_back(std::move(callback));
      return;
    }
  }
  callback();
}

void EventQueue::attach(std::function<void()> wake) {
  auto inner = inner_.lock();
  inner->wake = std::move(wake);
  inner->woken = false;
}

EventQueue::Taken EventQueue::take() {
  auto inner = inner_.lock();
  inner->woken = false;
  return {std::exchange(inner->pending, {}), inner->state};
}

void EventQueue::leave() {
  std::function<void()> wake;
  {
    auto inner = inner_.lock();
    wake = std::exchange(inner->wake, nullptr);
    inner->pending = {};
  }
  end(State::kBroken);
}

void EventQueue::end(State state) {
  std::vector<std::function<void()>> callbacks;
  {
    auto inner = inner_.lock();
    if (inner->state != State::kOpen) return;
    inner->state = state;
    if (state == State::kBroken) inner->pending = {};
    if (inner->wake && !std::exchange(inner->woken, true)) inner->wake();
    callbacks = std::exchange(inner->callbacks, {});
  }
  for (const auto& callback : callbacks) callback();
}

}  // namespace cairn::http
