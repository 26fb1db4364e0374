#include "data/store/write_queue.h"

namespace cairn {

Result<void> WriteQueue::run(WriteRequest& request) {
  Waiter waiter{&request, {}};
  auto state = state_.lock();
  // It would wait for itself for ever.
  if (state->leader == std::this_thread::get_id()) {
    return fail(Code::kInternal,
                "a change was asked for from within another (a watcher, or the check of a sweep)");
  }
  state->waiting.push_back(&waiter);
  // A thread leaves in one of two ways: its request was done by a leader, or it is first in line
  // and nobody leads. Then it leads.
  waiter.ready.wait(state.mutex(), [&] {
    return waiter.done || (!state->leader && state->waiting.front() == &waiter);
  });
  if (!waiter.done) {
    const std::vector<Waiter*> group = take_group(*state);
    state->leader = std::this_thread::get_id();
    // Requests that come while the group is worked on line up for the next one.
    state.unlock();
    work(group);
    state.lock();
    end_group(*state, group);
  }
  return std::move(request.result);
}

std::vector<WriteQueue::Waiter*> WriteQueue::take_group(State& state) {
  std::vector<Waiter*> group;
  while (!state.waiting.empty()) {
    Waiter* next = state.waiting.front();
    if (next->request->alone && !group.empty()) break;
    group.push_back(next);
    state.waiting.pop_front();
    if (next->request->alone) break;
  }
  return group;
}

void WriteQueue::end_group(State& state, std::span<Waiter* const> group) {
  state.leader.reset();
  for (Waiter* waiter : group) {
    waiter->done = true;
    waiter->ready.notify_one();
  }
  // The next leader. Everybody else in line waits for that thread.
  if (!state.waiting.empty()) state.waiting.front()->ready.notify_one();
}

// The others of the group wait for their results, whatever happens here.
void WriteQueue::work(std::span<Waiter* const> group) noexcept {
  std::vector<WriteRequest*> requests;
  for (Waiter* waiter : group) requests.push_back(waiter->request);
  try {
    work_(requests);
  } catch (const std::exception& exception) {
    for (WriteRequest* request : requests) {
      request->result = fail(Code::kInternal, "the change broke off: {}", exception.what());
    }
  }
}

}  // namespace cairn
