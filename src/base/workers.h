// Threads for what may block. They are started as they are needed, up to a number, and stay.
//
// One is called at a time: when it comes it takes a job, and calls the next if there are more. So
// short jobs that come together are done by few, and long ones keep nobody waiting for them.
//
// Jobs of one share leave threads to others; see fair_queue.h. They leave processors too: a thread
// whose job takes long gets a lower priority once others come, and ends with that job, because
// raising it again needs a privilege.
//
// Threads  run() from any, also from within a job. Not to be destroyed from within one.
#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <thread>
#include <utility>
#include <vector>

#include "base/fair_queue.h"
#include "base/guarded.h"

namespace cairn {

class Workers final {
 public:
  using Job = std::move_only_function<void()>;

  Workers(unsigned max_threads, const char* name);
  // Every job that was given is done before it returns.
  ~Workers();

  // Jobs of one share begin in the order they are given. A job must not throw.
  void run(Job job) { run({}, std::move(job)); }
  void run(const Share& share, Job job);

 private:
  struct Running {
    int thread;  // as the system numbers it
    FairQueue::Time began;
    bool slow = false;  // with a lower priority
  };
  struct State {
    explicit State(unsigned max_threads) : jobs(max_threads) {}
    FairQueue jobs;
    std::vector<std::thread> threads;  // those that are not being waited for
    std::vector<std::thread> ended;    // to be waited for, which is short
    std::list<Running> running;        // the oldest first
    unsigned started = 0;
    unsigned idle = 0;
    bool called = false;  // one is on its way
    bool wanted = false;  // which has to be started first
    bool stopping = false;
  };

  void work();
  // Starts threads: one that is started by a slow one would be slow for ever.
  void start_threads();
  void start_one(State& state);
  // Calls a thread for the next job if it needs one. True: an idle one has to be woken, once the
  // lock is free for it.
  bool call_next(State& state);
  static void slow_down_long_jobs(State& state);
  // The thread that calls it ends.
  static void leave(State& state);

  const unsigned max_threads_;
  const char* const name_;  // of the threads; 15 characters at most
  Guarded<State> state_;
  std::condition_variable changed_;
  std::condition_variable wanted_;
  std::thread starter_;
};

}  // namespace cairn
