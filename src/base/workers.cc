#include "base/workers.h"

#include <utility>

#include <pthread.h>

namespace cairn {

Workers::~Workers() {
  state_.lock()->stopping = true;
  changed_.notify_all();
  // One that ends may have started another before.
  for (;;) {
    std::thread last;
    {
      auto state = state_.lock();
      if (state->threads.empty()) return;
      last = std::move(state->threads.back());
      state->threads.pop_back();
    }
    last.join();
  }
}

void Workers::run(const Share& share, Job job) {
  auto state = state_.lock();
  state->jobs.push(share, std::move(job));
  const bool wake = call_next(*state);
  state.unlock();
  if (wake) changed_.notify_one();
}

bool Workers::call_next(State& state) {
  if (!state.jobs.ready() || state.called) return false;
  if (state.idle > 0) return state.called = true;
  if (state.started == max_threads_) return false;
  state.threads.emplace_back([this] { work(); });
  ++state.started;
  pthread_setname_np(state.threads.back().native_handle(), name_);
  state.called = true;
  return false;
}

void Workers::work() {
  auto state = state_.lock();
  state->called = false;
  for (;;) {
    if (auto next = state->jobs.pop(std::chrono::steady_clock::now())) {
      const bool wake = call_next(*state);
      state.unlock();
      if (wake) changed_.notify_one();
      next->job();
      // What it holds may run code of its own when it goes.
      next->job = nullptr;
      state.lock();
      state->jobs.done(*next->line, next->began, std::chrono::steady_clock::now());
      continue;
    }
    // Jobs that wait for a window are done by whoever does those that they wait for.
    if (state->stopping) return;
    ++state->idle;
    changed_.wait(state.mutex());
    --state->idle;
    state->called = false;
  }
}

}  // namespace cairn
