// Group commit: changes asked for by many threads, worked off in groups.
//
// The first thread that waits leads: it takes all requests that are waiting, works on them, and
// wakes their threads. Whoever comes meanwhile forms the next group. So one sync of the disk serves
// as many commits as came during the last one.
// Threads     run() from any thread, but not from within a request's own work: INTERNAL.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "base/guarded.h"
#include "data/store/overlay.h"

namespace cairn {

struct WriteRequest {
  // Checks and makes the change; an error refuses it, and drops what it made so far.
  std::function<Result<void>(Overlay&)> apply;
  Durability durability = Durability::kSynced;
  Growth growth = Growth::kGrows;
  // Never in one group with others: `apply` looks at the store itself, not only at its overlay.
  bool alone = false;
  // Once it is written, before anybody hears of it.
  std::function<void()> written = [] {};
  // The keys that watchers are told about.
  std::vector<Bytes> changed_keys;

  Result<void> result;
};

class WriteQueue final {
 public:
  using Group = std::span<WriteRequest* const>;
  // Works on a group in order and sets the results; called by one thread at a time.
  using Work = std::function<void(Group)>;

  explicit WriteQueue(Work work) : work_(std::move(work)) {}
  WriteQueue(const WriteQueue&) = delete;
  WriteQueue& operator=(const WriteQueue&) = delete;

  // Returns the request's result once its group is done.
  Result<void> run(WriteRequest& request) EXCLUDES(state_);

  // How many requests are in line behind the group being worked on.
  std::size_t waiting() EXCLUDES(state_) { return state_.lock()->waiting.size(); }

 private:
  struct Waiter {
    WriteRequest* request;
    std::condition_variable ready;
    bool done = false;
  };
  struct State {
    std::deque<Waiter*> waiting;
    std::optional<std::thread::id> leader;
  };

  static std::vector<Waiter*> take_group(State& state);
  static void end_group(State& state, std::span<Waiter* const> group);
  void work(std::span<Waiter* const> group) noexcept EXCLUDES(state_);

  Work work_;
  Guarded<State> state_;
};

}  // namespace cairn
