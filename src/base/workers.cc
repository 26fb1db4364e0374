#include "base/workers.h"

#include <algorithm>
#include <utility>

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

namespace cairn {

Workers::Workers(unsigned max_threads, const char* name)
    : max_threads_(max_threads), name_(name), state_(State(max_threads)) {
  starter_ = std::thread([this] { start_threads(); });
}

Workers::~Workers() {
  state_.lock()->stopping = true;
  changed_.notify_all();
  wanted_.notify_all();
  starter_.join();
  // One that ends may have started another before.
  for (;;) {
    std::thread last;
    {
      auto state = state_.lock();
      if (state->threads.empty()) {
        for (auto& one : state->ended) one.join();
        return;
      }
      last = std::move(state->threads.back());
      state->threads.pop_back();
    }
    last.join();
  }
}

void Workers::start_threads() {
  auto state = state_.lock();
  for (;;) {
    if (std::exchange(state->wanted, false)) start_one(*state);
    if (state->stopping) return;
    wanted_.wait(state.mutex());
  }
}

void Workers::start_one(State& state) {
  // They have let go of the lock, and do nothing more.
  for (auto& one : state.ended) one.join();
  state.ended.clear();
  state.threads.emplace_back([this] { work(); });
  pthread_setname_np(state.threads.back().native_handle(), name_);
}

// The lock is held, so that none of them ends meanwhile.
void Workers::slow_down_long_jobs(State& state) {
  constexpr int kNice = 10;
  const auto now = std::chrono::steady_clock::now();
  for (auto& one : state.running) {
    if (now - one.began < FairQueue::kLong) return;
    if (one.slow) continue;
    one.slow = ::setpriority(PRIO_PROCESS, static_cast<id_t>(one.thread), kNice) == 0;
  }
}

void Workers::leave(State& state) {
  const auto self = std::ranges::find(state.threads, std::this_thread::get_id(),
                                      [](const std::thread& one) { return one.get_id(); });
  state.ended.push_back(std::move(*self));
  state.threads.erase(self);
  --state.started;
}

void Workers::run(const Share& share, Job job) {
  auto state = state_.lock();
  state->jobs.push(share, std::move(job));
  slow_down_long_jobs(*state);
  const bool wake = call_next(*state);
  state.unlock();
  if (wake) changed_.notify_one();
}

bool Workers::call_next(State& state) {
  if (!state.jobs.ready() || state.called) return false;
  if (state.idle > 0) return state.called = true;
  if (state.started == max_threads_) return false;
  ++state.started;
  state.called = true;
  if (state.stopping) {
    start_one(state);
  } else {
    state.wanted = true;
    wanted_.notify_one();
  }
  return false;
}

void Workers::work() {
  auto state = state_.lock();
  state->called = false;
  for (;;) {
    if (auto next = state->jobs.pop(std::chrono::steady_clock::now())) {
      const auto self = state->running.insert(state->running.end(), {::gettid(), next->began});
      const bool wake = call_next(*state);
      state.unlock();
      if (wake) changed_.notify_one();
      next->job();
      // What it holds may run code of its own when it goes.
      next->job = nullptr;
      state.lock();
      state->jobs.done(*next->line, next->began, std::chrono::steady_clock::now());
      const bool slow = self->slow;
      state->running.erase(self);
      if (!slow || state->stopping) continue;
      leave(*state);
      if (call_next(*state)) changed_.notify_one();
      return;
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
