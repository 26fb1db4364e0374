// What is right, and should compile.
// expected-no-diagnostics
#include <condition_variable>
#include <deque>
#include <memory>
#include <optional>

#include "base/guarded.h"
#include "base/mutex.h"

namespace cairn {

class Account final {
 public:
  void pay(int amount) {
    const MutexLock lock(mutex_);
    add(amount);
  }

  bool pay_by_hand(int amount) {
    mutex_.lock();
    add(amount);
    const bool rich = balance_ > 100;
    mutex_.unlock();
    return rich;
  }

  // Of two objects, each has its own.
  void move_to(Account& other) EXCLUDES(mutex_, other.mutex_) {
    const MutexLock mine(mutex_);
    const MutexLock theirs(other.mutex_);
    other.add(balance_);
    balance_ = 0;
  }

  // A function that is called later says what it needs.
  template <typename Job>
  void in_turn(Job job) {
    const MutexLock lock(mutex_);
    job();
  }
  void pay_in_turn(int amount) {
    in_turn([this, amount]() REQUIRES(mutex_) { add(amount); });
  }

  void wait() {
    const MutexLock lock(mutex_);
    while (balance_ == 0) changed_.wait(mutex_);
  }

 private:
  void add(int amount) REQUIRES(mutex_) { balance_ += amount; }

  Mutex mutex_;
  std::condition_variable_any changed_;
  int balance_ GUARDED_BY(mutex_) = 0;
};

class Queue final {
 public:
  void push(int job) EXCLUDES(state_) {
    state_.lock()->jobs.push_back(job);
    changed_.notify_one();
  }

  int pop() {
    auto state = state_.lock();
    changed_.wait(state.mutex(), [&] { return !state->jobs.empty(); });
    return take(*state);
  }

  // Another job may be asked for while one is done.
  void work() {
    auto state = state_.lock();
    while (!state->jobs.empty()) {
      const int job = take(*state);
      state.unlock();
      push(job);
      state.lock();
    }
  }

  std::size_t size() const {
    if (auto state = state_.lock(); !state->jobs.empty()) return state->jobs.size();
    return *others_->lock();
  }

 private:
  struct State {
    std::deque<int> jobs;
  };

  int take(State& state) REQUIRES(state_) {
    const int job = state.jobs.front();
    state.jobs.pop_front();
    return job;
  }

  mutable Guarded<State> state_;
  std::condition_variable changed_;
  std::shared_ptr<Guarded<std::size_t>> others_ = std::make_shared<Guarded<std::size_t>>();
};

}  // namespace cairn
