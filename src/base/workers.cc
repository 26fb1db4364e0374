#include "base/workers.h"

#include <utility>

#include <pthread.h>

namespace cairn {

Workers::~Workers() {
  std::vector<std::thread> threads;
  {
    auto state = state_.lock();
    state->stopping = true;
    threads = std::exchange(state->threads, {});
  }
  changed_.notify_all();
  for (std::thread& thread : threads) thread.join();
}

void Workers::run(Job job) {
  auto state = state_.lock();
  state->jobs.push_back(std::move(job));
  if (state->idle >= state->jobs.size()) return changed_.notify_one();
  if (state->threads.size() == max_threads_) return;
  state->threads.emplace_back([this] { work(); });
  pthread_setname_np(state->threads.back().native_handle(), name_);
}

void Workers::work() {
  auto state = state_.lock();
  for (;;) {
    if (!state->jobs.empty()) {
      {
        Job job = std::move(state->jobs.front());
        state->jobs.pop_front();
        state.unlock();
        job();
      }
      state.lock();
      continue;
    }
    if (state->stopping) return;
    ++state->idle;
    changed_.wait(state.mutex());
    --state->idle;
  }
}

}  // namespace cairn
